"""Answers that are lists: popular, rated, trending, genres, and what a search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from restwright.jsontypes import Json, JsonObject
from restwright_bench.tmdb import lists, search, shapes
from restwright_bench.tmdb.releases import release_dates_of
from restwright_bench.tmdb.rows import Collection, Company, Movie, Named, Person, Series
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.exchange import Answer, Asked, Handler

YEAR_DIGITS = 4
ALL_TOGETHER = "all"


def _movies(of: Callable[[TmdbState], list[Movie]]) -> Handler:
    def answer(state: TmdbState, asked: Asked) -> Answer:
        found = _in_region(state, of(state), asked.query.get("region"))
        rows: list[Json] = [shapes.movie_in_list(each) for each in found]
        return Answer(body=shapes.paged(rows, asked.query["page"]))

    return answer


def _in_region(state: TmdbState, movies: Sequence[Movie], region: str | None) -> Sequence[Movie]:
    """Those that come out in a country; all where none is given."""
    if not region:
        return movies
    return [
        each
        for each in movies
        if any(one.country == region for one in release_dates_of(state, each))
    ]


def _dated(of: Callable[[TmdbState], list[Movie]], first: int, last: int) -> Handler:
    plain = _movies(of)
    dates = {"minimum": lists.day(first), "maximum": lists.day(last)}

    def answer(state: TmdbState, asked: Asked) -> Answer:
        return Answer(body={**plain(state, asked).body, "dates": dates})

    return answer


def _series(of: Callable[[TmdbState], list[Series]]) -> Handler:
    def answer(state: TmdbState, asked: Asked) -> Answer:
        rows: list[Json] = [shapes.series_in_list(each) for each in of(state)]
        return Answer(body=shapes.paged(rows, asked.query["page"]))

    return answer


def _persons(state: TmdbState, asked: Asked) -> Answer:
    return Answer(body=_paged_persons(state, lists.popular_persons(state), asked))


def _paged_persons(state: TmdbState, persons: Sequence[Person], asked: Asked) -> JsonObject:
    body = shapes.paged([each.id for each in persons], asked.query["page"])
    shown = [shapes.person_in_list(state, state.persons[each]) for each in body["results"]]
    return {**body, "results": shown}


def _genres(of: Callable[[TmdbState], Mapping[int, Named]]) -> Handler:
    def answer(state: TmdbState, _asked: Asked) -> Answer:
        return Answer(body={"genres": shapes.names(list(of(state).values()))})

    return answer


# Trends


def _trending(state: TmdbState, asked: Asked) -> Answer:
    kind, window = asked.path["media_type"], asked.path["time_window"]
    if kind == ALL_TOGETHER:
        several = [_trend(state, each, window) for each in TRENDS]
        # Each kind has its own ranks: the firsts of all kinds, then the seconds.
        rows: list[Json] = [each for rank in zip(*several, strict=False) for each in rank]
    else:
        rows = list(_trend(state, kind, window))
    # There is no parameter for a page, so there is one page.
    return Answer(body=shapes.paged(rows[: shapes.PAGE], 1))


def _trend(state: TmdbState, kind: str, window: str) -> Iterator[JsonObject]:
    ranked = TRENDS[kind](state, window)
    for row in ranked[: shapes.PAGE]:
        if isinstance(row, Person):
            yield {**shapes.person_in_list(state, row), "media_type": row.kind}
        else:
            yield shapes.with_media_type(row)


TRENDS: Mapping[str, Callable[[TmdbState, str], list[Movie] | list[Series] | list[Person]]] = {
    "movie": lists.trending_movies,
    "tv": lists.trending_series,
    "person": lists.trending_persons,
}

# Searches


def _search_movies(state: TmdbState, asked: Asked) -> Answer:
    found = find_movies(state, asked.query["query"])
    for name in ("year", "primary_release_year"):
        found = [m for m in found if _is_of_year(m.release_date, asked.query.get(name))]
    found = _in_region(state, found, asked.query.get("region"))
    rows: list[Json] = [shapes.movie_in_list(each) for each in found]
    return Answer(body=shapes.paged(rows, asked.query["page"]))


def _is_of_year(day: str, year: int | None) -> bool:
    return year is None or day[:YEAR_DIGITS] == str(year)


def _search_series(state: TmdbState, asked: Asked) -> Answer:
    year = asked.query.get("first_air_date_year")
    rows: list[Json] = [
        shapes.series_in_list(each)
        for each in find_series(state, asked.query["query"])
        if _is_of_year(each.first_air_date, year)
    ]
    return Answer(body=shapes.paged(rows, asked.query["page"]))


def _search_persons(state: TmdbState, asked: Asked) -> Answer:
    return Answer(body=_paged_persons(state, find_persons(state, asked.query["query"]), asked))


def _search_collections(state: TmdbState, asked: Asked) -> Answer:
    rows: list[Json] = [
        {
            "backdrop_path": each.backdrop_path,
            "id": each.id,
            "name": each.name,
            "poster_path": each.poster_path,
        }
        for each in find_collections(state, asked.query["query"])
    ]
    return Answer(body=shapes.paged(rows, asked.query["page"]))


def _search_companies(state: TmdbState, asked: Asked) -> Answer:
    rows: list[Json] = [
        {
            "id": each.id,
            "logo_path": each.logo_path,
            "name": each.name,
            "origin_country": each.origin_country,
        }
        for each in find_companies(state, asked.query["query"])
    ]
    return Answer(body=shapes.paged(rows, asked.query["page"]))


def find_movies(state: TmdbState, text: str) -> list[Movie]:
    """What `/search/movie` finds, in its order."""
    return search.found(
        state.movies.values(), text, name=lambda m: m.title, rank=lambda m: m.popularity
    )


def find_series(state: TmdbState, text: str) -> list[Series]:
    """What `/search/tv` finds, in its order."""
    return search.found(
        state.series_by_id.values(), text, name=lambda s: s.name, rank=lambda s: s.popularity
    )


def find_persons(state: TmdbState, text: str) -> list[Person]:
    """What `/search/person` finds, in its order."""
    return search.found(
        state.persons.values(), text, name=lambda p: p.name, rank=lambda p: p.popularity
    )


def find_collections(state: TmdbState, text: str) -> list[Collection]:
    """What `/search/collection` finds, in its order: that with the most popular film first."""
    best = {
        each.id: max(part.popularity for part in state.parts_of(each))
        for each in state.collections.values()
    }
    return search.found(
        state.collections.values(), text, name=lambda c: c.name, rank=lambda c: best[c.id]
    )


def find_companies(state: TmdbState, text: str) -> list[Company]:
    """What `/search/company` finds, in its order: the oldest first."""
    return search.found(
        state.companies.values(), text, name=lambda c: c.name, rank=lambda c: -c.founded
    )


LISTS: Mapping[str, Handler] = {
    "/movie/popular": _movies(lists.popular_movies),
    "/movie/top_rated": _movies(lists.top_rated_movies),
    "/movie/now_playing": _dated(lists.now_playing, -lists.NOW_PLAYING_DAYS, 0),
    "/movie/upcoming": _dated(lists.upcoming, 1, lists.UPCOMING_DAYS),
    "/tv/popular": _series(lists.popular_series),
    "/tv/top_rated": _series(lists.top_rated_series),
    "/tv/on_the_air": _series(lists.on_the_air),
    "/tv/airing_today": _series(lists.airing_today),
    "/person/popular": _persons,
    "/trending/{media_type}/{time_window}": _trending,
    "/genre/movie/list": _genres(lambda state: state.movie_genres),
    "/genre/tv/list": _genres(lambda state: state.series_genres),
    "/search/movie": _search_movies,
    "/search/tv": _search_series,
    "/search/person": _search_persons,
    "/search/collection": _search_collections,
    "/search/company": _search_companies,
}
