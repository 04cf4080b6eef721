"""The ids that an operation needs: from the user's words, from earlier results, else looked up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from math import prod
from typing import TypeAlias

from restwright.agents.executor.addressing import referred
from restwright.agents.executor.looking_up import Use, look_up
from restwright.agents.executor.meaning import asked_of, is_for_all, meant_for, those_meant
from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import is_list_of_ids, listed
from restwright.agents.memory.memory import (
    MOST_OFFERED,
    Known,
    Memory,
    id_producers,
    mentioned,
    says_name_of,
    thing_of,
)
from restwright.agents.memory.tool_inputs import properties_of, required_of
from restwright.agents.roles.failure import Failure, say
from restwright.agents.steps import Steps
from restwright.jsontypes import Json, JsonObject, is_array
from restwright.tools.tool import Tool

AT_ONCE = 5
"""As many things may be meant where a read needs one id."""

MOST_WRITES = 20
"""As many things are changed by one step, each by a call of its own."""


def ids_for(
    run: Run, tool: Tool, task: str, use: Use, *, depth: int
) -> Steps[list[JsonObject] | Failure]:
    """
    Find the ids that `tool` requires: in the user's words, in the results, else by a look-up.

    Returns:
        The fixed arguments of each call to make: one, or several when a read is asked of several.
    """
    ways: list[tuple[JsonObject, ...]] = []
    for name in _to_find(run, tool):
        known = yield from _candidates(run, tool, name, task, use, depth=depth)
        if isinstance(known, Failure):
            return known
        known = yield from those_meant(run, tool, name, task, known)
        if isinstance(known, Failure):
            return known
        if is_list_of_ids(tool, name):
            known = (Known(listed(tool, name, [each.value for each in known]), ""),)
        ways.append(tuple({name: each.value} for each in known))
    found = yield from referred(run, tool, task, depth=depth)
    if isinstance(found, Failure):
        return found
    return (yield from _bounded(run, tool, [*ways, tuple(found)]))


def _bounded(
    run: Run, tool: Tool, ways: Sequence[Sequence[JsonObject]]
) -> Steps[list[JsonObject] | Failure]:
    """As many calls as a step makes: of a read the first few; of a write all, or none."""
    name, many = run.short_name(tool), prod(map(len, ways))
    # Of many things by many others not all are written out.
    every = ({key: value for each in way for key, value in each.items()} for way in product(*ways))
    if run.is_read(tool):
        if many > AT_ONCE:
            run.partly.add(tool.name)
            yield say("note", f"{name} is asked about {AT_ONCE} of {many:,} things only")
        return list(islice(every, AT_ONCE))
    if max(map(len, ways)) <= MOST_WRITES:
        pairs = _pairs(run, tool, ways)
        fitting = (each for each in every if _is_as_found(each, pairs))
        choices = list(islice(fitting, MOST_WRITES + 1))
        if not choices:
            return Failure(f"what {name} needs was not found of each other", final=True)
        if len(choices) <= MOST_WRITES:
            return choices
    why = f"{name} would be called {many:,} times; a step changes at most {MOST_WRITES} things"
    return Failure(why, final=True)


_Pairs: TypeAlias = dict[tuple[str, str], set[tuple[Json, Json]]]


def _pairs(run: Run, tool: Tool, ways: Sequence[Sequence[JsonObject]]) -> _Pairs:
    """
    Of several things that belong to several others, which was found with which.

    A comment that was read of one post is none of another post, though its number may be.
    """
    given = {
        key: [each[key] for each in way]
        for way in ways
        for key, value in way[0].items()
        if not is_array(value)
    }
    pairs: _Pairs = {}
    for outer, inner in permutations(given, 2):
        if len(given[outer]) == 1:
            continue
        asked = [each for each in run.memory.sources if each.arguments.get(outer) is not None]
        of: dict[str, list[Known]] = {}
        for each in asked:
            held = Memory(sources=(each,)).known(tool, inner, run.beside(tool))
            of.setdefault(str(each.arguments[outer]), []).extend(held)
        if all(of.get(str(each)) for each in given[outer]):
            pairs[outer, inner] = {
                (each, known.value) for each in given[outer] for known in of[str(each)]
            }
    return pairs


def _is_as_found(choice: JsonObject, pairs: _Pairs) -> bool:
    return all((choice[a], choice[b]) in seen for (a, b), seen in pairs.items())


def _to_find(run: Run, tool: Tool) -> Iterator[str]:
    """The ids that `tool` requires, and those that it takes of a kind that the step speaks of."""
    required = required_of(tool)
    for name in properties_of(tool):
        is_meant = name in required or any(each.is_of(thing_of(tool, name)) for each in run.about)
        if is_meant and id_producers(tool, name, run.beside(tool)):
            yield name


def _candidates(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    meant = meant_for(run, tool, name)
    is_all = is_for_all(run, tool, name, task, meant)
    # An id that the message has elsewhere is none of all that are meant.
    said = mentioned(tool, name, task if is_all else run.question)
    known = run.memory.known(tool, name, run.beside(tool))
    # What an earlier turn found is meant only where the task says its name.
    before = run.known_before(tool, name)
    named = tuple(each for each in (*known, *before) if says_name_of(each, task))
    if meant and not meant.sources:
        # Another thing that is known is not the one that is named here.
        named, known = meant.names((*known, *before)), ()
    elif meant:
        named = meant.known(tool, name, run.beside(tool))
        said = () if named and meant.is_many and not run.is_read(tool) else said
    elif is_all:
        # What happens to be known need not be all of them, nor of them at all.
        named, known = named if len(named) > 1 else (), ()
    if not (said or named or meant or run.is_read(tool)):
        known = asked_of(run, name, task) or known
    found = said or named or known
    # Of many, none of which the task names, none is guessed.
    is_each = meant is not None and meant.is_many
    is_guess = len(found) > MOST_OFFERED and not (is_each or run.is_read(tool))
    if found and not is_guess:
        return found
    return (yield from look_up(run, tool, name, task, use, depth=depth))
