"""What a strict dialect says, and what makes it say a tool loosely."""

from __future__ import annotations

import json
from typing import Any

import pytest

from restwright.jsontypes import JsonObject
from restwright.tools.dialects import DIALECTS, rewrite_schema

STRICT = DIALECTS["openai-strict"]


def root(schema: Any, *, required: bool = True, **more: Any) -> JsonObject:
    whole: JsonObject = {"type": "object", "properties": {"a": schema}, **more}
    return {**whole, "required": ["a"]} if required else whole


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        (
            {"type": "string", "minLength": 1, "format": "uri", "default": "x"},
            {
                "type": ["string", "null"],
                "description": '@minLength 1\n@format uri\n@default "x"',
            },
        ),
        (
            {"type": "string", "format": "date", "pattern": "^a"},
            {"type": ["string", "null"], "format": "date", "pattern": "^a"},
        ),
        (
            {"type": "string", "pattern": "^(?!a)"},
            {"type": ["string", "null"], "description": "@pattern ^(?!a)"},
        ),
    ],
    ids=json.dumps,
)
def test_an_optional_property_is_required_and_may_be_null(
    schema: JsonObject, said: JsonObject
) -> None:
    whole = rewrite_schema(root(schema, required=False), STRICT)
    assert whole.is_strict
    assert whole.schema["required"] == ["a"]
    assert whole.schema["properties"]["a"] == said


def test_objects_inside_are_closed_too() -> None:
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    said = rewrite_schema(root({"type": "array", "items": inner}), STRICT)
    assert said.schema["properties"]["a"]["items"] == {
        "type": "object",
        "properties": {"x": {"type": ["string", "null"]}},
        "required": ["x"],
        "additionalProperties": False,
    }


def test_a_definition_inside_itself_stays() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    said = rewrite_schema(root({"$ref": "#/$defs/N"}, **{"$defs": {"N": node}}), STRICT)
    assert said.is_strict
    assert said.schema["properties"]["a"] == {"$ref": "#/$defs/N"}
    assert said.schema["$defs"]["N"]["properties"]["next"] == {
        "anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]
    }


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"type": "object"}, "/properties/a: an object with properties of any name"),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "/properties/a: an object with properties of any name",
        ),
        (
            {"type": "object", "properties": {"b": {}}},
            "/properties/a/properties/b: a value of any type",
        ),
        (True, "/properties/a: a value of any type"),
        ({"type": "array"}, "/properties/a: an array without a type for its items"),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["c"]},
            "/properties/a: a required property without a schema (c)",
        ),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
            "/properties/a: properties by pattern",
        ),
        (
            {"type": "object", "enum": [{"x": 1}], "properties": {}, "additionalProperties": False},
            "/properties/a: an enumeration of objects or arrays",
        ),
        (
            {"type": "string", "enum": [f"v{each}" for each in range(1_001)]},
            "/: 1,001 values in enumerations, 1,000 at most",
        ),
        (
            {"type": "string", "enum": [f"{each:0100}" for each in range(251)]},
            "/: 25,100 characters in one large enumeration, 15,000 at most",
        ),
        (
            {
                "type": "object",
                "properties": {f"p{each}": {"type": "null"} for each in range(5_000)},
            },
            "/: 5,001 properties, 5,000 at most",
        ),
        (
            {
                "type": "object",
                "properties": {f"{each:01000}": {"type": "string"} for each in range(121)},
            },
            "/: 121,001 characters of names and values, 120,000 at most",
        ),
    ],
    ids=lambda each: str(each)[:60],
)
def test_what_cannot_be_strict_is_said_loosely_with_the_reason(schema: Any, note: str) -> None:
    said = rewrite_schema(root(schema), STRICT)
    assert not said.is_strict
    assert note in said.notes
    assert said.schema == rewrite_schema(root(schema), DIALECTS["openai"]).schema


def test_a_long_chain_of_definitions_cannot_be_strict() -> None:
    chain: JsonObject = {f"D{each}": {"$ref": f"#/$defs/D{each + 1}"} for each in range(5_000)}
    whole = root({"$ref": "#/$defs/D0"}, **{"$defs": {**chain, "D5000": {"type": "string"}}})
    assert rewrite_schema(whole, STRICT).notes == ("/: 101 schemas inside each other, 100 at most",)


def test_deep_objects_cannot_be_strict() -> None:
    def nested(levels: int) -> JsonObject:
        below = nested(levels - 1) if levels else {"type": "string"}
        return {"type": "object", "properties": {"x": below}}

    assert rewrite_schema(nested(9), STRICT).is_strict
    assert rewrite_schema(nested(10), STRICT).notes == ("/: 11 levels of objects, 10 at most",)
