"""
Films and series by what they are: each parameter of the document that filters, as a predicate.

Several values are joined by `,` (all of them) or `|` (any of them). Nobody shows anything by
subscription in this world, so that whoever asks for a watch provider finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from restwright.jsontypes import Json
from restwright_bench.tmdb import shapes, words
from restwright_bench.tmdb.releases import release_dates_of
from restwright_bench.tmdb.rows import Movie, Series, Title
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.exchange import Answer, Asked

THEATRICAL = 3
RUNNING, ENDED = 0, 3
SCRIPTED = 4
US = "US"

MovieFilter = Callable[[TmdbState, Movie, Json], bool]
SeriesFilter = Callable[[TmdbState, Series, Json], bool]


def holds(wanted: str, has: Collection[int]) -> bool:
    """Whether ids fit `1,2` (all of them) or `1|2` (any of them)."""
    joined, every = (",", all) if "," in wanted or "|" not in wanted else ("|", any)
    return every(each.strip().isdecimal() and int(each) in has for each in wanted.split(joined))


def lacks(unwanted: str, has: Collection[int]) -> bool:
    """Whether none of some ids is there."""
    several = unwanted.replace("|", ",").split(",")
    return not any(each.strip().isdecimal() and int(each) in has for each in several)


def _cast(state: TmdbState, title: Title) -> set[int]:
    return {each.person_id for each in state.cast_of(title)}


def _crew(state: TmdbState, title: Title) -> set[int]:
    return {each.person_id for each in state.crew_of(title)}


def _has_release_in(state: TmdbState, movie: Movie, country: str) -> bool:
    return any(each.country == country for each in release_dates_of(state, movie))


def _is_of_any_year(state: TmdbState, movie: Movie, year: int) -> bool:
    return any(each.date.startswith(str(year)) for each in release_dates_of(state, movie))


def _mark(certification: str) -> int:
    """Where a certification stands among those of the United States; -1 for another."""
    known = words.CERTIFICATIONS
    return known.index(certification) if certification in known else -1


def _is_in_air(state: TmdbState, series: Series, first: str, last: str) -> bool:
    return any(first <= each.air_date <= last for each in state.episodes_of(series))


COMMON: Mapping[str, Callable[[TmdbState, Title, Json], bool]] = {
    "vote_count.gte": lambda _, t, value: t.vote_count >= value,
    "vote_count.lte": lambda _, t, value: t.vote_count <= value,
    "vote_average.gte": lambda _, t, value: t.vote_average >= value,
    "vote_average.lte": lambda _, t, value: t.vote_average <= value,
    "with_runtime.gte": lambda _, t, value: t.runtime >= value,
    "with_runtime.lte": lambda _, t, value: t.runtime <= value,
    "with_original_language": lambda _, t, value: t.original_language in value.split("|"),
    "with_genres": lambda _, t, value: holds(value, t.genre_ids),
    "without_genres": lambda _, t, value: lacks(value, t.genre_ids),
    "with_keywords": lambda _, t, value: holds(value, t.keyword_ids),
    "without_keywords": lambda _, t, value: lacks(value, t.keyword_ids),
    "with_companies": lambda _, t, value: holds(value, t.company_ids),
    "without_companies": lambda _, t, value: lacks(value, t.company_ids),
    "with_watch_providers": lambda _, _title, _value: False,
    "with_watch_monetization_types": lambda _, _title, _value: False,
}
MOVIE_FILTERS: Mapping[str, MovieFilter] = {
    **COMMON,
    "region": _has_release_in,
    "year": _is_of_any_year,
    "primary_release_year": lambda _, m, value: m.release_date.startswith(str(value)),
    "primary_release_date.gte": lambda _, m, value: m.release_date >= value,
    "primary_release_date.lte": lambda _, m, value: m.release_date[: len(value)] <= value,
    "release_date.gte": lambda s, m, value: any(
        each.date >= value for each in release_dates_of(s, m)
    ),
    "release_date.lte": lambda s, m, value: any(
        each.date[: len(value)] <= value for each in release_dates_of(s, m)
    ),
    "certification_country": lambda _, _m, value: value == US,
    "certification": lambda _, m, value: m.certification in value.split("|"),
    "certification.gte": lambda _, m, value: _mark(m.certification) >= _mark(value) >= 0,
    "certification.lte": lambda _, m, value: _mark(m.certification) <= _mark(value),
    "with_release_type": lambda _, _m, value: value == THEATRICAL,
    "with_cast": lambda s, m, value: holds(value, _cast(s, m)),
    "with_crew": lambda s, m, value: holds(value, _crew(s, m)),
    "with_people": lambda s, m, value: holds(value, _cast(s, m) | _crew(s, m)),
}
SERIES_FILTERS: Mapping[str, SeriesFilter] = {
    **COMMON,
    "first_air_date.gte": lambda _, t, value: t.first_air_date >= value,
    "first_air_date.lte": lambda _, t, value: t.first_air_date[: len(value)] <= value,
    "first_air_date_year": lambda _, t, value: t.first_air_date.startswith(str(value)),
    "with_networks": lambda _, t, value: holds(value, t.network_ids),
    "with_status": lambda _, t, value: int(value) == (RUNNING if t.is_running else ENDED),
    "with_type": lambda _, _t, value: int(value) == SCRIPTED,
    "screened_theatrically": lambda _, _t, value: not value,
}
AIR_DATES = ("air_date.gte", "air_date.lte")
FIRST_DAY, LAST_DAY = "0000-00-00", "9999-99-99"

POPULAR = "popularity"
MOVIE_ORDERS: Mapping[str, Callable[[Movie], Json]] = {
    POPULAR: lambda movie: movie.popularity,
    "release_date": lambda movie: movie.release_date,
    "primary_release_date": lambda movie: movie.release_date,
    "revenue": lambda movie: movie.revenue,
    "original_title": lambda movie: movie.original_title,
    "vote_average": lambda movie: movie.vote_average,
    "vote_count": lambda movie: movie.vote_count,
}
SERIES_ORDERS: Mapping[str, Callable[[Series], Json]] = {
    POPULAR: lambda series: series.popularity,
    "first_air_date": lambda series: series.first_air_date,
    "vote_average": lambda series: series.vote_average,
}


def discover_movies(state: TmdbState, asked: Asked) -> Answer:
    """Films that all the filters of a request let through."""
    wanted = _given(asked, MOVIE_FILTERS)
    found = [
        each
        for each in state.movies.values()
        if all(MOVIE_FILTERS[name](state, each, value) for name, value in wanted.items())
    ]
    order, is_descending = _order(asked)
    found.sort(key=MOVIE_ORDERS[order], reverse=is_descending)
    return _answer(found, asked)


def discover_series(state: TmdbState, asked: Asked) -> Answer:
    """Series that all the filters of a request let through."""
    wanted = _given(asked, SERIES_FILTERS)
    first, last = AIR_DATES
    between = (asked.query.get(first) or FIRST_DAY, asked.query.get(last) or LAST_DAY)
    found = [
        each
        for each in state.series_by_id.values()
        if all(SERIES_FILTERS[name](state, each, value) for name, value in wanted.items())
        and _is_in_air(state, each, *between)
    ]
    order, is_descending = _order(asked)
    found.sort(key=SERIES_ORDERS[order], reverse=is_descending)
    return _answer(found, asked)


def _given(asked: Asked, filters: Collection[str]) -> dict[str, Json]:
    """What is filtered by; an empty text is the same as none."""
    return {name: asked.query[name] for name in filters if asked.query.get(name) not in {None, ""}}


def _order(asked: Asked) -> tuple[str, bool]:
    name, _, direction = (asked.query.get("sort_by") or f"{POPULAR}.desc").partition(".")
    return name, direction == "desc"


def _answer(found: Sequence[Title], asked: Asked) -> Answer:
    rows: list[Json] = [shapes.title_in_list(each) for each in found]
    return Answer(body=shapes.paged(rows, asked.query["page"]))
