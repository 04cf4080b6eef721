"""
How an oracle is put together: what a query is about, the steps from there, and the fact asked for.

Each part has two sides that never meet: what it is in the tables of the state, and the calls by
which it is found. Ids of calls come from answers to earlier calls alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.query import Answered, Oracle, Script, Scripted
from restwright_bench.tmdb.rows import Movie, Pictured
from restwright_bench.tmdb.tables import TmdbState

Finding: TypeAlias = Generator[Scripted, Json, JsonObject]
"""Makes calls and returns the record that was looked for."""

Spelled: TypeAlias = tuple[str, ...]
"""A fact in all spellings that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    From one thing to others, such as from a film to its lead.

    Args:
        rows: Those that count; more than one where the query asks for some or any.
        find: The calls from the record of the first to that of one of them.
    """

    rows: Callable[[TmdbState, Pictured], Sequence[Pictured]]
    find: Callable[[JsonObject], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a query is about: the rows that count, and the calls that find one of them."""

    rows: Callable[[TmdbState], Sequence[Pictured]]
    find: Callable[[], Finding]

    def then(self, *steps: Step) -> Subject:
        """What is reached from here."""
        if not steps:
            return self
        step, *others = steps

        def rows(state: TmdbState) -> Sequence[Pictured]:
            return [found for row in self.rows(state) for found in step.rows(state, row)]

        def find() -> Finding:
            return (yield from step.find((yield from self.find())))

        return Subject(rows=rows, find=find).then(*others)


def _nothing(_: TmdbState) -> Iterable[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """
    What is asked about a subject.

    Args:
        told: The facts in the state.
        ask: The calls from the record of the subject to an answer in words.
        is_any: One of the facts is enough.
        sayable: What might be said about anything of the kind; what of it is not true of the
            subject gives a wrong answer away, such as one that lists all there is.
    """

    told: Callable[[TmdbState, Pictured], Sequence[Spelled]]
    ask: Callable[[JsonObject], Script]
    is_any: bool = False
    sayable: Callable[[TmdbState], Iterable[str]] = _nothing

    def expected(self, state: TmdbState, rows: Sequence[Pictured]) -> Answered:
        """What an answer about those rows must say; about one of them where there are more."""
        facts = [tuple(self.told(state, row)) for row in rows]
        right = [each for several in facts for fact in several for each in fact]
        wrong = others(self.sayable(state), [*right, *map(named, rows)])
        if self.is_any:
            return Answered(any_of=sum(facts, ()), none_of=wrong)
        if len(facts) == 1:
            return Answered(all_of=facts[0], none_of=wrong)
        return Answered(one_of=tuple(Answered(all_of=each) for each in facts), none_of=wrong)


def named(row: Pictured) -> str:
    """The name of a row; films have titles."""
    return row.title if isinstance(row, Movie) else row.name


def others(names: Iterable[str], right: Iterable[str]) -> tuple[str, ...]:
    """Names that are not in anything that is right, not even as a part of it."""
    said = {each.lower() for each in right}
    return tuple(each for each in names if not any(each.lower() in one for one in said))


def both(one: Fact, other: Fact) -> Fact:
    """Two facts of which both are asked for; of the second, one is enough where it says so."""

    def ask(record: JsonObject) -> Script:
        first = yield from one.ask(record)
        return f"{first} {(yield from other.ask(record))}"

    def told(state: TmdbState, row: Pictured) -> Sequence[Spelled]:
        second = other.told(state, row)
        return [*one.told(state, row), *([sum(second, ())] if other.is_any else second)]

    return Fact(told=told, ask=ask, sayable=other.sayable)


def oracle(index: int, subject: Subject, fact: Fact) -> Oracle:
    """The oracle of a query that asks for a fact about a subject."""

    def expected(state: TmdbState) -> Answered:
        return fact.expected(state, subject.rows(state))

    def script(_: TmdbState) -> Script:
        return (yield from fact.ask((yield from subject.find())))

    return Oracle(index=index, expected=expected, script=script)


def called(template: str, *values: Json, **query: Json) -> Scripted:
    """A call, with the values of its placeholders in their order."""
    names = re.findall(r"\{([^{}]*)\}", template)
    path = dict(zip(names, values, strict=True))
    # `_` stands for the dot that no keyword of Python can have: `vote_average__gte`.
    asked = {name.replace("__", "."): value for name, value in query.items()}
    return Scripted(method="GET", template=template, path=path, query=asked)


def name_in(record: JsonObject) -> str:
    """The name of what a record is of; films have titles."""
    return str(record["title"] if "title" in record else record["name"])
