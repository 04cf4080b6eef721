"""
Which queries of RestBench were read while prompts were made, and which never are.

Two sets are compared: every fifth query from the first one, and those that are two places behind
them, which nobody reads; these have seeds of their own. What belongs to neither counts as read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from restwright.jsontypes import JsonObject
from restwright_bench.errors import UnusableChoice

QuerySet = Literal["read", "never read"]
READ: QuerySet = "read"
NEVER_READ: QuerySet = "never read"

EVERY = 5
FIRST_NEVER_READ = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """
    Each so manieth query, from one on.

    Args:
        seeds: That it is run with where none are named.
    """

    first: int = 0
    every: int = 1
    seeds: tuple[int, ...] = (0,)


ALL = Selection()
SETS: Mapping[str, Selection] = {
    "read": Selection(every=EVERY, seeds=(0, 1)),
    "never-read": Selection(first=FIRST_NEVER_READ, every=EVERY, seeds=(3, 4)),
}
"""By what `--set` takes."""


def selection_of(name: str | None, every: int = 1) -> Selection:
    """
    The queries that `--set`, or else `--every`, means.

    Raises:
        UnusableChoice: There is no such set, or both are given.
    """
    if name is None:
        return Selection(every=every)
    if name not in SETS:
        raise UnusableChoice("--set", f"there is {' and '.join(SETS)}; no {name}")
    if every != 1:
        raise UnusableChoice("--every", "leave it out beside --set, which says which queries")
    return SETS[name]


def set_of(index: int) -> QuerySet:
    """Whether the query at this place of the list may have been read."""
    return NEVER_READ if index % EVERY == FIRST_NEVER_READ else READ


def set_of_line(line: JsonObject) -> QuerySet:
    """The same of a result; those of before there were sets say nothing of it."""
    return line.get("set") or set_of(line["index"])
