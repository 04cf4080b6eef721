"""Words that free facts are drawn from; all of it made up for this world."""

from __future__ import annotations

from collections.abc import Mapping

FIRST_NAMES = (
    *("Adela", "Bram", "Calla", "Dorian", "Edda", "Falk", "Greta", "Hollis", "Imre", "Junia"),
    *("Kasimir", "Lenka", "Malin", "Nestor", "Oona", "Pavel", "Quill", "Rosalba", "Soren"),
    *("Tamsin", "Ulrik", "Vesna", "Wendel", "Xenia", "Yannick", "Zelda", "Arvid", "Brisa"),
    *("Cosmo", "Delphine", "Emeric", "Fenna", "Gideon", "Hedda", "Isidor", "Jorunn", "Klara"),
)
LAST_NAMES = (
    *("Abendroth", "Birkeland", "Castellane", "Drossel", "Eklundh", "Ferreday", "Glasswell"),
    *("Hartnoll", "Ilvonen", "Jankova", "Kestrelman", "Lindqvister", "Marchbanks", "Norrgard"),
    *("Oldacre", "Pellworm", "Quennell", "Rosenquill", "Strandheim", "Tervooren", "Umberley"),
    *("Vantongeren", "Wexcombe", "Yarrowby", "Zilverman", "Ashgrove", "Brackwater", "Copperfold"),
    *("Dunmarsh", "Elderfield", "Fallowell", "Greywater", "Hollowmere", "Ironside-Vale"),
)
ADJECTIVES = (
    *("Glass", "Silent", "Copper", "Hollow", "Amber", "Crooked", "Velvet", "Frozen", "Hidden"),
    *("Broken", "Crimson", "Distant", "Electric", "Gentle", "Iron", "Ivory", "Lonely", "Midnight"),
    *("Paper", "Restless", "Salted", "Wandering", "Winter", "Yellow"),
)
NOUNS = (
    *("Meridian", "Orchard", "Cartographer", "Lantern", "Ferry", "Parliament", "Violin", "Glacier"),
    *("Archive", "Carousel", "Compass", "Embassy", "Furnace", "Garden", "Horizon", "Island"),
    *("Juniper", "Kingdom", "Labyrinth", "Mirage", "Observatory", "Pilgrim", "Quarry", "Reservoir"),
    *("Sparrow", "Telegraph", "Umbrella", "Viaduct", "Windmill", "Zeppelin"),
)
PROFESSIONS = (
    *(
        "clockmaker",
        "ferry pilot",
        "court stenographer",
        "beekeeper",
        "glaciologist",
        "piano tuner",
    ),
    *("customs officer", "lighthouse keeper", "retired spy", "cartographer", "chess prodigy"),
    *("night nurse", "locksmith", "opera prompter", "tram driver", "seismologist"),
)
DEEDS = (
    *("forges a will", "loses a diary", "inherits a bankrupt circus", "finds a buried radio"),
    *("wakes up in the wrong century", "smuggles a rare orchid", "teaches a machine to lie"),
    *("swaps lives with a stranger", "hides a witness", "rebuilds a sunken tram"),
    *("bets a house on a pigeon race", "decodes a lullaby", "steals a cathedral bell"),
    *("answers a letter meant for somebody else", "maps a cave that moves", "runs for mayor"),
)
TURNS = (
    *("until the river freezes", "while an old rival watches", "before the last train leaves"),
    *("and nobody believes it", "at the price of a friendship", "on the eve of a storm"),
    *("as the harbour burns", "with a borrowed name", "in front of the whole town"),
    *("without telling the family", "after forty years of silence", "for the sake of a bet"),
)
PRAISE = (
    *("A rare pleasure", "Not for me", "Better the second time", "Far too long", "A small wonder"),
    *("Uneven but brave", "I laughed and then I did not", "Cold as a museum", "Simply splendid"),
    *("Half a masterpiece", "My neighbours loved it", "Quietly devastating"),
)
REASONS = (
    *("the score carries every scene", "the second act sags badly", "the cast is in top form"),
    *("the ending is earned", "the dialogue creaks", "the camera never sits still"),
    *("the costumes deserve a prize", "nothing happens and it is gripping"),
    *("the twist is visible from the start", "the editing is ruthless", "the villain is wasted"),
    *("every minor part has a life of its own",),
)
KEYWORDS = (
    *("lighthouse", "amnesia", "train robbery", "found family", "courtroom", "time loop"),
    *("island exile", "forbidden friendship", "chess", "space station", "small town", "heist"),
    *("double identity", "winter", "road trip", "artificial mind", "lost manuscript", "revenge"),
    *("boarding school", "volcano", "circus", "sleepwalking", "inheritance", "submarine"),
    *("mountain rescue", "political intrigue", "jazz band", "haunted theatre", "pilgrimage"),
    *("whistleblower", "orphan", "desert", "rivalry", "dream within a dream", "smuggling"),
    *("first love", "coal mine", "telepathy", "shipwreck", "old age", "cooking contest"),
    *("border town", "espionage", "plague", "secret garden", "puppet", "flood", "night shift"),
)
MOVIE_GENRES = (
    *("Action", "Adventure", "Animation", "Comedy", "Crime", "Documentary", "Drama", "Family"),
    *("Fantasy", "History", "Horror", "Music", "Mystery", "Romance", "Science Fiction"),
    *("Thriller", "War", "Western"),
)
SERIES_GENRES = (
    *("Action & Adventure", "Animation", "Comedy", "Crime", "Documentary", "Drama", "Family"),
    *("Mystery", "News", "Reality", "Sci-Fi & Fantasy", "Soap", "War & Politics", "Western"),
)
CITIES = (
    *("Tromsø, Norway", "Coimbra, Portugal", "Ghent, Belgium", "Valparaíso, Chile"),
    *("Duluth, Minnesota, USA", "Savannah, Georgia, USA", "Tartu, Estonia", "Hobart, Australia"),
    *("Dunedin, New Zealand", "Kanazawa, Japan", "Galway, Ireland", "Inverness, Scotland, UK"),
    *("Trieste, Italy", "Graz, Austria", "Oulu, Finland", "Cádiz, Spain", "Halifax, Canada"),
    *("Recife, Brazil", "Gdynia, Poland", "Aarhus, Denmark", "Lausanne, Switzerland"),
    *("Boise, Idaho, USA", "Mombasa, Kenya", "Pune, India", "Daegu, South Korea"),
)
COUNTRIES: Mapping[str, tuple[str, str]] = {
    "US": ("United States of America", "en"),
    "GB": ("United Kingdom", "en"),
    "FR": ("France", "fr"),
    "JP": ("Japan", "ja"),
    "KR": ("South Korea", "ko"),
    "ES": ("Spain", "es"),
}
LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "fr": "Français",
    "ja": "日本語",
    "ko": "한국어",
    "es": "Español",
}
CERTIFICATIONS = ("G", "PG", "PG-13", "R")
CREW: tuple[tuple[str, str], ...] = (
    ("Writing", "Screenplay"),
    ("Production", "Producer"),
    ("Camera", "Director of Photography"),
    ("Sound", "Original Music Composer"),
)
SERIES_CREW: tuple[tuple[str, str], ...] = (
    ("Production", "Creator"),
    ("Production", "Executive Producer"),
    ("Writing", "Writer"),
)
