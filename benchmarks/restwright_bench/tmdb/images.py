"""Pictures of whatever has some; drawn from the seed and the id alone, so they need no table."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from restwright_bench.tmdb.rows import Image, Pictured
from restwright_bench.tmdb.tables import TmdbState

LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789"
SIZES: Mapping[str, tuple[int, int]] = {
    "poster": (1000, 1500),
    "backdrop": (1920, 1080),
    "profile": (500, 750),
    "logo": (800, 200),
    "still": (1280, 720),
}
LANGUAGES = ("en", "de", "fr", "es", "ja")
# Those of which a movie, say, has one main picture, and where its path stands in the row.
MAIN: Mapping[str, str] = {
    "poster": "poster_path",
    "backdrop": "backdrop_path",
    "profile": "profile_path",
    "logo": "logo_path",
    "still": "still_path",
}


def images_of(state: TmdbState, row: Pictured, kind: str) -> tuple[Image, ...]:
    """
    The pictures of one kind, the main one first.

    Args:
        kind: `poster`, `backdrop`, `profile`, `logo` or `still`; one that such a row has.
    """
    random = Random(f"tmdb-{state.seed}-{row.kind}-{row.id}-{kind}")
    main: str = getattr(row, MAIN[kind])
    ending = main.rpartition(".")[2]
    paths = [main, *(image_path(random, ending) for _ in range(random.randint(1, 4)))]
    return tuple(_image(random, kind, path) for path in paths)


def image_path(random: Random, ending: str = "jpg") -> str:
    """The path of a picture, drawn."""
    return f"/{''.join(random.choices(LETTERS, k=27))}.{ending}"


def _image(random: Random, kind: str, path: str) -> Image:
    width, height = SIZES[kind]
    scale = random.choice((1, 2))
    return Image(
        kind=kind,
        id=f"{random.getrandbits(96):024x}",
        path=path,
        width=width * scale,
        height=height * scale,
        language=random.choice(LANGUAGES),
        votes=random.randint(0, 60),
        vote_average=random.randint(0, 9),
    )
