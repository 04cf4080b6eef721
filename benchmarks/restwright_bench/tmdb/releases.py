"""When a film comes out where; drawn from the seed and the film alone, so it needs no table."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from restwright_bench.tmdb import words
from restwright_bench.tmdb.rows import Movie, ReleaseDate
from restwright_bench.tmdb.tables import TmdbState

HOME = "US"
LATER_DAYS = 30


def release_dates_of(state: TmdbState, movie: Movie) -> tuple[ReleaseDate, ...]:
    """In each country once: first in the United States, elsewhere on the same day or later."""
    random = Random(f"tmdb-{state.seed}-releases-{movie.id}")
    others = [each for each in words.COUNTRIES if each != HOME]
    first = date.fromisoformat(movie.release_date)
    found = [(HOME, movie.release_date)]
    for country in random.sample(others, random.randint(1, 3)):
        later = first + timedelta(days=random.randint(0, LATER_DAYS))
        found.append((country, later.isoformat()))
    return tuple(
        ReleaseDate(
            country=country,
            language=words.COUNTRIES[country][1],
            date=day,
            certification=movie.certification,
        )
        for country, day in found
    )
