"""
Things that a message calls by their names: searched for before a step speaks of them.

A name is all that a search needs, and all that code needs to know the thing by. So the model only
chooses among the operations that search; the steps after it choose among those that take the id of
what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TypeAlias

from restwright.agents.caller import presentation
from restwright.agents.executor import send
from restwright.agents.filling import fill
from restwright.agents.identifying import needs_id
from restwright.agents.inputs import required_of, words_input
from restwright.agents.lookup import is_plainly
from restwright.agents.memory import Source, label_of
from restwright.agents.outcome import say
from restwright.agents.referring import Reference
from restwright.agents.running import Run
from restwright.agents.steps import Steps
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

Choose: TypeAlias = Callable[[Run, Sequence[Tool], str], Steps[Tool]]
"""Lets the model choose one of some operations for a task."""

# As many searches are made for one name.
_TRIES = 3
# Letters that are alike in a name which is only misspelt, of all.
_ALIKE = 0.85


def resolved(run: Run, reference: Reference, choose: Choose) -> Steps[Reference]:
    """What is called by a name, with the response that has it; as it was where none has."""
    searches = _searches(run)
    if not searches or reference.sources or reference.is_own or not reference.name:
        return reference
    first = searches[0]
    if len(searches) > 1:
        first = yield from choose(run, searches, reference.text)
    others = [each for each in searches if each.name != first.name]
    for tool in (first, *others)[:_TRIES]:
        source = yield from _searched(run, tool, reference)
        if source is not None:
            run.memory = run.memory.with_source(source)
            label = label_of(source.extracted)
            yield say("result", f"{reference.text}: {label}", value=source.extracted)
            # It is of another kind than was said.
            text = reference.text if tool is first else reference.name
            return replace(reference, text=text, sources=(source,))
    return reference


def _searches(run: Run) -> tuple[Tool, ...]:
    """The reads that need words to search for, and no id."""
    part = run.part(reads=True)
    if len(part) > _MOST:
        return ()
    tools = run.in_order(part.names)
    return tuple(each for each in tools if words_input(each) and not needs_id(run, each))


# Of a larger catalog not every operation is looked at.
_MOST = 200


def _searched(run: Run, tool: Tool, reference: Reference) -> Steps[Source | None]:
    """Search for the name; the model only says what else the operation must be given."""
    given: JsonObject = {words_input(tool): reference.name}
    names = tuple(each for each in required_of(tool) if each not in given)
    if names:
        reply = yield from fill(run, tool, reference.text, names, {}, ())
        given |= {name: reply[name] for name in names}
    arguments = {**presentation(tool), **given}
    yield say("select", f"{run.short_name(tool)} to find {reference.text}", tool=tool.name)
    result = yield from send(run, tool, arguments)
    found = _called(result.value, reference) if result.ok else None
    if found is None:
        return None
    return Source(tool=tool.name, arguments=arguments, body=result.value, extracted=found)


def _called(body: Json, reference: Reference) -> JsonObject | None:
    """
    The object with the name: the first of those that have it whole, else one that is misspelt.

    Searches give the likeliest first.
    """
    objects = [(label_of(each), each) for each in _objects(body)]
    plain = [pair for pair in objects if pair[0] and is_plainly(reference.text, pair[0])]
    if plain:
        length = max(len(label) for label, _ in plain)
        return next(_own(each) for label, each in plain if len(label) == length)
    name = reference.name.lower()
    close = (each for label, each in objects if _is_close(label.lower(), name))
    found = next(close, None)
    return None if found is None else _own(found)


def _is_close(label: str, name: str) -> bool:
    return SequenceMatcher(None, label, name).ratio() >= _ALIKE


def _objects(body: Json) -> Iterator[JsonObject]:
    """The objects of a response, outer ones first."""
    level: list[Json] = [body]
    while level:
        yield from (each for each in level if is_object(each))
        inner = [each.values() if is_object(each) else each for each in level if _has_inner(each)]
        level = [each for values in inner for each in values]


def _has_inner(value: Json) -> bool:
    """Whether a value has values in it."""
    return is_object(value) or is_array(value)


def _own(thing: JsonObject) -> JsonObject:
    """What is said of a thing itself, and not of others in it."""
    return {key: value for key, value in thing.items() if not _has_inner(value)}
