"""Wrong arguments made of right ones, of the kinds that models make."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.tool import Tool

UNKNOWN = "verbosity_level"
NO_VALUE = "none_of_these"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupted:
    """
    Arguments with one thing wrong.

    Args:
        name: What feedback has to name: the argument as the tool calls it, or the one that is
            unknown to it.
    """

    arguments: JsonObject
    name: str


Corruption = Callable[[Tool, JsonObject], Corrupted | None]
"""None where the arguments have nothing of that kind in them."""


def number_as_text(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`7` becomes `"7"`."""
    return _first(tool, right, {"integer", "number"}, str)


def word_for_number(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`7` becomes `"the seventh"`."""
    return _first(tool, right, {"integer", "number"}, lambda _: "the seventh")


def truth_as_text(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`true` becomes `"True"`."""
    return _first(tool, right, {"boolean"}, str)


def list_for_scalar(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`7` becomes `[7]`."""
    return _first(tool, right, {"integer", "number", "string", "boolean"}, lambda each: [each])


def scalar_for_list(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`["a"]` becomes `"a"`; a list of several is left alone."""
    return _first(tool, right, {"array"}, lambda each: each[0] if len(each) == 1 else each)


def structure_as_text(tool: Tool, right: JsonObject) -> Corrupted | None:
    """A list or an object becomes its JSON text."""
    return _first(tool, right, {"array", "object"}, json.dumps)


def null_for_value(tool: Tool, right: JsonObject) -> Corrupted | None:
    """A required value becomes `null`."""
    required = {name: each for name, each in right.items() if name in tool.required}
    kinds = {"integer", "number", "string", "boolean", "array", "object"}
    return _first(tool, required, kinds, lambda _: None, whole=right)


def enum_in_other_case(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`album` becomes `ALBUM`, where the document lists the values."""
    return _of_enum(tool, right, lambda text: text.swapcase())


def enum_unknown(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`album` becomes a value that is not in the list."""
    return _of_enum(tool, right, lambda _: NO_VALUE)


def required_left_out(tool: Tool, right: JsonObject) -> Corrupted | None:
    """The first required argument is missing."""
    name = next((each for each in tool.required if each in right), None)
    if name is None:
        return None
    left = {key: each for key, each in right.items() if key != name}
    return Corrupted(arguments=left, name=name)


def unknown_added(_tool: Tool, right: JsonObject) -> Corrupted | None:
    """There is one argument more, which the tool does not have."""
    return Corrupted(arguments={**right, UNKNOWN: 1}, name=UNKNOWN)


def name_in_other_case(tool: Tool, right: JsonObject) -> Corrupted | None:
    """`person_id` becomes `personId`."""
    for name in right:
        other = re.sub(r"_(\w)", lambda found: found[1].upper(), name)
        if other != name and other not in tool.properties:
            renamed = {other if key == name else key: each for key, each in right.items()}
            return Corrupted(arguments=renamed, name=name)
    return None


CORRUPTIONS: Mapping[str, Corruption] = {
    "number as text": number_as_text,
    "word for a number": word_for_number,
    "truth value as text": truth_as_text,
    "list for a single value": list_for_scalar,
    "single value for a list": scalar_for_list,
    "structure as text": structure_as_text,
    "null for a value": null_for_value,
    "listed value in other case": enum_in_other_case,
    "value that is not listed": enum_unknown,
    "required one left out": required_left_out,
    "unknown one added": unknown_added,
    "name in other case": name_in_other_case,
}


def _first(
    tool: Tool,
    given: JsonObject,
    kinds: set[str],
    change: Callable[[Json], Json],
    *,
    whole: JsonObject | None = None,
) -> Corrupted | None:
    """The first argument of one of these kinds that `change` makes another, changed."""
    for name, value in given.items():
        if _kinds(tool, name) & kinds and (changed := change(value)) != value:
            return Corrupted(arguments={**(whole or given), name: changed}, name=name)
    return None


def _of_enum(tool: Tool, right: JsonObject, change: Callable[[str], str]) -> Corrupted | None:
    for name, value in right.items():
        listed = _schema(tool, name).get("enum")
        if listed and isinstance(value, str) and change(value) not in listed:
            return Corrupted(arguments={**right, name: change(value)}, name=name)
    return None


def _kinds(tool: Tool, name: str) -> set[str]:
    kind = _schema(tool, name).get("type", ())
    return {kind} if isinstance(kind, str) else set(kind)


def _schema(tool: Tool, name: str) -> JsonObject:
    return next((each for each in _followed(tool, tool.properties.get(name)) if each), {})


def _followed(tool: Tool, schema: Json) -> Iterator[JsonObject]:
    definitions: JsonObject = tool.checks.get("$defs", {})
    for _ in range(5):
        ref = find_ref(schema)
        if ref is None:
            break
        schema = definitions.get(ref.rpartition("/")[2])
    yield schema if is_object(schema) else {}
