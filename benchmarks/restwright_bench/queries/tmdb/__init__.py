"""
The oracles of the queries about films and series, by their index in the published list.

No words of the queries stand here; the tables say what each is about and what it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from restwright_bench.queries.query import Oracle, Script
from restwright_bench.queries.tmdb.alone import ALONE, Expecting, Scripting
from restwright_bench.queries.tmdb.films import FILMS
from restwright_bench.queries.tmdb.paths import ALTERNATIVES, UNSOUND_GOLD
from restwright_bench.queries.tmdb.people import PEOPLE
from restwright_bench.queries.tmdb.reach import oracle
from restwright_bench.queries.tmdb.shows import SHOWS
from restwright_bench.tmdb.tables import TmdbState


def oracles() -> tuple[Oracle, ...]:
    """One for each query, in their order."""
    found = (
        replace(
            each,
            alternatives=ALTERNATIVES.get(each.index, ()),
            unsound_gold=UNSOUND_GOLD.get(each.index, ""),
        )
        for each in _all()
    )
    return tuple(sorted(found, key=lambda each: each.index))


def _all() -> Iterator[Oracle]:
    for table in (FILMS, SHOWS, PEOPLE):
        for index, (subject, fact) in table.items():
            yield oracle(index, subject, fact)
    for index, (expecting, scripting) in ALONE.items():
        yield _alone(index, expecting, scripting)


def _alone(index: int, expecting: Expecting, scripting: Scripting) -> Oracle:
    def script(_: TmdbState) -> Script:
        return scripting()

    return Oracle(index=index, expected=expecting, script=script)
