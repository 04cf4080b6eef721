"""What the body of a write takes: its properties, and how arguments of a tool give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Input, Tool
from restwright_bench.any.locate import Place
from restwright_bench.any.resources import Resource
from restwright_bench.any.schemas import Schema, flatten


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyShape:
    """
    The properties of a body.

    Args:
        place: Where they are in the body: `("data",)` where an object is put around them.
        inputs: `{property: name of the tool's input}`; empty where `whole` takes all of them.
        whole: The input that takes the body, or the object in it.
        properties: `{property: schema}`; `required` names those that must be given.
        beside: Inputs of the body that are required beside `whole`.
    """

    place: Place = ()
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    whole: str = ""
    properties: Mapping[str, Schema] = field(default_factory=dict[str, Schema], repr=False)
    required: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def arguments(self, values: Mapping[str, Json]) -> JsonObject:
        """The arguments that send these values."""
        if self.whole:
            return {self.whole: dict(values)}
        return {self.inputs[name]: value for name, value in values.items()}


def body_shape(tool: Tool, resource: Resource) -> BodyShape | None:
    """Read what a body can change of a thing; None where it takes nothing that things have."""
    definitions = tool.checks.get("$defs", {})
    known = set(resource.record.properties)
    flat = [each for each in tool.inputs if each.location == "body_property" and not each.group]
    if any(each.target in known for each in flat):
        return _flat(tool, flat, definitions)
    for each in (*flat, *(one for one in tool.inputs if one.location == "body" and not one.group)):
        schema = flatten(tool.properties.get(each.name, {}), definitions)
        if schema.type == "object" and known & set(schema.properties):
            return _within(tool, each, schema, flat)
    return None


def _flat(tool: Tool, inputs: list[Input], definitions: Mapping[str, Json]) -> BodyShape:
    return BodyShape(
        inputs={each.target: each.name for each in inputs},
        properties={
            each.target: flatten(tool.properties[each.name], definitions)
            for each in inputs
            if each.name in tool.properties
        },
        required=tuple(each.target for each in inputs if each.name in tool.required),
    )


def _within(tool: Tool, one: Input, schema: Schema, flat: list[Input]) -> BodyShape:
    return BodyShape(
        place=() if one.location == "body" else (one.target,),
        whole=one.name,
        properties={name: schema.member(name) for name in schema.properties},
        required=schema.required,
        beside=tuple(e.name for e in flat if e.name != one.name and e.name in tool.required),
    )
