"""
Which paths are accepted beside the published ones, and which published ones are doubtful.

A path is accepted by every sequence of calls that it is part of, so that of two only the shorter
is listed. Each was reviewed for its query: it leads to the same fact, without a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright_bench.queries.query import GoldCall

Path = tuple[GoldCall, ...]


def _path(templates: str) -> Path:
    return tuple(GoldCall("GET", each) for each in templates.split())


def _paths(*templates: str) -> tuple[Path, ...]:
    return tuple(map(_path, templates))


def _mixed(one: Path, other: Path) -> Iterator[Path]:
    """Two paths at once, in every order that leaves each in its own."""
    if not one or not other:
        yield one + other
        return
    yield from ((one[0], *rest) for rest in _mixed(one[1:], other))
    yield from ((other[0], *rest) for rest in _mixed(one, other[1:]))


def _in_any_order(one: str, other: str) -> tuple[Path, ...]:
    return tuple(_mixed(_path(one), _path(other)))


_SEASON = "/tv/{tv_id}/season/{season_number}"
_EPISODE = f"{_SEASON}/episode/{{episode_number}}"
_MOVIE_DIRECTOR = "/search/movie /movie/{movie_id}/credits"
_DETAILS = "/movie/{movie_id}"
_FILMS = "/person/{person_id}/movie_credits"
_PARTS = "/collection/{collection_id}"
_TRENDING = "/trending/{media_type}/{time_window}"
# The season says what its episodes are, and each of them says it.
_OF_EPISODE = _paths(f"/search/tv {_SEASON}", f"/search/tv {_EPISODE}")
# What is popular, or rated best, is what discovery gives first in that order.
_POPULAR_LEAD = _paths("/discover/tv /tv/{tv_id}/credits")
_POPULAR_KEYWORD = _paths("/discover/tv /tv/{tv_id}/keywords")

# Found elsewhere, or without the last call.
_SHORTER: Mapping[int, tuple[Path, ...]] = {
    2: _paths("/discover/movie /movie/{movie_id}/credits"),
    # A hit of a search has a picture already.
    3: _paths("/search/collection"),
    4: _paths("/search/company"),
    # So has each of the cast.
    5: _paths("/search/movie /movie/{movie_id}/credits"),
    12: _paths("/search/tv /tv/{tv_id}/similar"),
    15: _OF_EPISODE,
    16: _paths("/discover/movie"),
    # A hit of a search has the date already.
    17: _paths("/search/movie"),
    19: _paths("/search/person /person/{person_id}/movie_credits"),
    # What airs today is on the air.
    21: _paths("/tv/airing_today"),
    22: _paths("/search/person /person/{person_id}/movie_credits"),
    26: _paths("/movie/now_playing"),
    27: _paths("/discover/movie /movie/{movie_id}/keywords"),
    28: _paths("/discover/movie /movie/{movie_id}/keywords"),
    30: _paths("/search/company"),
    32: _paths("/search/movie"),
    34: _paths("/search/collection /collection/{collection_id}"),
    40: _paths(f"/search/tv {_SEASON}"),
    42: _paths("/tv/on_the_air"),
    44: _paths("/tv/airing_today /tv/{tv_id}/credits"),
    48: _OF_EPISODE,
    49: _POPULAR_LEAD,
    50: _POPULAR_KEYWORD,
    51: _paths("/search/tv"),
    54: _paths("/search/tv"),
    55: _POPULAR_KEYWORD,
    56: _paths(f"/search/tv {_SEASON}"),
    # The details of a series list its seasons with their days and pictures.
    57: _paths("/search/tv /tv/{tv_id}"),
    58: _OF_EPISODE,
    # And its networks with their logos.
    59: _paths("/search/tv /tv/{tv_id}"),
    61: _POPULAR_KEYWORD,
    62: _paths("/discover/tv /tv/{tv_id} /company/{company_id}"),
    # A hit has the ids of genres, and the list of genres their names.
    63: _paths("/search/tv /genre/tv/list", "/genre/tv/list /search/tv"),
    68: _paths(_TRENDING),
    70: _paths(f"/search/tv {_EPISODE}/credits", "/search/tv /tv/{tv_id}/credits"),
    72: _POPULAR_LEAD,
    73: _paths(
        "/tv/popular /tv/{tv_id}/credits",
        "/discover/tv /tv/{tv_id}/credits",
        f"{_TRENDING} /tv/{{tv_id}}/credits",
    ),
    76: (*_OF_EPISODE, *_paths(f"/search/tv {_EPISODE}/credits")),
    # One search finds both.
    78: _paths("/search/movie"),
    80: _paths("/search/movie /genre/movie/list", "/genre/movie/list /search/movie"),
    82: _paths("/search/tv /tv/{tv_id}", f"/search/tv {_SEASON}"),
    83: _paths(f"/search/tv {_SEASON}"),
    87: _paths("/search/movie /movie/{movie_id} /company/{company_id}"),
    88: _paths("/search/movie"),
    89: (
        *_in_any_order(f"/search/tv {_SEASON}/credits", _MOVIE_DIRECTOR),
        *_in_any_order(f"/search/tv {_SEASON}", _MOVIE_DIRECTOR),
        *_in_any_order(f"/search/tv {_SEASON}/credits", f"/search/movie {_DETAILS}"),
        *_in_any_order(f"/search/tv {_SEASON}", f"/search/movie {_DETAILS}"),
    ),
    # The list has the names, so that nothing need be searched.
    91: _paths("/movie/top_rated"),
    96: _paths("/search/tv /tv/{tv_id}/credits", "/search/person /person/{person_id}/tv_credits"),
    97: (
        *_in_any_order(_MOVIE_DIRECTOR, "/search/tv /tv/{tv_id}/credits"),
        *_in_any_order(f"/search/movie {_DETAILS}", "/search/tv /tv/{tv_id}/credits"),
    ),
    99: _paths("/search/movie"),
}

# The details of a film come with its credits, keywords, reviews ... where those are asked for.
_WITH_DETAILS: Mapping[int, tuple[Path, ...]] = {
    **dict.fromkeys((1, 5, 7, 14, 20, 23, 29, 96), _paths(f"/search/movie {_DETAILS}")),
    **dict.fromkeys((33, 35, 38), _paths(f"/search/collection {_PARTS} {_DETAILS}")),
    **dict.fromkeys((84, 85, 90), _paths(f"/search/movie {_DETAILS} /person/{{person_id}}")),
    **dict.fromkeys((10, 24), _paths(f"/search/person {_FILMS} {_DETAILS}")),
    2: _paths(f"/movie/top_rated {_DETAILS}"),
    13: _paths(f"{_TRENDING} {_DETAILS}"),
    25: _paths(f"/movie/latest {_DETAILS}"),
    27: _paths(f"/movie/popular {_DETAILS}"),
    28: _paths(f"/movie/popular {_DETAILS}"),
    43: _paths(f"/search/movie {_DETAILS} {_FILMS}"),
}

ALTERNATIVES: Mapping[int, tuple[Path, ...]] = {
    index: (*_SHORTER.get(index, ()), *_WITH_DETAILS.get(index, ()))
    for index in sorted({*_SHORTER, *_WITH_DETAILS})
}

UNSOUND_GOLD: Mapping[int, str] = {
    12: "Similar series are asked for, which have an operation of their own; the path recommends.",
    17: "The search has found the date already, so that the second call is needless.",
    22: "The credits have the date already, so that the third call is needless.",
    30: "The path has no call that finds the id of the company.",
    32: "The search has found the date already, so that the second call is needless.",
    70: "An episode is asked about; the path takes the cast of the whole series for its own.",
    76: "An episode is asked about; the path takes whoever directed in its season.",
    78: "One search finds both films; a second one with the same words is needless.",
    87: "A collection does not say who made it; one of its films must be asked between.",
    88: "Two films are compared, and the path looks up one; the dates are in the searches anyway.",
    92: "Two persons are compared, and the path looks up one.",
    93: "The path has no call that tells who the director is.",
    96: "A series is meant, and the path searches films; it is found there in this world as well.",
    97: "Ages are asked for, and the path fetches no birthday.",
}
