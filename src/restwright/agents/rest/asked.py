"""What is asked of a response, and what was made of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from restwright.agents.rest.facts import find_items
from restwright.agents.rest.provenance import find_named, normalize_text
from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    What is asked of a response.

    Args:
        what: In words, with what the plan says of it in fields.
        condition: The same without what says that it is asked for yes or no; empty if it is not.
        is_thing: It is asked for one thing, or for something of it.
        is_count: It is asked how many.
        is_part: Only a part of the response's list was read.
        deciding: What its condition may be for a change to be made.
        has_test: A condition says what is asked of a thing, and not only whether there is one.
        is_one: Of the things of a response one is asked for, which comes first in some order.
        is_single: One thing is asked for, whichever way it is told from others.
        period: The time that it speaks of, in the message's words.
        is_to_change: Something is done to what it gives.
        is_several: It is asked for several things, so that each that it names is one of them.
        applied: Names that the things of a response were chosen by, normalised.
        untested: Fields that its things are not chosen by: they are to get them.
        names_values: What it names may be what its things are to get.
    """

    what: str
    condition: str = ""
    is_thing: bool = False
    is_count: bool = False
    is_part: bool = False
    deciding: frozenset[bool] = frozenset()
    has_test: bool = False
    is_one: bool = False
    is_single: bool = False
    period: str = ""
    is_to_change: bool = False
    is_several: bool = False
    applied: frozenset[str] = frozenset()
    untested: frozenset[str] = frozenset()
    names_values: bool = False

    @property
    def is_condition(self) -> bool:
        """Whether it is asked for yes or no."""
        return bool(self.condition)

    def list_apart(self, around: Collection[str]) -> list[str]:
        """What it names and its things are not inside of, of which `around` has the names."""
        known = {*map(normalize_text, around)}
        return [name for name in find_named(self.what) if normalize_text(name) not in known]


@dataclass(frozen=True, slots=True)
class ReadCall:
    """
    The call that gave a response.

    Args:
        text: In words, with what its ids stand for.
        around: What its things are inside of, by its id and by its name.
        given: All that it was made with: what was read by it has that, which is no condition.
    """

    text: str
    around: Sequence[str]
    given: Sequence[str]


@dataclass(frozen=True, slots=True)
class Parsed:
    """
    What code made of a response.

    Args:
        value: None where the response does not hold it; an empty list where none fits.
        keys: The properties that were read.
        items: The things that the value consists of, where that is known.
        notes: What the model took for granted: which days a time is.
        absent: What was looked for and stands nowhere in the things; empty for nothing.
        to_get: What is named and no thing has, normalised: things were not chosen by it.
    """

    value: Json
    keys: frozenset[str] = frozenset()
    items: tuple[JsonObject, ...] | None = None
    notes: tuple[str, ...] = ()
    absent: str = ""
    to_get: frozenset[str] = frozenset()

    def things_of(self, body: Json) -> tuple[JsonObject, ...]:
        """The things of a response that the value consists of, or was taken from."""
        return find_items(body, self.value) if self.items is None else self.items
