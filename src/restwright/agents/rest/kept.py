"""What a change has to repeat of a thing, so that the thing loses nothing that nobody spoke of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from restwright.agents.execution.tool_inputs import required_of
from restwright.agents.rest.caller import FilledArguments, is_valid_input
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.tool import Input, Tool


def values_to_keep(tool: Tool, current: JsonObject, filled: FilledArguments) -> JsonObject:
    """
    What a write has to repeat of a thing: all that it does not change where it replaces the thing
    (RFC 9110, section 9.3.4), else what its body must have. Nothing else stands in the place of
    what the caller wrote, though that has no source.
    """
    replaces = _replaces(tool)
    return {
        field.name: current[field.target]
        for field in _properties(tool)
        if field.name not in filled.arguments
        and (replaces or field.name in required_of(tool))
        and current.get(field.target) is not None
        and filled.wanted.get(field.name) in (None, current[field.target])
        and is_valid_input(tool, field.name, current[field.target])
    }


def own_values(
    tool: Tool, filled: FilledArguments, first: JsonObject, item: JsonObject
) -> JsonObject:
    """What the caller repeats of the first thing, and nobody said: another thing has its own."""
    return {
        field.name: item[field.target]
        for field in tool.inputs
        if field.name in filled.arguments
        and filled.sources.get(field.name) != "said"
        and field.target in item
        and field.target in first
        and filled.arguments[field.name] == first[field.target]
    }


def with_kept(filled: FilledArguments, kept: JsonObject) -> FilledArguments:
    """What a caller has filled in, and what is to be repeated beside."""
    return replace(
        filled,
        arguments={**kept, **filled.arguments},
        sources={**filled.sources, **dict.fromkeys(kept, "found")},
        wanted={name: value for name, value in filled.wanted.items() if name not in kept},
    )


def is_sent(tool: Tool, thing: JsonObject) -> bool:
    """Whether a thing has a property that a write sends: it is in the form of its body."""
    return any(field.target in thing for field in _properties(tool))


def would_lose(tool: Tool, current: JsonObject, filled: FilledArguments) -> bool:
    """
    Whether a write replaces a thing by an object in an envelope of which nothing was read, so that
    nothing of the thing can be repeated.

    Args:
        current: The thing as it is; empty where that is not known.
    """
    is_wrapped = any(is_object(filled.arguments.get(one.name)) for one in _properties(tool))
    return _replaces(tool) and is_wrapped and bool(current) and not is_sent(tool, current)


def fill_up(tool: Tool, arguments: JsonObject, current: JsonObject) -> JsonObject:
    """Where a write replaces a thing, the objects that it gives with what they have beside."""
    given = [one for one in _properties(tool) if _replaces(tool) and one.name in arguments]
    return arguments | {
        field.name: _merged(
            arguments[field.name],
            current.get(field.target),
            partial(is_valid_input, tool, field.name),
        )
        for field in given
    }


def _merged(given: Json, current: Json, is_valid: Callable[[Json], bool]) -> Json:
    """A value with those members of what stands there that are valid, at any depth."""
    if not (is_object(given) and is_object(current)):
        return given
    merged = given
    for key, value in current.items():
        if key in given:
            inner = partial(_is_valid_inside, merged, key, is_valid)
            merged = {**merged, key: _merged(given[key], value, inner)}
        elif is_valid(fuller := {**merged, key: value}):
            merged = fuller
    return merged


def _is_valid_inside(
    around: JsonObject, key: str, is_valid: Callable[[Json], bool], value: Json
) -> bool:
    return is_valid({**around, key: value})


def _replaces(tool: Tool) -> bool:
    """Whether a write puts its body in the place of a thing (RFC 9110, section 9.3.4)."""
    return tool.operation.method.lower() == "put"


def _properties(tool: Tool) -> list[Input]:
    return [field for field in tool.inputs if field.location == "body_property"]
