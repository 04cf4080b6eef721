"""Lists over the tables: popular, rated, on the air, trending, alike; all in one order only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import TypeVar

from restwright_bench.tmdb.rows import Movie, Person, Series, Title
from restwright_bench.tmdb.tables import TODAY, TmdbState

# Fewer votes than these do not make a rating.
LEAST_VOTES = 200
NOW_PLAYING_DAYS = 42
UPCOMING_DAYS = 90
ON_THE_AIR_DAYS = 7
# Few enough that most titles are not like a given one.
MOST_ALIKE = 20
MOST_KNOWN_FOR = 3

T = TypeVar("T", Movie, Series, Title)
Row = TypeVar("Row", Movie, Series, Person)


def day(offset: int) -> str:
    """A day before (negative) or after today."""
    return (date.fromisoformat(TODAY) + timedelta(days=offset)).isoformat()


def popular_movies(state: TmdbState) -> list[Movie]:
    """All films, the most popular first; so do trends of the week."""
    return by_popularity(state.movies.values())


def popular_series(state: TmdbState) -> list[Series]:
    """All series, the most popular first; so do trends of the week."""
    return by_popularity(state.series_by_id.values())


def popular_persons(state: TmdbState) -> list[Person]:
    """All persons, the most popular first; so do trends of the week."""
    return sorted(state.persons.values(), key=lambda each: -each.popularity)


def top_rated_movies(state: TmdbState) -> list[Movie]:
    """Films with votes enough, the best first."""
    return _by_vote(state.movies.values())


def top_rated_series(state: TmdbState) -> list[Series]:
    """Series with votes enough, the best first."""
    return _by_vote(state.series_by_id.values())


def now_playing(state: TmdbState) -> list[Movie]:
    """Films released in the last weeks, the most popular first."""
    return _released(state, day(-NOW_PLAYING_DAYS), TODAY)


def upcoming(state: TmdbState) -> list[Movie]:
    """Films of the next months, the most popular first."""
    return _released(state, day(1), day(UPCOMING_DAYS))


def on_the_air(state: TmdbState) -> list[Series]:
    """Series with an episode today or in the next days, the most popular first."""
    return _aired(state, TODAY, day(ON_THE_AIR_DAYS - 1))


def airing_today(state: TmdbState) -> list[Series]:
    """Series with an episode today, the most popular first."""
    return _aired(state, TODAY, TODAY)


def latest_movie(state: TmdbState) -> Movie:
    """The film that was released last."""
    past = (each for each in state.movies.values() if each.release_date <= TODAY)
    return max(past, key=lambda each: each.release_date)


def latest_series(state: TmdbState) -> Series:
    """The series that began last."""
    return max(state.series_by_id.values(), key=lambda each: each.first_air_date)


def trending_movies(state: TmdbState, window: str) -> list[Movie]:
    """Films, today's trend first for `day`, the most popular first for `week`."""
    return _daily(state.movies.values()) if window == "day" else popular_movies(state)


def trending_series(state: TmdbState, window: str) -> list[Series]:
    """Series, in the same way."""
    return _daily(state.series_by_id.values()) if window == "day" else popular_series(state)


def trending_persons(state: TmdbState, window: str) -> list[Person]:
    """Persons, in the same way."""
    return _daily(state.persons.values()) if window == "day" else popular_persons(state)


def similar(state: TmdbState, title: T) -> list[T]:
    """Titles of the same kind with a genre or keyword in common, those with the most first."""
    shared = {
        each.id: len({*title.genre_ids, *title.keyword_ids} & {*each.genre_ids, *each.keyword_ids})
        for each in _of_its_kind(state, title)
    }
    found = [each for each in _of_its_kind(state, title) if each.id != title.id and shared[each.id]]
    return sorted(found, key=lambda each: (-shared[each.id], -each.popularity))[:MOST_ALIKE]


def recommended(state: TmdbState, title: T) -> list[T]:
    """Titles of the same kind with a genre in common, the best rated first."""
    wanted = set(title.genre_ids)
    found = [
        each
        for each in _of_its_kind(state, title)
        if each.id != title.id and wanted & set(each.genre_ids)
    ]
    return sorted(found, key=lambda each: -each.vote_average)[:MOST_ALIKE]


def known_for(state: TmdbState, person: Person) -> list[Title]:
    """The most popular titles that a person had a part in, three at most."""
    return by_popularity([*state.movies_of(person), *state.series_of(person)])[:MOST_KNOWN_FOR]


def by_popularity(titles: Iterable[T]) -> list[T]:
    """The most popular first."""
    return sorted(titles, key=lambda each: -each.popularity)


def _of_its_kind(state: TmdbState, title: T) -> Iterable[T]:
    return state.movies.values() if isinstance(title, Movie) else state.series_by_id.values()


def _by_vote(titles: Iterable[T]) -> list[T]:
    rated = [each for each in titles if each.vote_count >= LEAST_VOTES]
    return sorted(rated, key=lambda each: -each.vote_average)


def _daily(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda each: -each.daily)


def _released(state: TmdbState, first: str, last: str) -> list[Movie]:
    return by_popularity(m for m in state.movies.values() if first <= m.release_date <= last)


def _aired(state: TmdbState, first: str, last: str) -> list[Series]:
    return by_popularity(
        series
        for series in state.series_by_id.values()
        if any(first <= each.air_date <= last for each in state.episodes_of(series))
    )
