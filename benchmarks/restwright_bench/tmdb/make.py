"""Makes the state of a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

from restwright_bench.tmdb import (
    core,
    draw_credits,
    draw_movies,
    draw_people,
    draw_series,
    draw_television,
    words,
)
from restwright_bench.tmdb.draw import Draw, collections, companies, named, networks, reviews
from restwright_bench.tmdb.draw_people import People
from restwright_bench.tmdb.draw_series import Schedule
from restwright_bench.tmdb.rows import Collection, Company, Credit, Movie, Named, Network, Series
from restwright_bench.tmdb.tables import TmdbState


class HasId(Protocol):
    """A row with an integer for its id."""

    @property
    def id(self) -> int:
        """The id."""
        ...


T = TypeVar("T", bound=HasId)


@dataclass(frozen=True, kw_only=True)
class _Small:
    movie_genres: Sequence[Named]
    series_genres: Sequence[Named]
    keywords: Sequence[Named]
    companies: Sequence[Company]
    networks: Sequence[Network]
    collections: Sequence[Collection]

    @classmethod
    def drawn(cls, draw: Draw) -> _Small:
        names = sorted({*words.MOVIE_GENRES, *words.SERIES_GENRES})
        genres = {each.name: each for each in named(draw, names)}
        return cls(
            movie_genres=[genres[each] for each in words.MOVIE_GENRES],
            series_genres=[genres[each] for each in words.SERIES_GENRES],
            keywords=named(draw, words.KEYWORDS),
            companies=companies(draw),
            networks=networks(draw),
            collections=collections(draw),
        )


# Nothing changes a state, so that a world that begins anew can have the same one.
@lru_cache(maxsize=4)
def make(seed: int) -> TmdbState:
    """Everything there is in the world of a seed; the same on every machine."""
    draw = Draw(seed)
    small, people = _Small.drawn(draw), draw_people.people(draw)
    told, aired = draw_movies.plan(draw), draw_series.schedule(draw)
    movies, series = _movies(draw, told, small), _series(draw, aired, small)
    directing = draw_credits.directing(draw, told, people)
    casts = draw_television.casts(draw, aired, people)
    people = _of_ages(draw, people, directing, casts)
    credits_ = _credits(draw, people, (told, movies, directing), (aired, series, casts))
    seasons = draw_series.seasons(draw, aired, series)
    episodes = draw_series.episodes(draw, aired, series)
    return TmdbState(
        seed=seed,
        movies=_by_id(movies),
        series_by_id=_by_id(series),
        seasons={(each.series_id, each.number): each for each in seasons},
        episodes={(each.series_id, each.season, each.number): each for each in episodes},
        persons=_by_id(people),
        credits={each.id: each for each in credits_},
        collections=_by_id(small.collections),
        companies=_by_id(small.companies),
        networks=_by_id(small.networks),
        movie_genres=_by_id(small.movie_genres),
        series_genres=_by_id(small.series_genres),
        keywords=_by_id(small.keywords),
        reviews={each.id: each for each in reviews(draw, [*movies, *series], people.actors)},
    )


def _movies(draw: Draw, told: draw_movies.Plan, small: _Small) -> list[Movie]:
    return draw_movies.movies(
        draw,
        told,
        genres=small.movie_genres,
        keywords=small.keywords,
        companies=small.companies,
        collections=small.collections,
    )


def _series(draw: Draw, aired: Schedule, small: _Small) -> list[Series]:
    return draw_series.series(
        draw,
        aired,
        genres=small.series_genres,
        keywords=small.keywords,
        companies=small.companies,
        networks=small.networks,
    )


def _of_ages(
    draw: Draw,
    people: People,
    directing: draw_credits.Directing,
    casts: draw_television.Casts,
) -> People:
    film, show = core.OLDER_OR_YOUNGER
    return draw_people.whole_years_apart(draw, people, directing[film].id, casts[show][0].id)


def _credits(
    draw: Draw,
    people: People,
    films: tuple[draw_movies.Plan, Sequence[Movie], draw_credits.Directing],
    shows: tuple[Schedule, Sequence[Series], draw_television.Casts],
) -> list[Credit]:
    told, movies, directing = films
    aired, series, casts = shows
    also = directing[core.ALSO_FOR_TELEVISION]
    return [
        *draw_credits.movie_credits(
            draw,
            movies,
            people,
            directing=directing,
            cast=draw_credits.in_films(draw, told, people),
            whole_casts={core.PERHAPS_IN[0]: casts[core.PERHAPS_IN[0]]},
        ),
        *draw_television.series_credits(
            draw,
            aired,
            series,
            people,
            casts=casts,
            directing=draw_television.directing(draw, aired, people, also),
        ),
    ]


def _by_id(rows: Iterable[T]) -> Mapping[int, T]:
    return {each.id: each for each in rows}
