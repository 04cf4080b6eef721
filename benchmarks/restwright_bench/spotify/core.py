"""What is the same in every world: names that queries speak of, genres, and words to draw from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LIKE_FEW = (3, 1, 0)
LIKE_MANY = (11, 7, 2)


@dataclass(frozen=True, slots=True)
class ArtistCore:
    """
    One artist before anything is drawn.

    Args:
        releases: How many albums, singles and compilations, fixed ones included.
    """

    name: str
    genres: tuple[str, ...]
    releases: tuple[int, int, int] = LIKE_FEW


@dataclass(frozen=True, slots=True)
class AlbumCore:
    """An album with a given name, and the names of those tracks that are given too."""

    name: str
    artist: str
    size: int
    tracks: tuple[str, ...] = ()


# The artists of the queries come first: they are the more popular ones in every world.
ASKED_FOR = (
    ArtistCore("Mariah Carey", ("r&b", "soul", "pop"), LIKE_MANY),
    ArtistCore("Pink Floyd", ("progressive rock", "rock"), LIKE_MANY),
    ArtistCore("Lana Del Rey", ("dream pop", "baroque pop"), LIKE_MANY),
    ArtistCore("Taylor Swift", ("pop", "country"), LIKE_MANY),
    ArtistCore("Jay Chou", ("mandopop", "r&b"), LIKE_MANY),
    ArtistCore("The Beatles", ("rock", "beat"), LIKE_MANY),
    ArtistCore("Maroon 5", ("pop", "pop rock"), LIKE_MANY),
    ArtistCore("BIGBANG", ("k-pop", "hip hop"), LIKE_MANY),
    ArtistCore("Whitney Houston", ("soul", "r&b", "dream pop"), LIKE_MANY),
)
INVENTED = (
    ArtistCore("Ida Lindqvist", ("folk", "dream pop"), LIKE_MANY),
    ArtistCore("Odessa Rayne", ("r&b", "soul")),
    ArtistCore("Marlon Teague", ("r&b", "hip hop")),
    ArtistCore("The Copper Kites", ("rock", "indie")),
    ArtistCore("Velvet Quarry", ("progressive rock", "rock")),
    ArtistCore("Stone Arcade", ("rock", "pop rock")),
    ArtistCore("Juno Farrow", ("pop", "baroque pop")),
    ArtistCore("Calla Winters", ("dream pop", "indie")),
    ArtistCore("Neon Orchard", ("dream pop", "electronic")),
    ArtistCore("SEOLBIT", ("k-pop", "pop")),
    ArtistCore("Nova Parade", ("k-pop", "electronic")),
    ArtistCore("Lin Yue-Shan", ("mandopop", "pop")),
    ArtistCore("Chen Bohai", ("mandopop", "folk")),
    ArtistCore("Wade Hollis", ("country", "folk")),
    ArtistCore("Ruby Tansey", ("country", "pop")),
    ArtistCore("Kofi Brandt", ("hip hop", "soul")),
    ArtistCore("The Lantern Trio", ("jazz", "soul")),
    ArtistCore("Pulse Cathedral", ("electronic", "dream pop")),
    ArtistCore("Axel Mirren", ("electronic", "indie")),
    ArtistCore("Elin Storgaard", ("folk", "indie")),
    ArtistCore("Hush Meridian", ("ambient", "quiet")),
    ArtistCore("The Soft Hours", ("acoustic", "quiet")),
    ArtistCore("Nils Amberg", ("piano", "ambient")),
    ArtistCore("Lunar Echoes", ("rock", "indie")),
    ArtistCore("Midnight Cantina", ("latin", "pop")),
    ArtistCore("The Summer Brothers", ("electronic", "pop")),
    ArtistCore("Rosa Quill", ("baroque pop", "indie")),
    ArtistCore("Harbour Saints", ("soul", "folk")),
)
GENRES = frozenset(genre for each in (*ASKED_FOR, *INVENTED) for genre in each.genres)
ALBUMS = (
    AlbumCore("The Dark Side of the Moon", "Pink Floyd", 10),
    AlbumCore("Born To Die", "Lana Del Rey", 12, ("Summertime Sadness",)),
    AlbumCore("reputation", "Taylor Swift", 12),
    AlbumCore("Mojito", "Jay Chou", 8),
    AlbumCore("Harmony of Two", "Whitney Houston", 9, ("When You Believe",)),
    # What only resembles that which is asked for.
    AlbumCore("The Dark Side of the Moon Revisited", "Lunar Echoes", 10),
    AlbumCore("Mojito Sunrise", "Midnight Cantina", 6),
    AlbumCore("Poolside", "The Summer Brothers", 6, ("Summertime Sadness Club Mix",)),
    AlbumCore("Quiet Evenings", "Hush Meridian", 6, ("Quiet Water", "Quiet Streets")),
    AlbumCore("Soft Light", "The Soft Hours", 6, ("Quiet Kitchen", "Soft Rain")),
)
# `{track: artist that joins in}`; the first artist is that of the album.
DUETS: Mapping[str, str] = {"When You Believe": "Mariah Carey"}

SAVED_BY = ("Lana Del Rey", "Whitney Houston")
SAVED_ALBUMS = ("Born To Die", "reputation")
FOLLOWED = ("Lana Del Rey", "Whitney Houston", "Ida Lindqvist")
NOW_PLAYING = "Born To Die"
MY_PLAYLISTS: Mapping[str, tuple[str, ...]] = {
    "My R&B": ("Whitney Houston", "Odessa Rayne", "Marlon Teague"),
    "My Rock": ("The Copper Kites", "Pink Floyd", "Stone Arcade"),
}
QUEUED_BY = ("Juno Farrow", "Wade Hollis", "Neon Orchard")
# `(name, description, genre)` of what others have made.
PUBLIC_PLAYLISTS = (
    ("Quiet Songs", "Nothing louder than a whisper", "quiet"),
    ("Calm and Peaceful", "Slow down", "ambient"),
    ("Piano at Night", "Keys only", "piano"),
    ("Unplugged Mornings", "Acoustic and gentle", "acoustic"),
    *((f"{genre.title()} Mix", f"The best of {genre}", genre) for genre in ("rock", "pop", "soul")),
    *((f"{genre.title()} Now", f"New {genre}", genre) for genre in ("k-pop", "mandopop", "r&b")),
    *((f"All {genre.title()}", f"Only {genre}", genre) for genre in ("country", "folk", "indie")),
    *((f"{genre.title()} Club", f"For {genre}", genre) for genre in ("electronic", "hip hop")),
    *((f"{genre.title()} Hall", f"More {genre}", genre) for genre in ("jazz", "dream pop")),
    *((f"{genre.title()} Room", f"Old {genre}", genre) for genre in ("latin", "baroque pop")),
)
# What is taken for a quiet song: one with such a word in its names, genres or playlists.
QUIET_WORDS = (
    *("quiet", "calm", "soft", "peaceful", "gentle", "acoustic", "ambient", "piano", "whisper"),
    *("relaxing", "relax", "sleep", "lullaby", "mellow", "soothing", "slow"),
)
DEVICES = (("My PC", "Computer"), ("Kitchen Speaker", "Speaker"), ("Pocket Phone", "Smartphone"))

FIRST_WORDS = (
    *("Amber", "Blazing", "Broken", "Copper", "Crimson", "Distant", "Electric"),
    *("Faded", "Frozen", "Golden", "Hidden", "Hollow", "Ivory", "Lonely"),
    *("Lost", "Marble", "Neon", "Northern", "Paper", "Plastic", "Restless"),
    *("Rolling", "Rusty", "Sacred", "Scarlet", "Secret", "Silver", "Sudden"),
    *("Tangled", "Thousand", "Tropical", "Twisted", "Velvet", "Violet", "Wandering"),
    *("Wasted", "Wicked", "Wild", "Winter", "Wooden", "Yellow", "Zero"),
)
LAST_WORDS = (
    *("Arrows", "Avenue", "Bridges", "Canyon", "Carousel", "Castle"),
    *("Circles", "Compass", "Diamonds", "Engines", "Feather", "Fever"),
    *("Fountain", "Gravity", "Harbour", "Highway", "Horizon", "Island"),
    *("Kingdom", "Ladder", "Lantern", "Lightning", "Machine", "Mirror"),
    *("Mountain", "Ocean", "Orchid", "Passenger", "Planet", "Radio"),
    *("Rooftop", "Satellite", "Shadow", "Signal", "Staircase", "Station"),
    *("Telegram", "Thunder", "Tiger", "Tower", "Valley", "Window"),
)
GIVEN_NAMES = ("Robin", "Alex", "Sasha", "Kim", "Jules", "Noa", "Charlie", "Toni", "Mika", "Sam")
FAMILY_NAMES = ("Falk", "Moreau", "Okafor", "Hallberg", "Nakata", "Ferrer", "Quist", "Varga")
LABELS = ("Bluegate Records", "North Pier", "Tallow & Sons", "Ninth Floor Music", "Kestrel House")
