"""What queries are about: something searched by name, or something in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.tmdb.reach import Finding, Subject, called, name_in
from restwright_bench.tmdb import lists
from restwright_bench.tmdb.rows import Pictured
from restwright_bench.tmdb.tables import TmdbState

_LOOKED_UP: Mapping[str, Callable[[TmdbState, str], Pictured]] = {
    "movie": TmdbState.movie,
    "tv": TmdbState.series,
    "person": TmdbState.person,
    "collection": TmdbState.collection,
    "company": TmdbState.company,
}


def movie(title: str, *, asked: str = "") -> Subject:
    """A film by its title."""
    return _searched("movie", title, asked)


def series(name: str, *, asked: str = "") -> Subject:
    """A series by its name."""
    return _searched("tv", name, asked)


def person(name: str, *, asked: str = "") -> Subject:
    """A person by name."""
    return _searched("person", name, asked)


def collection(name: str) -> Subject:
    """A collection by its name, without that word."""
    return _searched("collection", f"{name} Collection", name)


def company(name: str, *, asked: str = "") -> Subject:
    """A company by its name."""
    return _searched("company", name, asked)


def _searched(kind: str, name: str, asked: str) -> Subject:
    def find() -> Finding:
        body = yield called(f"/search/{kind}", query=asked or name)
        return hit_in(body["results"], name)

    return Subject(rows=lambda state: (_LOOKED_UP[kind](state, name),), find=find)


def hit_in(results: Sequence[JsonObject], name: str) -> JsonObject:
    """The hit of exactly that name, else the first."""
    exact = (each for each in results if name_in(each).lower() == name.lower())
    return next(exact, None) or results[0]


Listed = Callable[[TmdbState], Sequence[Pictured]]


def first_of(template: str, listed: Listed, *values: Json) -> Subject:
    """The first of a list."""
    return Subject(rows=lambda state: (listed(state)[0],), find=lambda: _first(template, values))


def any_of(template: str, listed: Listed) -> Subject:
    """Whatever is in a list."""
    return Subject(rows=listed, find=lambda: _first(template, ()))


def _first(template: str, values: Sequence[Json]) -> Finding:
    body = yield called(template, *values)
    return body["results"][0]


def _latest() -> Finding:
    return (yield called("/movie/latest"))


_TRENDING = "/trending/{media_type}/{time_window}"

BEST_MOVIE = first_of("/movie/top_rated", lists.top_rated_movies)
BEST_SERIES = first_of("/tv/top_rated", lists.top_rated_series)
POPULAR_MOVIE = first_of("/movie/popular", lists.popular_movies)
POPULAR_SERIES = first_of("/tv/popular", lists.popular_series)
POPULAR_PERSON = first_of("/person/popular", lists.popular_persons)
LATEST_MOVIE = Subject(rows=lambda state: (lists.latest_movie(state),), find=_latest)
MOVIE_OF_TODAY = first_of(
    _TRENDING, lambda state: lists.trending_movies(state, "day"), "movie", "day"
)
SERIES_OF_TODAY = first_of(
    _TRENDING, lambda state: lists.trending_series(state, "day"), "tv", "day"
)
FIRST_ON_THE_AIR = first_of("/tv/on_the_air", lists.on_the_air)
ANY_ON_THE_AIR = any_of("/tv/on_the_air", lists.on_the_air)
ANY_IN_CINEMAS = any_of("/movie/now_playing", lists.now_playing)
