"""
Things that a message calls by their names: searched for before a step speaks of them.

A name is all that a search needs, and all that code needs to know the thing by. So the model only
chooses among the operations that search; the steps after it choose among those that take the id of
what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TypeAlias

from restwright.agents.executor.executor import send
from restwright.agents.executor.filling import fill
from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import needs_id
from restwright.agents.memory.lookup import is_plainly
from restwright.agents.memory.memory import Source, label_of
from restwright.agents.memory.referring import Reference, has_inner, objects_in
from restwright.agents.memory.tool_inputs import properties_of, required_of, words_input
from restwright.agents.roles.caller import presentation
from restwright.agents.roles.failure import say
from restwright.agents.steps import Steps
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

Choose: TypeAlias = Callable[[Run, Sequence[Tool], str], Steps[Tool]]
"""Lets the model choose one of some operations for a task."""

# As many searches are made for one name.
_TRIES = 3

ALIKE = 0.85
"""Letters that are alike in a name which is only misspelt, of all."""

_ASKED = re.compile(r"(?i)(?:^|_)(?:q|query|search|keywords?|terms?|text|name|title|phrase)$")
_OWN = re.compile(r"(?i)/(?:me|my|self|users?/me)(?:/|$)")


def resolved(
    run: Run, reference: Reference, choose: Choose, *, alike: float = ALIKE
) -> Steps[Reference]:
    """
    What is called by a name, with the response that has it; as it was where none has.

    Args:
        alike: How much of the name must be as it was said; 1 for something to be changed.
    """
    if not reference.name or len(run.part(reads=True)) > _MOST:
        return reference
    searches = _lists(run, reference) if reference.is_own else _searches(run)
    if not searches:
        return reference
    first = searches[0]
    if len(searches) > 1 and not reference.is_own:
        first = yield from choose(run, searches, reference.text)
    others = [each for each in searches if each.name != first.name]
    for tool in (first, *others)[:_TRIES]:
        source = yield from _searched(run, tool, reference, alike)
        if source is not None:
            run.memory = run.memory.with_source(source)
            label = label_of(source.extracted)
            yield say("result", f"{reference.text}: {label}", value=source.extracted)
            # It is of another kind than was said.
            text = reference.text if tool is first else reference.name
            return replace(reference, text=text, sources=(source,), things=(source.extracted,))
    return reference


def _searches(run: Run) -> tuple[Tool, ...]:
    """The reads that need words to search for, and no id."""
    tools = run.in_order(run.part(reads=True).names)
    return tuple(each for each in tools if _is_search(each) and not needs_id(run, each))


def _is_search(tool: Tool) -> bool:
    return bool(_ASKED.search(words_input(tool)) or "search" in tool.operation.path.lower())


def _lists(run: Run, reference: Reference) -> tuple[Tool, ...]:
    """The reads that need nothing and list things of that kind, the user's own before others."""
    tools = [each for each in run.in_order(run.part(reads=True).names) if not required_of(each)]
    of_kind = [each for each in tools if reference.is_of(each.operation.path)]
    return tuple(sorted(of_kind, key=lambda each: not _OWN.search(each.operation.path)))


# Of a larger catalog not every operation is looked at.
_MOST = 200


def _searched(run: Run, tool: Tool, reference: Reference, alike: float) -> Steps[Source | None]:
    """Search for the name; the model only says what else the operation must be given."""
    wanted = words_input(tool)
    given: JsonObject = {wanted: reference.name} if wanted and not reference.is_own else {}
    names = tuple(each for each in required_of(tool) if each not in given)
    if names:
        text = reference.text
        reply = yield from fill(run, tool, text, names, {}, (), message=text)
        given |= {name: reply[name] for name in names}
    yield say("select", f"{run.short_name(tool)} to find {reference.text}", tool=tool.name)
    kinds = {name: every for name in names if (every := _kinds(tool, name))}
    for more in ({}, kinds) if kinds else ({},):
        arguments = repair_model_arguments(tool, {**presentation(tool), **given, **more}).arguments
        if check_model_arguments(tool, arguments):
            continue
        result = yield from send(run, tool, arguments)
        found = _called(result.value, reference, alike) if result.ok else None
        if found is not None:
            return Source(tool=tool.name, arguments=arguments, body=result.value, extracted=found)
    return None


def _kinds(tool: Tool, name: str) -> list[Json]:
    """All that an input takes, where it is a list of kinds of things; else nothing."""
    schema = properties_of(tool)[name]
    items = schema.get("items") if is_object(schema) else None
    return list(items.get("enum", ())) if is_object(items) else []


def _called(body: Json, reference: Reference, alike: float) -> JsonObject | None:
    """
    The object with the name: the first that is called just so, else the first of those that have
    the name whole, else one that is misspelt.

    Searches give the likeliest first.
    """
    objects = [(label_of(each), each) for each in objects_in(body)]
    name = reference.name.lower()
    same = [pair for pair in objects if pair[0] and _is_same(pair[0], reference)]
    same = [pair for pair in same if pair[0].lower() == name] or same
    if same or alike == 1:
        return _own(same[0][1]) if same else None
    plain = [pair for pair in objects if pair[0] and _is_meant(pair[0], reference)]
    if plain:
        length = max(len(label) for label, _ in plain)
        return next(_own(each) for label, each in plain if len(label) == length)
    close = (each for label, each in objects if _is_close(label.lower(), name, alike))
    found = next(close, None)
    return None if found is None else _own(found)


def _is_same(label: str, reference: Reference) -> bool:
    """Whether a thing is called by the name, but for its kind; and by no other form of a word."""
    told, wanted = (_words_beside(reference.thing, text) for text in (label, reference.name))
    return label.lower() == reference.name.lower() or (bool(wanted) and told == wanted)


def _words_beside(thing: str, text: str) -> list[str]:
    kind = frozenset(split_words(thing))
    words = re.findall(r"\w+", text.lower())
    return [each for each in words if not kind.intersection(split_words(each))]


def _is_meant(label: str, reference: Reference) -> bool:
    """Whether a thing has the name, or the name and its kind: `Blue Collection`."""
    kind = frozenset(split_words(reference.thing))
    told, wanted = (
        [each for each in split_words(text) if each not in kind] for text in (label, reference.name)
    )
    return is_plainly(reference.text, label) or (bool(wanted) and told == wanted)


def _is_close(label: str, name: str, alike: float) -> bool:
    """Whether a name is only misspelt; with another number in it, it is of another thing."""
    most = 2 * min(len(label), len(name)) / max(1, len(label) + len(name))
    if most < alike or re.findall(r"\d+", label) != re.findall(r"\d+", name):
        return False
    return SequenceMatcher(None, label, name).ratio() >= alike


def _own(thing: JsonObject) -> JsonObject:
    """What is said of a thing itself, and not of others in it."""
    return {key: value for key, value in thing.items() if not has_inner(value)}
