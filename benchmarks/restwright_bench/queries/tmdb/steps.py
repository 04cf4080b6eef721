"""The steps from one thing to another: to who made a film, to what somebody made, to a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.queries.tmdb.reach import Finding, Step, called
from restwright_bench.tmdb import lists
from restwright_bench.tmdb.rows import Movie, Person, Pictured, Series
from restwright_bench.tmdb.tables import DIRECTOR, TODAY, TmdbState

MOVIE_CREDITS = "/movie/{movie_id}/credits"
SERIES_CREDITS = "/tv/{tv_id}/credits"
FILMS_OF = "/person/{person_id}/movie_credits"
SERIES_OF = "/person/{person_id}/tv_credits"


def directed_in(crew: Sequence[JsonObject]) -> list[JsonObject]:
    """The entries about direction."""
    return [each for each in crew if each["job"] == DIRECTOR]


def _lead(template: str) -> Step:
    def find(title: JsonObject) -> Finding:
        body = yield called(template, title["id"])
        return min(body["cast"], key=lambda each: each["order"])

    return Step(rows=lambda state, title: (state.lead_of(title),), find=find)


def _director(movie: JsonObject) -> Finding:
    body = yield called(MOVIE_CREDITS, movie["id"])
    return directed_in(body["crew"])[0]


MOVIE_LEAD = _lead(MOVIE_CREDITS)
SERIES_LEAD = _lead(SERIES_CREDITS)
DIRECTOR_OF_IT = Step(rows=lambda state, movie: (state.director_of(movie),), find=_director)


def _greatest(
    template: str,
    part: str,
    key: str,
    listed: Callable[[TmdbState, Person], Sequence[Movie | Series]],
) -> Step:
    """Of the work of a person, that with the greatest of some value."""

    def find(person: JsonObject) -> Finding:
        body = yield called(template, person["id"])
        found = directed_in(body["crew"]) if part == "crew" else body[part]
        return max(found, key=lambda each: each[key])

    def rows(state: TmdbState, person: Pictured) -> Sequence[Pictured]:
        return (max(listed(state, person), key=lambda each: getattr(each, key)),)

    return Step(rows=rows, find=find)


LATEST_DIRECTED = _greatest(FILMS_OF, "crew", "release_date", TmdbState.movies_directed_by)
BEST_DIRECTED = _greatest(FILMS_OF, "crew", "vote_average", TmdbState.movies_directed_by)
LATEST_WITH = _greatest(FILMS_OF, "cast", "release_date", TmdbState.movies_acted_by)
LATEST_SERIES_DIRECTED = _greatest(
    SERIES_OF, "crew", "first_air_date", TmdbState.series_directed_by
)
LATEST_SERIES_WITH = _greatest(SERIES_OF, "cast", "first_air_date", TmdbState.series_acted_by)
POPULAR_SERIES_WITH = _greatest(SERIES_OF, "cast", "popularity", TmdbState.series_acted_by)


def _directed(person: JsonObject) -> Finding:
    body = yield called(FILMS_OF, person["id"])
    return directed_in(body["crew"])[0]


ANY_DIRECTED = Step(rows=TmdbState.movies_directed_by, find=_directed)


def _latest_in_either(person: JsonObject) -> Finding:
    body = yield called(FILMS_OF, person["id"])
    return max((*body["cast"], *body["crew"]), key=lambda each: each["release_date"])


def _still_to_come(state: TmdbState, person: Pictured) -> Sequence[Pictured]:
    return [each for each in state.movies_of(person) if each.release_date > TODAY][-1:]


LATEST_SCHEDULED = Step(rows=_still_to_come, find=_latest_in_either)


def _parts(collection: JsonObject) -> Finding:
    body = yield called("/collection/{collection_id}", collection["id"])
    return min(body["parts"], key=lambda each: each["release_date"])


ANY_PART = Step(rows=TmdbState.parts_of, find=_parts)
FIRST_PART = Step(rows=lambda state, row: state.parts_of(row)[:1], find=_parts)


def _similar(movie: JsonObject) -> Finding:
    body = yield called("/movie/{movie_id}/similar", movie["id"])
    return body["results"][0]


FIRST_SIMILAR = Step(rows=lambda state, movie: lists.similar(state, movie)[:1], find=_similar)


def _owner(template: str, key: str) -> Callable[[JsonObject], Finding]:
    def find(title: JsonObject) -> Finding:
        body = yield called(template, title["id"])
        return body[key][0]

    return find


def _network(state: TmdbState, series: Pictured) -> Sequence[Pictured]:
    return (state.network_of(series),)


MOVIE_COMPANY = Step(
    rows=TmdbState.companies_of, find=_owner("/movie/{movie_id}", "production_companies")
)
SERIES_COMPANY = Step(
    rows=TmdbState.companies_of, find=_owner("/tv/{tv_id}", "production_companies")
)
NETWORK = Step(rows=_network, find=_owner("/tv/{tv_id}", "networks"))


def season(number: int) -> Step:
    """A season of a series; it needs no call to be named."""

    def find(series: JsonObject) -> Finding:
        yield from ()
        return {"place": (series["id"], number)}

    return Step(rows=lambda state, row: (state.season(row, number),), find=find)


def episode(of_season: int, number: int) -> Step:
    """An episode of a series; it needs no call to be named."""

    def find(series: JsonObject) -> Finding:
        yield from ()
        return {"place": (series["id"], of_season, number)}

    return Step(rows=lambda state, row: (state.episode(row, of_season, number),), find=find)


def _lead_of_episode(place: JsonObject) -> Finding:
    body = yield called(
        "/tv/{tv_id}/season/{season_number}/episode/{episode_number}/credits", *place["place"]
    )
    return min(body["cast"], key=lambda each: each["order"])


# The cast of an episode is that of the series, beside its guests.
EPISODE_LEAD = Step(
    rows=lambda state, row: (state.lead_of(state.series_by_id[row.series_id]),),
    find=_lead_of_episode,
)
