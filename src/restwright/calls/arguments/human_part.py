"""
The arguments of a call whose parts come from a model and from a human.

Each part is repaired and checked by itself, both are put together, and the whole is checked as
ever.
"""

from __future__ import annotations

from dataclasses import replace

from restwright.calls.arguments.check import check, check_value
from restwright.calls.arguments.repair import (
    RepairedArguments,
    hide_repair_values,
    repair_arguments,
)
from restwright.calls.human_paths import (
    HIDDEN_VALUE,
    MAX_DEPTH,
    ValuePath,
    find_foreign_paths,
    hide_value,
    schema_from_half,
)
from restwright.calls.mismatch import Mismatch, pointer_from_path
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.human_inputs import ArgumentHalf
from restwright.tools.tool import Tool

_EMPTY_HALF = ArgumentHalf({}, {"type": "object", "properties": {}, "additionalProperties": False})
_LEAVE_OUT = "leave it out"


def check_model_arguments(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """
    Return everything that is wrong with the model's part of the arguments; empty when all is well.

    A value for the human's part is a mismatch of its own, and is not said again. Where a tool is
    not separated, all arguments are the model's.
    """
    separated = tool.separated
    if separated is None:
        return check(tool, arguments)
    own, other = separated.model, separated.human or _EMPTY_HALF
    expected = "nothing here: a human fills this in"
    found = _check_part(arguments, own, other, expected)
    empty = _empty_parameters(tool, arguments) if found else frozenset[str]()
    return tuple(mismatch for mismatch in found if mismatch.pointer not in empty)


def check_human_arguments(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """As `check_model_arguments()`, for the human's part. No mismatch tells a given value."""
    separated = tool.separated
    own = (separated.human if separated else None) or _EMPTY_HALF
    other = separated.model if separated else ArgumentHalf(tool.shows, tool.checks)
    expected = "nothing here: the model fills this in"
    found, empty = _check_part(arguments, own, other, expected), _empty_parameters(tool, arguments)
    return tuple(hide_value(mismatch) for mismatch in found if mismatch.pointer not in empty)


def repair_model_arguments(tool: Tool, arguments: JsonObject) -> RepairedArguments:
    """
    As `repair_arguments()`, for the model's part of the arguments, before it is checked.

    What it says about the human's part stays, for `check_model_arguments()` to find.
    """
    separated = tool.separated
    return repair_arguments(tool, arguments, checks=separated.model.checks if separated else None)


def repair_human_arguments(tool: Tool, arguments: JsonObject) -> RepairedArguments:
    """As `repair_model_arguments()`, for the human's part. No repair tells a given value."""
    separated = tool.separated
    own = (separated.human if separated else None) or _EMPTY_HALF
    found = repair_arguments(tool, arguments, checks=own.checks)
    return replace(found, repairs=tuple(map(hide_repair_values, found.repairs)))


def assemble_arguments(tool: Tool, *, model: JsonObject, human: JsonObject) -> JsonObject:
    """
    The arguments of a call from their two parts.

    What `model` says about the human's part is not used, even where the human says nothing.
    """
    separated = tool.separated
    if separated is None or separated.human is None:
        return merge_arguments(model, human)
    places = find_foreign_paths(
        model, schema_from_half(separated.model), schema_from_half(separated.human)
    )
    return merge_arguments(_remove_paths(model, frozenset(places)), human)


def merge_arguments(model: JsonObject, human: JsonObject) -> JsonObject:
    """
    Put two parts of the arguments together: objects by key, arrays by index.

    Of two other values the human's counts, unless it is null.

    Source: `HttpLlm.mergeParameters` of `@samchon/openapi`.
    """
    return _merge_values(model, human)


def _merge_values(model: Json, human: Json) -> Json:
    if is_object(model) and is_object(human):
        both = {name: _merge_values(model[name], human[name]) for name in human if name in model}
        return {**model, **human, **both}
    if is_array(model) and is_array(human):
        both = [_merge_values(*pair) for pair in zip(model, human, strict=False)]
        return [*both, *model[len(human) :], *human[len(model) :]]
    return model if human is None else human


def _check_part(
    arguments: JsonObject, half: ArgumentHalf, other: ArgumentHalf, expected: str
) -> tuple[Mismatch, ...]:
    places = list(find_foreign_paths(arguments, schema_from_half(half), schema_from_half(other)))
    if not places:
        return check_value(half.checks, arguments)
    found = [
        Mismatch(pointer_from_path(place), expected, HIDDEN_VALUE, _LEAVE_OUT) for place in places
    ]
    rest = _remove_paths(arguments, frozenset(places))
    return (*found, *check_value(half.checks, rest))


def _empty_parameters(tool: Tool, arguments: JsonObject) -> frozenset[str]:
    """The query parameters that are empty and may be; what is read of them does not say so."""
    parameters = {
        parameter.name
        for parameter in tool.operation.parameters
        if parameter.location == "query"
        and parameter.allow_empty_value
        and not parameter.media_type
    }
    found: set[str] = set()
    for tool_input in tool.inputs:
        group = arguments.get(tool_input.group, {}) if tool_input.group else arguments
        is_empty = is_object(group) and group.get(tool_input.name) == ""
        if tool_input.location == "query" and tool_input.target in parameters and is_empty:
            found.add(pointer_from_path(filter(None, (tool_input.group, tool_input.name))))
    return frozenset(found)


def _remove_paths(value: Json, places: frozenset[ValuePath], path: ValuePath = ()) -> Json:
    """A copy of `value` that lacks `places`, which are properties."""
    if is_object(value) and len(path) <= MAX_DEPTH:
        kept = (key for key in value if (*path, key) not in places)
        return {key: _remove_paths(value[key], places, (*path, key)) for key in kept}
    if is_array(value) and len(path) <= MAX_DEPTH:
        return [_remove_paths(each, places, (*path, index)) for index, each in enumerate(value)]
    return value
