"""
The arguments of a call whose parts come from a model and from a human.

Each part is repaired and checked by itself, both are put together, and the whole is checked as
ever.
"""

from __future__ import annotations

from dataclasses import replace

from restwright.calls.arguments.check import check, check_value
from restwright.calls.arguments.repair import Repaired, repaired, without_values
from restwright.calls.human_paths import HIDDEN, MAX_DEPTH, Path, foreign, side_of, without_value
from restwright.calls.mismatch import Mismatch, pointer_to
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.human_inputs import Half
from restwright.tools.tool import Tool

_NOTHING = Half({}, {"type": "object", "properties": {}, "additionalProperties": False})
_LEAVE_OUT = "leave it out"


def check_model(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """
    Return everything that is wrong with the model's part of the arguments; empty when all is well.

    A value for the human's part is a mismatch of its own, and is not said again. Where a tool is
    not separated, all arguments are the model's.
    """
    separated = tool.separated
    if separated is None:
        return check(tool, arguments)
    own, other = separated.model, separated.human or _NOTHING
    expected = "nothing here: a human fills this in"
    found = _checked(arguments, own, other, expected)
    empty = _empty_ones(tool, arguments) if found else frozenset[str]()
    return tuple(each for each in found if each.pointer not in empty)


def check_human(tool: Tool, arguments: JsonObject) -> tuple[Mismatch, ...]:
    """As `check_model()`, for the human's part. No mismatch says a value that was given."""
    separated = tool.separated
    own = (separated.human if separated else None) or _NOTHING
    other = separated.model if separated else Half(tool.shows, tool.checks)
    expected = "nothing here: the model fills this in"
    found, empty = _checked(arguments, own, other, expected), _empty_ones(tool, arguments)
    return tuple(without_value(each) for each in found if each.pointer not in empty)


def repaired_model(tool: Tool, arguments: JsonObject) -> Repaired:
    """
    As `repaired()`, for the model's part of the arguments, before it is checked.

    What it says about the human's part stays, for `check_model()` to find.
    """
    separated = tool.separated
    return repaired(tool, arguments, checks=separated.model.checks if separated else None)


def repaired_human(tool: Tool, arguments: JsonObject) -> Repaired:
    """As `repaired_model()`, for the human's part. No repair says a value that was given."""
    separated = tool.separated
    own = (separated.human if separated else None) or _NOTHING
    found = repaired(tool, arguments, checks=own.checks)
    return replace(found, repairs=tuple(map(without_values, found.repairs)))


def put_together(tool: Tool, *, model: JsonObject, human: JsonObject) -> JsonObject:
    """
    The arguments of a call from their two parts.

    What `model` says about the human's part is not used, even where the human says nothing.
    """
    separated = tool.separated
    if separated is None or separated.human is None:
        return merge(model, human)
    places = foreign(model, side_of(separated.model), side_of(separated.human))
    return merge(_without(model, frozenset(places)), human)


def merge(model: JsonObject, human: JsonObject) -> JsonObject:
    """
    Put two parts of the arguments together: objects by key, arrays by index.

    Of two other values the human's counts, unless it is null.

    Source: `HttpLlm.mergeParameters` of `@samchon/openapi`.
    """
    return _merged(model, human)


def _merged(model: Json, human: Json) -> Json:
    if is_object(model) and is_object(human):
        both = {name: _merged(model[name], human[name]) for name in human if name in model}
        return {**model, **human, **both}
    if is_array(model) and is_array(human):
        both = [_merged(*pair) for pair in zip(model, human, strict=False)]
        return [*both, *model[len(human) :], *human[len(model) :]]
    return model if human is None else human


def _checked(arguments: JsonObject, own: Half, other: Half, expected: str) -> tuple[Mismatch, ...]:
    places = list(foreign(arguments, side_of(own), side_of(other)))
    if not places:
        return check_value(own.checks, arguments)
    found = [Mismatch(pointer_to(each), expected, HIDDEN, _LEAVE_OUT) for each in places]
    rest = _without(arguments, frozenset(places))
    return (*found, *check_value(own.checks, rest))


def _empty_ones(tool: Tool, arguments: JsonObject) -> frozenset[str]:
    """The query parameters that are empty and may be; what is read of them does not say so."""
    parameters = {
        each.name
        for each in tool.operation.parameters
        if each.location == "query" and each.allow_empty_value and not each.media_type
    }
    found: set[str] = set()
    for each in tool.inputs:
        group = arguments.get(each.group, {}) if each.group else arguments
        is_empty = is_object(group) and group.get(each.name) == ""
        if each.location == "query" and each.target in parameters and is_empty:
            found.add(pointer_to(filter(None, (each.group, each.name))))
    return frozenset(found)


def _without(value: Json, places: frozenset[Path], path: Path = ()) -> Json:
    """A copy of `value` that lacks `places`, which are properties."""
    if is_object(value) and len(path) <= MAX_DEPTH:
        kept = (key for key in value if (*path, key) not in places)
        return {key: _without(value[key], places, (*path, key)) for key in kept}
    if is_array(value) and len(path) <= MAX_DEPTH:
        return [_without(each, places, (*path, index)) for index, each in enumerate(value)]
    return value
