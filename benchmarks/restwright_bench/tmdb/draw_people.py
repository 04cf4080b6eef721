"""Draws the people, and who did what in which film or series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.draw import Draw
from restwright_bench.tmdb.rows import Person

ACTORS = 66
DIRECTORS = 24
WRITERS = 14
BIRTHDAYS_OF_LEADS = (1950, 1999)


@dataclass(frozen=True, kw_only=True)
class People:
    """
    Everybody, by what they are there for.

    Args:
        named: Those whom queries name.
        actors: Invented, as `directors` and `writers` are.
    """

    named: Mapping[str, Person]
    actors: Sequence[Person]
    directors: Sequence[Person]
    writers: Sequence[Person]

    def __iter__(self) -> Iterator[Person]:
        yield from self.named.values()
        yield from (*self.actors, *self.directors, *self.writers)


def people(draw: Draw) -> People:
    """Draw everybody."""
    named = dict.fromkeys((*core.DIRECTS, *core.ACTS, *core.ACTS_IN_SERIES), "Acting")
    named |= dict.fromkeys(core.DIRECTS, "Directing")
    count = ACTORS + DIRECTORS + WRITERS
    invented = draw.random.sample(
        [f"{first} {last}" for first in words.FIRST_NAMES for last in words.LAST_NAMES], count
    )
    departments = ["Acting"] * ACTORS + ["Directing"] * DIRECTORS + ["Writing"] * WRITERS
    names = [*named.items(), *zip(invented, departments, strict=True)]
    popularity = draw.different(len(names), 2_000, 300_000)
    ranks = list(range(1, len(names) + 1))
    draw.random.shuffle(ranks)
    rows = [
        _person(draw, name, department, *each)
        for (name, department), each in zip(names, zip(popularity, ranks, strict=True), strict=True)
    ]
    first = len(named)
    return People(
        named={each.name: each for each in rows[:first]},
        actors=rows[first : first + ACTORS],
        directors=rows[first + ACTORS : first + ACTORS + DIRECTORS],
        writers=rows[first + ACTORS + DIRECTORS :],
    )


def _person(draw: Draw, name: str, department: str, popularity: float, daily: int) -> Person:
    birthday = draw.birthday()
    place = draw.random.choice(words.CITIES)
    trade = draw.random.choice(words.PROFESSIONS)
    return Person(
        id=draw.id(),
        name=name,
        birthday=birthday,
        place_of_birth=place,
        department=department,
        gender=draw.random.choice((1, 2)),
        biography=f"{name} was born in {place} and worked as a {trade} before anything else.",
        popularity=popularity,
        daily=daily,
        imdb_id=f"nm{draw.random.randint(1_000_000, 9_999_999)}",
        profile_path=draw.path(),
    )


def whole_years_apart(draw: Draw, people: People, one: int, other: int) -> People:
    """
    Two of them with birthdays between which there is one number of years, however it is counted:
    the older is born earlier in the year as well.

    Args:
        one, other: Their ids.
    """
    random = draw.random
    first, last = sorted(random.sample(range(*BIRTHDAYS_OF_LEADS), 2))
    early = f"{first}-{random.randint(1, 6):02}-{random.randint(1, 28):02}"
    late = f"{last}-{random.randint(7, 12):02}-{random.randint(1, 28):02}"
    pair = (early, late) if random.random() < 0.5 else (late, early)
    born = dict(zip((one, other), pair, strict=True))
    return People(
        named={each.name: _born(each, born) for each in people.named.values()},
        actors=[_born(each, born) for each in people.actors],
        directors=[_born(each, born) for each in people.directors],
        writers=people.writers,
    )


def _born(person: Person, born: Mapping[int, str]) -> Person:
    return replace(person, birthday=born.get(person.id, person.birthday))
