"""Schemas without references: unrolled, bounded, and marked where they end."""

from __future__ import annotations

import json

import pytest

from restwright.jsontypes import JsonObject
from restwright.tools.dialects import DIALECTS, rewrite_schema
from restwright.tools.dialects.inline_refs import DEPTHS, InlineDepth, inline_references

TREE: JsonObject = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "required": ["root"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "left": {"$ref": "#/$defs/Node"}},
            "additionalProperties": False,
        }
    },
}
both = pytest.mark.parametrize("name", ["openapi-3.0", "gemini-openapi"])


def doubling(levels: int) -> JsonObject:
    """2^levels copies of the last definition, were all written out."""
    definitions: JsonObject = {
        f"D{each}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/D{each + 1}"} for side in ("l", "r")},
            "required": ["l"],
        }
        for each in range(levels)
    }
    definitions[f"D{levels}"] = {"type": "string", "description": "The end of it."}
    properties = {"top": {"$ref": "#/$defs/D0"}}
    return {"type": "object", "properties": properties, "$defs": definitions}


def test_a_definition_is_written_where_it_is_used() -> None:
    root: JsonObject = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/S", "description": "Own."},
            "b": {"$ref": "#/$defs/S"},
        },
        "$defs": {"S": {"type": "string", "description": "Shared."}},
    }
    whole = inline_references(root, DEPTHS[0], max_chars=1_000)
    assert whole is not None
    assert whole.left_out == ()
    assert whole.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "Own."},
            "b": {"type": "string", "description": "Shared."},
        },
    }


def test_recursion_is_unrolled_and_its_end_is_marked() -> None:
    whole = inline_references(TREE, InlineDepth(references=12, levels=2), max_chars=10_000)
    assert whole is not None
    second = whole.schema["properties"]["root"]["properties"]["left"]
    assert second == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "description": "[left out]: left",
    }
    assert whole.left_out == ("/properties/root/properties/left/properties/left",)


def test_what_is_required_ends_as_a_value_of_its_type() -> None:
    tree = json.loads(json.dumps(TREE))
    tree["$defs"]["Node"]["required"] = ["left"]
    whole = inline_references(tree, InlineDepth(references=12, levels=1), max_chars=10_000)
    assert whole is not None
    assert whole.schema["properties"]["root"]["properties"]["left"] == {
        "type": "object",
        "description": "Node [left out]",
    }


def test_properties_of_the_root_stay() -> None:
    whole = inline_references(TREE, DEPTHS[-1], max_chars=10_000)
    assert whole is not None
    assert whole.schema["properties"] == {
        "root": {"type": "object", "description": "Node [left out]"}
    }


@both
def test_levels_of_recursion_are_three_where_there_is_room(name: str) -> None:
    said = rewrite_schema(TREE, DIALECTS[name])
    assert json.dumps(said.schema).count('"name"') == 3
    assert said.notes == (
        "/properties/root/properties/left/properties/left/properties/left: [left out]",
    )


@both
@pytest.mark.parametrize("max_chars", [1_000, 16_000])
def test_what_doubles_at_each_level_is_bounded(name: str, max_chars: int) -> None:
    said = rewrite_schema(doubling(30), DIALECTS[name], max_chars=max_chars)
    text = json.dumps(said.schema, separators=(",", ":"))
    assert len(text) <= max_chars
    assert "[left out]" in text
    assert said.notes


@both
def test_a_long_chain_of_references_is_bounded(name: str) -> None:
    definitions = {f"D{each}": {"$ref": f"#/$defs/D{each + 1}"} for each in range(5_000)}
    root: JsonObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/D0"}},
        "$defs": {**definitions, "D5000": {"type": "string"}},
    }
    said = rewrite_schema(root, DIALECTS[name]).schema["properties"]["a"]
    assert said["type"] == "string"
    assert said["description"] == "D12 [left out]"


@both
def test_a_reference_to_itself_ends(name: str) -> None:
    root: JsonObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/A"}},
    }
    assert "A [left out]" in json.dumps(rewrite_schema(root, DIALECTS[name]).schema)
