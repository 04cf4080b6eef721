"""What queries ask for: a name, a date, a place, pictures, reviews, keywords, titles alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Script
from restwright_bench.queries.tmdb.reach import Fact, Spelled, called, name_in
from restwright_bench.queries.tmdb.spelled import (
    distinct,
    linked,
    names,
    numbered,
    pictured,
    placed,
    retold,
    reviewed,
)
from restwright_bench.queries.tmdb.steps import (
    FILMS_OF,
    MOVIE_CREDITS,
    SERIES_CREDITS,
    SERIES_OF,
    directed_in,
)
from restwright_bench.tmdb import lists
from restwright_bench.tmdb.images import images_of
from restwright_bench.tmdb.rows import Pictured
from restwright_bench.tmdb.tables import TmdbState

Told = Callable[[TmdbState, Pictured], Sequence[Spelled]]
Said = Callable[[JsonObject], str]
LEAST_STARS = 2


def movie_titles(state: TmdbState) -> list[str]:
    """The titles of all films by which they are known."""
    return distinct(state.movies.values())


def series_names(state: TmdbState) -> list[str]:
    """The names of all series by which they are known."""
    return distinct(state.series_by_id.values())


def _known(told: Told, said: Said, *, is_any: bool = False) -> Fact:
    """A fact that the record has already."""

    def ask(record: JsonObject) -> Script:
        yield from ()
        return said(record)

    return Fact(told=told, ask=ask, is_any=is_any)


def _looked_up(
    template: str,
    told: Told,
    said: Said,
    *,
    is_any: bool = False,
    sayable: Callable[[TmdbState], Iterable[str]] | None = None,
) -> Fact:
    """A fact for which one more call is made, about the record."""

    def ask(record: JsonObject) -> Script:
        return said((yield called(template, *record.get("place", (record.get("id"),)))))

    fact = Fact(told=told, ask=ask, is_any=is_any)
    return replace(fact, sayable=sayable) if sayable else fact


def _text(key: str) -> Said:
    return lambda body: f"It is {body[key]}."


def _names(key: str) -> Said:
    return lambda body: ", ".join(name_in(each) for each in body[key][:20] or [body[key][0]])


def _column(name: str) -> Told:
    return lambda _, row: [(getattr(row, name),)]


# In the record.

NAME = _known(lambda _, row: names((row,)), lambda record: f"That is {name_in(record)}.")
RELEASED = _known(_column("release_date"), _text("release_date"))
ON_THE_AIR_NAME = replace(
    _known(lambda _, row: names((row,)), name_in, is_any=True),
    sayable=series_names,
)
KNOWN_FOR = _known(
    lambda state, row: names(lists.known_for(state, row)), _names("known_for"), is_any=True
)

# In the details.

BIRTHDAY = _looked_up("/person/{person_id}", _column("birthday"), _text("birthday"))
BIRTHPLACE = _looked_up(
    "/person/{person_id}", lambda _, row: [placed(row.place_of_birth)], _text("place_of_birth")
)
HEADQUARTERS = _looked_up(
    "/company/{company_id}", lambda _, row: [placed(row.headquarters)], _text("headquarters")
)
FOUNDED = _looked_up(
    "/company/{company_id}", lambda _, row: [(str(row.founded),)], _text("description")
)
FOUNDED_IN = _looked_up(
    "/company/{company_id}", lambda _, row: [placed(row.headquarters)], _text("description")
)
NETWORK_HOMEPAGE = _looked_up(
    "/network/{network_id}", lambda _, row: [linked(row.homepage)], _text("homepage")
)
SERIES_BEGAN = _looked_up("/tv/{tv_id}", _column("first_air_date"), _text("first_air_date"))
SERIES_CREATED = _looked_up(
    "/tv/{tv_id}",
    lambda _, row: [(row.first_air_date, row.first_air_date[:4])],
    _text("first_air_date"),
)
SEASON_COUNT = _looked_up(
    "/tv/{tv_id}",
    lambda state, row: [numbered(len(state.seasons_of(row)))],
    _text("number_of_seasons"),
)
EPISODE_COUNT = _looked_up(
    "/tv/{tv_id}",
    lambda state, row: [numbered(len(state.episodes_of(row)))],
    _text("number_of_episodes"),
)
MOVIE_GENRES = _looked_up(
    "/movie/{movie_id}", lambda state, row: names(state.genres_of(row)), _names("genres")
)
SERIES_GENRES = _looked_up(
    "/tv/{tv_id}", lambda state, row: names(state.genres_of(row)), _names("genres")
)
PARTS = _looked_up(
    "/collection/{collection_id}",
    lambda state, row: names(state.parts_of(row)),
    _names("parts"),
)
PART_DATES = _looked_up(
    "/collection/{collection_id}",
    lambda state, row: [(each.release_date,) for each in state.parts_of(row)],
    lambda body: ", ".join(f"{name_in(each)}: {each['release_date']}" for each in body["parts"]),
)
SEASON_AIRED = _looked_up(
    "/tv/{tv_id}/season/{season_number}", _column("air_date"), _text("air_date")
)

# Of an episode or a season.

EPISODE = "/tv/{tv_id}/season/{season_number}/episode/{episode_number}"
EPISODE_NAME = _looked_up(EPISODE, _column("name"), _text("name"))
EPISODE_STORY = _looked_up(EPISODE, lambda _, row: retold(row.overview), lambda b: b["overview"])
EPISODE_GUESTS = _looked_up(
    f"{EPISODE}/credits",
    lambda state, row: [
        (state.persons[each.person_id].name,)
        for each in state.guests_in(state.series_by_id[row.series_id], row.season, row.number)
    ],
    _names("guest_stars"),
)
EPISODE_DIRECTORS = _looked_up(
    f"{EPISODE}/credits",
    lambda state, row: names(
        state.directors_in(state.series_by_id[row.series_id], row.season, row.number)
    ),
    lambda body: ", ".join(map(name_in, directed_in(body["crew"]))),
)
SEASON_DIRECTORS = _looked_up(
    "/tv/{tv_id}/season/{season_number}/credits",
    lambda state, row: names(state.directors_in(state.series_by_id[row.series_id], row.number)),
    lambda body: ", ".join(map(name_in, directed_in(body["crew"]))),
)

# Lists of which one entry is enough.


def images(template: str, *kinds: str) -> Fact:
    """Pictures of some kinds, such as `poster`."""

    def told(state: TmdbState, row: Pictured) -> Sequence[Spelled]:
        return [each for kind in kinds for each in pictured(images_of(state, row, kind))]

    def said(body: JsonObject) -> str:
        first, *_ = [each for kind in kinds for each in body[f"{kind}s"]]
        return f"Here it is: {first['file_path']}"

    return _looked_up(template, told, said, is_any=True)


def _reviews(template: str) -> Fact:
    return _looked_up(
        template,
        lambda state, row: reviewed(state.reviews_of(row)),
        lambda body: f"{body['results'][0]['author']} wrote: {body['results'][0]['content']}",
        is_any=True,
    )


MOVIE_REVIEWS = _reviews("/movie/{movie_id}/reviews")
SERIES_REVIEWS = _reviews("/tv/{tv_id}/reviews")


def _keywords(template: str, key: str, *, is_any: bool) -> Fact:
    return _looked_up(
        template,
        lambda state, row: names(state.keywords_of(row)),
        _names(key),
        is_any=is_any,
        sayable=lambda state: [each.name for each in state.keywords.values()],
    )


MOVIE_KEYWORDS = _keywords("/movie/{movie_id}/keywords", "keywords", is_any=False)
SOME_MOVIE_KEYWORDS = _keywords("/movie/{movie_id}/keywords", "keywords", is_any=True)
SOME_SERIES_KEYWORDS = _keywords("/tv/{tv_id}/keywords", "results", is_any=True)


def _alike(
    template: str,
    sayable: Callable[[TmdbState], Iterable[str]],
    *listed: Callable[[TmdbState, Pictured], Sequence[Pictured]],
) -> Fact:
    return _looked_up(
        template,
        lambda state, row: [each for one in listed for each in names(one(state, row))],
        _names("results"),
        is_any=True,
        sayable=sayable,
    )


_SIMILAR_SERIES = "/tv/{tv_id}/similar"
RECOMMENDED_MOVIES = _alike("/movie/{movie_id}/recommendations", movie_titles, lists.recommended)
RECOMMENDED_SERIES = _alike("/tv/{tv_id}/recommendations", series_names, lists.recommended)
SIMILAR_SERIES = _alike(_SIMILAR_SERIES, series_names, lists.similar)
# Asked for by the one word, published with the other.
SERIES_LIKE_IT = _alike(_SIMILAR_SERIES, series_names, lists.similar, lists.recommended)

# Who and what belongs to it.


def _stars(template: str) -> Fact:
    # An answer need not name everybody; it cannot leave out those who are named first.
    def told(state: TmdbState, row: Pictured) -> Sequence[Spelled]:
        first = state.cast_of(row)[:LEAST_STARS]
        return names([state.persons[each.person_id] for each in first])

    return _looked_up(template, told, _names("cast"))


MOVIE_STARS = _stars(MOVIE_CREDITS)
SERIES_STARS = _stars(SERIES_CREDITS)
DIRECTED_SERIES = _looked_up(
    SERIES_OF,
    lambda state, row: names(state.series_directed_by(row)),
    lambda body: ", ".join(map(name_in, directed_in(body["crew"]))),
)
DIRECTED = _looked_up(
    FILMS_OF,
    lambda state, row: names(state.movies_directed_by(row)),
    lambda body: ", ".join(map(name_in, directed_in(body["crew"]))),
    is_any=True,
)
RELEASE_DATES = _looked_up(
    "/movie/{movie_id}/release_dates",
    _column("release_date"),
    lambda body: _in_the_states(body["results"]),
)


def _in_the_states(countries: Sequence[JsonObject]) -> str:
    dates = {each["iso_3166_1"]: each["release_dates"][0]["release_date"] for each in countries}
    return f"It comes out on {dates['US'][:10]}."
