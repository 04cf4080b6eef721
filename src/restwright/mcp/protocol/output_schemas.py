"""What a tool says of its results: nothing, the names of what may be there, or all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from restwright.calls.arguments.validator import validator_for
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.text.prose import shorten_text, to_one_line
from restwright.tools.tool import Tool

OutputStyle = Literal["off", "loose", "exact"]
"""
`off` says nothing, and results are content alone, which contradicts no schema. `loose` names what
an object may have. `exact` is the document's word: clients refuse what is not as it says, so that a
result that is not becomes an error with the whole of the data.
"""

RESULT = "result"
"""The member under which a value stands that is no object: older clients take objects alone."""
_MAX_DESCRIPTION = 200
_MAX_HOPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """
    The schema of a tool's structured results, an object.

    Args:
        is_wrapped: Whether the value stands under `result`, be it an object or not.
        is_exact: Whether a value may fail to fit.
    """

    schema: JsonObject = field(repr=False)
    is_wrapped: bool
    is_exact: bool

    def structure(self, value: Json) -> JsonObject:
        """A value as a structured result."""
        return {RESULT: value} if self.is_wrapped or not is_object(value) else value

    def fits(self, structured: JsonObject) -> bool:
        """Whether clients will take a structured result."""
        return not self.is_exact or validator_for(self.schema).validator.is_valid(structured)


def make_output_schema(tool: Tool, style: OutputStyle) -> OutputSchema | None:
    """What a tool says of its results; None for nothing."""
    if style == "off" or not is_object(tool.output):
        return None
    is_wrapped = _resolve(tool.output).get("type") != "object"
    make = _name_members if style == "loose" else _repeat_schema
    schema = make(tool.output, is_wrapped=is_wrapped)
    return OutputSchema(schema=schema, is_wrapped=is_wrapped, is_exact=style == "exact")


def _repeat_schema(output: JsonObject, *, is_wrapped: bool) -> JsonObject:
    if not is_wrapped:
        return {"type": "object", **output}
    own = {key: each for key, each in output.items() if key != "$defs"}
    definitions: JsonObject = {"$defs": output["$defs"]} if "$defs" in output else {}
    properties: JsonObject = {RESULT: own}
    return {"type": "object", "properties": properties, "required": [RESULT], **definitions}


def _name_members(output: JsonObject, *, is_wrapped: bool) -> JsonObject:
    whole = _resolve(output)
    if is_wrapped:
        return {"type": "object", "properties": {RESULT: _describe(whole)}}
    properties = whole.get("properties")
    members = properties if is_object(properties) else {}
    described = {name: _describe(schema) for name, schema in members.items()}
    return {"type": "object", "properties": described}


def _describe(schema: Json) -> JsonObject:
    """The description of a schema alone, which any value fits."""
    text = schema.get("description") if is_object(schema) else None
    if not isinstance(text, str) or not text.strip():
        return {}
    return {"description": shorten_text(to_one_line(text), _MAX_DESCRIPTION)}


def _resolve(output: JsonObject) -> JsonObject:
    """The schema that the root's references lead to."""
    schema, definitions = output, output.get("$defs", {})
    for _ in range(_MAX_HOPS):
        ref = find_ref(schema)
        target = definitions.get(ref.rpartition("/")[2]) if ref else None
        if not is_object(target):
            return schema
        schema = target
    return schema
