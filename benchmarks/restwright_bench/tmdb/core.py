"""Who and what must be in the world, whatever the seed: names, and what each is needed for."""

from __future__ import annotations

from collections.abc import Mapping

MOVIES = (
    "The Dark Knight",
    "Titanic",
    "Twilight",
    "The Matrix",
    "Django Unchained",
    "Avatar",
    "Avatar: The Way of Water",
    "The Shawshank Redemption",
    "The Double Life of Veronique",
    "Mulholland Drive",
    "Barbie",
    "Oppenheimer",
    # A series by its nature; there is a film of it as well, with the same cast.
    "We Married as a Job",
)

# Found by the same words as others, and to be ranked behind them.
MOVIE_DECOYS = (
    "Titanic Summer",
    "Twilight Harbour",
    "The Matrix of Rain",
    "Barbie and the Lighthouse",
    "A Dark Knight in Lisbon",
    "Oppenheimer Street",
)

# `{collection: (beginning of the titles, one title that must be there and comes first)}`.
COLLECTIONS: Mapping[str, tuple[str, str]] = {
    "Star Wars Collection": ("Star Wars", ""),
    "Harry Potter Collection": ("Harry Potter", ""),
    "The Hunger Games Collection": ("The Hunger Games", ""),
    "The Hobbit Collection": ("The Hobbit", ""),
    "The Fast and the Furious Collection": ("The Fast and the Furious", ""),
    "The Lord of the Rings Collection": (
        "The Lord of the Rings",
        "The Lord of the Rings: The Fellowship of the Ring",
    ),
    "Lantern Coast Collection": ("Lantern Coast", ""),
    "Nine Tides Collection": ("Nine Tides", ""),
}
PARTS = (3, 5)

SERIES = (
    "Breaking Bad",
    "The Witcher",
    "House of Cards",
    "The Last of Us",
    "Friends",
    "2 Broke Girls",
    "The Big Bang Theory",
    "Westworld",
    "Game of Thrones",
    "Band of Brothers",
    "The Mandalorian",
    "Black Mirror",
    "Twin Peaks",
    "Sword Art Online",
    "We Married as a Job",
    "Death Note",
)
SERIES_DECOYS = (
    "Friends of the Tide",
    "Band of Sisters",
    "Westworld Kitchens",
    "The Last of Them",
)

# `{series: {season: at least so many episodes}}`.
EPISODES: Mapping[str, Mapping[int, int]] = {
    "The Witcher": {1: 4},
    "House of Cards": {1: 6},
    "Friends": {3: 24},
    "The Big Bang Theory": {2: 4},
    "Westworld": {2: 4},
    "Game of Thrones": {2: 4},
    "The Mandalorian": {2: 4},
    "Black Mirror": {2: 4},
    "Band of Brothers": {1: 6},
}
ONE_SEASON = ("Band of Brothers", "We Married as a Job")

# `{(series, season): so many directors, none idle}`; elsewhere as drawn.
DIRECTORS_IN: Mapping[tuple[str, int], int] = {
    ("House of Cards", 1): 3,
    ("Black Mirror", 2): 1,
    ("Twin Peaks", 1): 1,
}
GUESTS_IN = (("Friends", 3, 24),)

# `{director: from so many films to so many}`; none of them is still to come.
DIRECTS: Mapping[str, tuple[int, int]] = {
    "Sofia Coppola": (3, 6),
    "Christopher Nolan": (3, 6),
    "Martin Scorsese": (3, 6),
    "Clint Eastwood": (2, 3),
    "Francis Ford Coppola": (2, 4),
    "Akira Kurosawa": (2, 6),
    "Steven Spielberg": (2, 6),
    "Catherine Hardwicke": (1, 2),
}
# Of these two one has directed more films than the other.
UNEQUAL = ("Akira Kurosawa", "Steven Spielberg")
# One of the films of this director is still to come.
STILL_AT_WORK = "Clint Eastwood"
TELEVISION_DIRECTOR = "Catherine Hardwicke"

# `{actor: from so many films to so many}`; none of them is still to come.
ACTS: Mapping[str, tuple[int, int]] = {
    "Leonardo DiCaprio": (3, 6),
    "Cate Blanchett": (2, 4),
    "Scarlett Johansson": (3, 6),
    "Katherine LaNasa": (3, 5),
    "David Schwimmer": (1, 2),
    "Yui Aragaki": (1, 2),
    "Gen Hoshino": (1, 2),
    "Clint Eastwood": (1, 2),
}
# `{actor: from so many series to so many}`.
ACTS_IN_SERIES: Mapping[str, tuple[int, int]] = {
    "Jeremy Clarkson": (2, 4),
    "Cate Blanchett": (2, 4),
    "David Schwimmer": (2, 3),
}
ALWAYS_IN: Mapping[str, tuple[str, ...]] = {
    "Friends": ("David Schwimmer",),
    "We Married as a Job": ("Yui Aragaki",),
}
# In both of that name, or in neither.
PERHAPS_IN = ("We Married as a Job", "Gen Hoshino")

# Whose director has directed more films.
MORE_BY_ITS_DIRECTOR = "Django Unchained"
# Whose director has directed for television: this season of this series, or another.
ALSO_FOR_TELEVISION = "Mulholland Drive"
PERHAPS_THIS = ("Twin Peaks", 1)
PERHAPS_IN_TOP_TEN = "Mulholland Drive"
# The director of the first and the lead of the second differ in age by whole years.
OLDER_OR_YOUNGER = ("Barbie", "Death Note")

COMPANIES = (
    "Walt Disney Pictures",
    "Paramount Pictures",
    "Universal Pictures",
    "Lanternfish Films",
    "Nine Bridges Studio",
    "Copper Owl Productions",
    "Saltmarsh Entertainment",
    "Quiet Engine Media",
    "Northern Kite Films",
    "Paper Comet Studios",
    "Walnut & Daughters",
    "Harbour Light Television",
)
NETWORKS = (
    "Meridian One",
    "Tidewater TV",
    "Channel Juniper",
    "Kestrel+",
    "Radio Televisio Nord",
    "Blue Hour Network",
)
