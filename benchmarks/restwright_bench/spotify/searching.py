"""Finds artists, albums, tracks and playlists by words and by the filters of the document."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from restwright_bench.spotify.catalogue import Album, Artist, Catalogue, Track
from restwright_bench.spotify.core import GENRES
from restwright_bench.spotify.state import Playlist, SpotifyState

_FILTER = re.compile(r"\b(album|artist|track|year|upc|tag|isrc|genre):", re.IGNORECASE)
_YEARS = re.compile(r"(\d{4})(?:-(\d{4}))?")
# These only help to find a name that has them.
SMALL_WORDS = frozenset(("a", "an", "and", "by", "for", "from", "in", "of", "on", "the", "to"))
NEW_SINCE = "2026-01-01"
HIPSTER_BELOW = 10

Found = Artist | Album | Track | Playlist


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    Something that can be found, and by what.

    Args:
        key: The words of its name.
        tokens: Every word that leads to it; `own` are those of its name.
    """

    found: Found
    name: str
    key: str
    artists: str = ""
    album: str = ""
    genres: tuple[str, ...] = ()
    date: str = ""
    code: str = ""
    popularity: int
    tokens: frozenset[str]
    own: frozenset[str]


def found_in(state: SpotifyState, kind: str, query: str) -> list[Found]:
    """
    What a query finds, best first: the very name, then most words in the name, then fame.

    Words are those that something begins with. What has fewer of them than another is not found,
    so that `songs of` before a name leads to what is of that name.
    """
    rows = _rows_of(state, kind)
    free, filters = _parts(query)
    for name, value in filters:
        test = _FILTERS[name]
        rows = [each for each in rows if test(each, value)]
    meant = {word: _meant(word, state, kind) for word in _tokens(free)}
    words = [word for word, several in meant.items() if several]
    if not words and not filters:
        return []
    telling = [each for each in words if each not in SMALL_WORDS] or words
    fitting = _fitting(rows, [meant[word] for word in telling])
    whole, exact = " ".join(words), frozenset(words)
    fitting.sort(
        key=lambda each: (
            each.key != whole,
            -len(each.own & exact),
            -each.popularity,
            each.found.id,
        )
    )
    return [each.found for each in fitting]


def has_word(state: SpotifyState, kind: str, words: Iterable[str]) -> list[Found]:
    """What has one of these very words somewhere, in no order."""
    wanted = frozenset(words)
    return [each.found for each in _rows_of(state, kind) if wanted & each.tokens]


def folded(text: str) -> str:
    """Without case, accents and possessives."""
    plain = unicodedata.normalize("NFKD", text)
    low = "".join(each for each in plain if not unicodedata.combining(each)).casefold()
    return re.sub(r"['\u2019]s\b", "", low)


def _rows_of(state: SpotifyState, kind: str) -> list[Row]:
    if kind == "playlist":
        return [
            _row(each, each.name, popularity=each.followers, more=(each.description,))
            for each in state.playlists.values()
            if each.is_public
        ]
    return list(_index(state.catalogue).get(kind, ()))


@lru_cache(maxsize=16)
def _index(catalogue: Catalogue) -> Mapping[str, tuple[Row, ...]]:
    return {
        "artist": tuple(
            _row(each, each.name, popularity=each.popularity, genres=each.genres)
            for each in catalogue.artists.values()
        ),
        "album": tuple(_album_row(catalogue, each) for each in catalogue.albums.values()),
        "track": tuple(_track_row(catalogue, each) for each in catalogue.tracks.values()),
    }


def _album_row(catalogue: Catalogue, album: Album) -> Row:
    return _row(
        album,
        album.name,
        artists=_names(catalogue, album.artist_ids),
        album=album.name,
        date=album.release_date,
        code=album.upc,
        popularity=album.popularity,
    )


def _track_row(catalogue: Catalogue, track: Track) -> Row:
    album = catalogue.albums[track.album_id]
    return _row(
        track,
        track.name,
        artists=_names(catalogue, track.artist_ids),
        album=album.name,
        genres=tuple(sorted(catalogue.genres_of(track))),
        date=album.release_date,
        code=track.isrc,
        popularity=track.popularity,
    )


def _names(catalogue: Catalogue, ids: Iterable[str]) -> str:
    return ", ".join(catalogue.artists[each].name for each in ids)


def _row(
    found: Found,
    name: str,
    *,
    popularity: int,
    artists: str = "",
    album: str = "",
    genres: tuple[str, ...] = (),
    date: str = "",
    code: str = "",
    more: tuple[str, ...] = (),
) -> Row:
    texts = " ".join((name, artists, album, *genres, *more))
    return Row(
        found=found,
        name=name,
        key=" ".join(_tokens(name)),
        artists=artists,
        album=album,
        genres=genres,
        date=date,
        code=code,
        popularity=popularity,
        tokens=frozenset(_tokens(texts)),
        own=frozenset(_tokens(name)),
    )


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded(text))


def _fitting(rows: list[Row], words: list[frozenset[str]]) -> list[Row]:
    counts = [sum(not one.isdisjoint(each.tokens) for one in words) for each in rows]
    most = max(counts, default=0)
    if words and not most:
        return []
    return [each for each, count in zip(rows, counts, strict=True) if count == most]


def _meant(word: str, state: SpotifyState, kind: str) -> frozenset[str]:
    """What begins so; nothing for a word that leads nowhere, as `songs by` before a name."""
    return frozenset(each for each in _words_of(state, kind) if each.startswith(word))


def _words_of(state: SpotifyState, kind: str) -> frozenset[str]:
    if kind == "playlist":
        return frozenset(token for each in _rows_of(state, kind) for token in each.tokens)
    return _vocabulary(state.catalogue, kind)


@lru_cache(maxsize=48)
def _vocabulary(catalogue: Catalogue, kind: str) -> frozenset[str]:
    rows = _index(catalogue).get(kind, ())
    return frozenset(token for each in rows for token in each.tokens)


def _has_all(tokens: frozenset[str], words: Iterable[str]) -> bool:
    return all(word in tokens or any(token.startswith(word) for token in tokens) for word in words)


def _parts(query: str) -> tuple[str, list[tuple[str, str]]]:
    """The free words, and `(filter, value)`; a value goes on up to the next filter."""
    free, *pairs = _FILTER.split(query)
    names, values = pairs[::2], pairs[1::2]
    return free, [
        (name.lower(), value.strip().strip("\"'"))
        for name, value in zip(names, values, strict=True)
    ]


def _in_text(text: str, value: str) -> bool:
    return _has_all(frozenset(_tokens(text)), _tokens(value))


def _in_year(row: Row, value: str) -> bool:
    years = _YEARS.search(value)
    if years is None or not row.date:
        return False
    return years[1] <= row.date[:4] <= (years[2] or years[1])


def _of_genre(row: Row, value: str) -> bool:
    """The very genre; where there is none of that name, those that have its words."""
    wanted = folded(value)
    if wanted in GENRES:
        return wanted in row.genres
    return any(set(_tokens(value)) <= set(_tokens(each)) for each in row.genres)


def _tagged(row: Row, value: str) -> bool:
    if value.casefold() == "new":
        return row.date >= NEW_SINCE
    return value.casefold() == "hipster" and row.popularity < HIPSTER_BELOW


_FILTERS: Mapping[str, Callable[[Row, str], bool]] = {
    "album": lambda row, value: _in_text(row.album, value),
    "artist": lambda row, value: _in_text(row.artists or row.name, value),
    "track": lambda row, value: bool(row.artists) and _in_text(row.name, value),
    "year": _in_year,
    "genre": _of_genre,
    "upc": lambda row, value: row.code == value,
    "isrc": lambda row, value: row.code == value,
    "tag": _tagged,
}
