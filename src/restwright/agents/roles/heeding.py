"""
What becomes of a value whose code does not heed what the task says of some items.

Code that names the property is believed. Otherwise it is run over those items alone that the task
speaks of, and over the others. What is plainly right then takes the place of the value; of what is
in doubt the model is told, since a change may be made with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from restwright.agents.roles.coding import run_over
from restwright.agents.roles.failure import say
from restwright.agents.roles.said import (
    denies,
    is_denied,
    items_with,
    keys_for,
    only_with,
    said_values,
    without,
)
from restwright.agents.steps import ExtractionResult, Steps
from restwright.jsontypes import Json, is_object

_WHETHER = re.compile(r"(?i)^(?:is|are|was|were|do|does|did|has|have|can)\b|\b(?:whether|if)\b")


class Heeded(NamedTuple):
    """A value, and what speaks against it; empty where nothing does."""

    value: Json
    doubt: str = ""


class _Said(NamedTuple):
    """Values of some items under one property, which a task speaks of."""

    name: str
    values: tuple[str, ...]

    def told(self) -> str:
        return f"{self.name} {' and '.join(map(repr, self.values))}"


def heeded(code: str, body: Json, task: str, found: Json) -> Steps[Heeded]:
    """
    Hold `found`, which `code` took out of `body`, to what `task` says of some items.

    Returns:
        `found` where it heeds that or cannot be told, what takes its place, or a doubt.
    """
    pairs = tuple(said_values(body, task))
    if not pairs or _is_heeded(code, pairs, body):
        return Heeded(found)
    if denies(task):
        return (yield from _denied(code, body, task, found, pairs))
    said = _of_first(pairs)
    if _counts(found) or (isinstance(found, bool) and _WHETHER.search(task)):
        return Heeded(found)
    doubt = f"the task speaks of {said.told()}, which the code does not"
    if not _is_sure(pairs, said, body):
        only = yield from run_over(only_with(body, said.name, *said.values), code)
        return Heeded(found, "" if _gives(only, found) else doubt)
    yield say("note", doubt)
    return Heeded((yield from _among(code, body, found, said)))


def _is_heeded(code: str, pairs: Sequence[tuple[str, str]], body: Json) -> bool:
    """Whether code compares with one of the values, or names a property that may be meant."""
    if any(value.lower() in code.lower() for _, value in pairs):
        return True
    names = [key for pair in pairs for key in (pair[0], *keys_for(body, *pair))]
    return any(re.search(rf"([\"']){re.escape(name)}\1", code) for name in names)


def _of_first(pairs: Sequence[tuple[str, str]]) -> _Said:
    name = pairs[0][0]
    return _Said(name, tuple(value for each, value in pairs if each == name))


def _is_sure(pairs: Sequence[tuple[str, str]], said: _Said, body: Json) -> bool:
    """Whether no other property may be meant as well, or instead."""
    own = {value.lower() for value in said.values}
    names = {name for name, _ in pairs}
    beside = (key for value in said.values for key in keys_for(body, said.name, value))
    return all(value.lower() in own for _, value in pairs) and names.issuperset(beside)


def _counts(found: Json) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool)


def _denied(
    code: str, body: Json, task: str, found: Json, pairs: Sequence[tuple[str, str]]
) -> Steps[Heeded]:
    """What is found where the task leaves something out: nothing that has it."""
    left_out = [pair for pair in pairs if is_denied(task, pair[1])]
    if not left_out:
        return (yield from _mixed(code, body, found, _of_first(pairs)))
    said = _of_first(left_out)
    rest = yield from run_over(without(body, said.name, *said.values), code)
    if _gives(rest, found):
        return Heeded(found)
    doubt = f"the task leaves out what has {said.told()}, which the code does not"
    is_plain = len(pairs) == 1 and is_denied(task, pairs[0][1], at_end=True)
    if not is_plain or rest.error or rest.value in (None, [], {}, ""):
        return Heeded(found, doubt)
    yield say("note", doubt)
    return Heeded(rest.value)


def _mixed(code: str, body: Json, found: Json, said: _Said) -> Steps[Heeded]:
    """A doubt where some of what is found is what the task speaks of, and some is not."""
    only = yield from run_over(only_with(body, said.name, *said.values), code)
    if _counts(found) or _gives(only, found):
        return Heeded(found)
    rest = yield from run_over(without(body, said.name, *said.values), code)
    doubt = f"the task speaks of {said.told()}, which the code does not"
    return Heeded(found, "" if _gives(rest, found) else doubt)


def _among(code: str, body: Json, found: Json, said: _Said) -> Steps[Json]:
    """What the code finds among those that the task speaks of; all of them where it finds none."""
    only = yield from run_over(only_with(body, said.name, *said.values), code)
    if not only.error and only.value not in (None, [], {}, "", found):
        return only.value
    is_one = is_object(found) and found.get(said.name) in said.values
    if is_one or (_gives(only, found) and (yield from _needs(code, body, found, said))):
        return found
    return items_with(body, said.name, *said.values)


def _needs(code: str, body: Json, found: Json, said: _Said) -> Steps[bool]:
    """Whether the code finds the same no more where what the task speaks of is taken away."""
    rest = yield from run_over(without(body, said.name, *said.values), code)
    return not _gives(rest, found)


def _gives(extracted: ExtractionResult, found: Json) -> bool:
    return not extracted.error and extracted.value == found
