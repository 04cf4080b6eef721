"""Draws who did what in the films."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.draw import Draw
from restwright_bench.tmdb.draw_movies import Plan
from restwright_bench.tmdb.draw_people import People
from restwright_bench.tmdb.rows import Credit, Movie, Person
from restwright_bench.tmdb.tables import DIRECTOR

CAST = (4, 7)
MORE_FILMS = (2, 4)

Directing = Mapping[str, Person]
"""`{title: who directed it}`."""


def directing(draw: Draw, told: Plan, people: People) -> Directing:
    """Decide who directed which film; everybody whom a query names has the films it needs."""
    free = draw.random.sample(told.settled, len(told.settled))
    found: dict[str, Person] = {}
    for name, count in _counts(draw).items():
        for _ in range(count):
            found[free.pop()] = people.named[name]
    found[told.upcoming[0]] = people.named[core.STILL_AT_WORK]
    busy = draw.random.choice(people.directors)
    found[core.MORE_BY_ITS_DIRECTOR] = busy
    for _ in range(draw.random.randint(*MORE_FILMS)):
        found[free.pop()] = busy
    for title in told.dates:
        found.setdefault(title, draw.random.choice(people.directors))
    return found


def _counts(draw: Draw) -> dict[str, int]:
    counts = {name: draw.random.randint(*between) for name, between in core.DIRECTS.items()}
    one, other = core.UNEQUAL
    while counts[one] == counts[other]:
        counts[other] = draw.random.randint(*core.DIRECTS[other])
    return counts


def in_films(draw: Draw, told: Plan, people: People) -> Mapping[str, list[Person]]:
    """Decide who plays in which film beside the invented actors: `{title: people}`."""
    found: dict[str, list[Person]] = {title: [] for title in told.dates}
    for name, between in core.ACTS.items():
        for title in draw.some(told.settled, *between):
            found[title].append(people.named[name])
    return found


def movie_credits(
    draw: Draw,
    movies: Sequence[Movie],
    people: People,
    *,
    directing: Directing,
    cast: Mapping[str, Sequence[Person]],
    whole_casts: Mapping[str, Sequence[Person]],
) -> Iterator[Credit]:
    """
    Draw the credits of all films.

    Args:
        cast: Who is in a film beside the invented actors.
        whole_casts: Films of which all the cast is decided, the lead first.
    """
    for movie in movies:
        several = whole_casts.get(movie.title) or mixed_cast(draw, people, cast[movie.title])
        for order, person in enumerate(several):
            yield as_cast(draw, movie.kind, movie.id, person, order)
        yield _crew(draw, movie, directing[movie.title], ("Directing", DIRECTOR))
        for part, person in zip(
            words.CREW, draw.random.sample(people.writers, len(words.CREW)), strict=True
        ):
            yield _crew(draw, movie, person, part)


def mixed_cast(draw: Draw, people: People, asked_for: Sequence[Person]) -> list[Person]:
    """Invented actors with those who are asked for among them, in any order."""
    several = [*draw.some(people.actors, *CAST), *asked_for]
    draw.random.shuffle(several)
    return several


def as_cast(draw: Draw, media: str, key: int, person: Person, order: int) -> Credit:
    """A part in a film or series."""
    return Credit(
        id=draw.hexadecimal(),
        person_id=person.id,
        media=media,
        media_id=key,
        role="cast",
        character=character(draw),
        order=order,
    )


def character(draw: Draw) -> str:
    """The name of a part."""
    return f"{draw.random.choice(words.FIRST_NAMES)} {draw.random.choice(words.NOUNS)}"


def _crew(draw: Draw, movie: Movie, person: Person, part: tuple[str, str]) -> Credit:
    department, job = part
    return Credit(
        id=draw.hexadecimal(),
        person_id=person.id,
        media=movie.kind,
        media_id=movie.id,
        role="crew",
        department=department,
        job=job,
    )
