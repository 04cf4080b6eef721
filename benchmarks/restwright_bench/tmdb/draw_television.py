"""Draws who did what in the series, and in which of their episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.draw import Draw
from restwright_bench.tmdb.draw_credits import as_cast, character, mixed_cast
from restwright_bench.tmdb.draw_people import People
from restwright_bench.tmdb.draw_series import Schedule
from restwright_bench.tmdb.rows import Credit, Person, Series
from restwright_bench.tmdb.tables import DIRECTOR

DIRECTORS_A_SEASON = (1, 3)
GUESTS = (1, 2)
SHARE_WITH_GUESTS = 0.25
SERIES_BY_ONE = (2, 4)

Turns = dict[tuple[int, int], Person]
"""`{(season, episode): who directed it}`."""

Casts = Mapping[str, Sequence[Person]]
"""`{series name: its cast}`, the lead first."""


def casts(draw: Draw, told: Schedule, people: People) -> Casts:
    """Decide who is in which series, the lead first."""
    asked_for: dict[str, list[Person]] = {
        name: [people.named[each] for each in core.ALWAYS_IN.get(name, ())] for name in told
    }
    perhaps, who = core.PERHAPS_IN
    if draw.random.random() < 0.5:
        asked_for[perhaps].append(people.named[who])
    invented = _invented(told)
    for name, between in core.ACTS_IN_SERIES.items():
        for title in draw.some(invented, *between):
            asked_for[title].append(people.named[name])
    return {name: mixed_cast(draw, people, several) for name, several in asked_for.items()}


def directing(draw: Draw, told: Schedule, people: People, also: Person) -> Mapping[str, Turns]:
    """
    Decide who directed which episode.

    Args:
        also: Who has directed for television, in one place or another.
    """
    others = _but(people.directors, [also])
    found = {name: _turns(draw, told, name, others) for name in told}
    name, season = core.PERHAPS_THIS
    free = draw.random.sample(_invented(told), 1 + SERIES_BY_ONE[1])
    if draw.random.random() < 0.5:
        found[name] |= {each: also for each in found[name] if each[0] == season}
    else:
        _give_one(draw, found[free.pop()], also)
    for title in free[: draw.random.randint(*SERIES_BY_ONE)]:
        _give_one(draw, found[title], people.named[core.TELEVISION_DIRECTOR])
    return found


def _invented(told: Schedule) -> list[str]:
    return [each for each in told if each not in {*core.SERIES, *core.SERIES_DECOYS}]


def _turns(draw: Draw, told: Schedule, name: str, directors: Sequence[Person]) -> Turns:
    found: Turns = {}
    for season, aired in enumerate(told[name], start=1):
        count = core.DIRECTORS_IN.get((name, season)) or draw.random.randint(*DIRECTORS_A_SEASON)
        several = draw.random.sample(directors, count)
        order = [several[index % count] for index in range(len(aired.days))]
        draw.random.shuffle(order)
        found |= {(season, number): who for number, who in enumerate(order, start=1)}
    return found


def _give_one(draw: Draw, turns: Turns, person: Person) -> None:
    turns[draw.random.choice(list(turns))] = person


def series_credits(
    draw: Draw,
    told: Schedule,
    rows: Sequence[Series],
    people: People,
    *,
    casts: Casts,
    directing: Mapping[str, Turns],
) -> Iterator[Credit]:
    """Draw the credits of all series."""
    for row in rows:
        cast = casts[row.name]
        for order, person in enumerate(cast):
            yield as_cast(draw, row.kind, row.id, person, order)
        yield from _guests(draw, told, row, _but(people.actors, cast))
        for person, turns in _by_person(directing[row.name]):
            yield _crew(draw, row, person, ("Directing", DIRECTOR), turns)
        for part, person in zip(
            words.SERIES_CREW,
            draw.random.sample(people.writers, len(words.SERIES_CREW)),
            strict=True,
        ):
            yield _crew(draw, row, person, part, ())


def _by_person(turns: Turns) -> list[tuple[Person, tuple[tuple[int, int], ...]]]:
    found: defaultdict[Person, list[tuple[int, int]]] = defaultdict(list)
    for turn, person in turns.items():
        found[person].append(turn)
    return [(person, tuple(sorted(each))) for person, each in found.items()]


def _but(people: Sequence[Person], others: Sequence[Person]) -> list[Person]:
    """By id, as a row may have been drawn anew with another birthday."""
    known = {each.id for each in others}
    return [each for each in people if each.id not in known]


def _guests(draw: Draw, told: Schedule, row: Series, actors: Sequence[Person]) -> Iterator[Credit]:
    for season, aired in enumerate(told[row.name], start=1):
        for number in range(1, len(aired.days) + 1):
            is_asked_for = (row.name, season, number) in core.GUESTS_IN
            if not is_asked_for and draw.random.random() > SHARE_WITH_GUESTS:
                continue
            for order, person in enumerate(draw.some(actors, *GUESTS)):
                yield Credit(
                    id=draw.hexadecimal(),
                    person_id=person.id,
                    media=row.kind,
                    media_id=row.id,
                    role="guest",
                    character=character(draw),
                    order=100 + order,
                    episodes=((season, number),),
                )


def _crew(
    draw: Draw,
    row: Series,
    person: Person,
    part: tuple[str, str],
    episodes: tuple[tuple[int, int], ...],
) -> Credit:
    department, job = part
    return Credit(
        id=draw.hexadecimal(),
        person_id=person.id,
        media=row.kind,
        media_id=row.id,
        role="crew",
        department=department,
        job=job,
        episodes=episodes,
    )
