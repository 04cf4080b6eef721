from __future__ import annotations

from copy import deepcopy
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from restwright.openapi.upgrade import Specification, upgraded

NULL = {"type": "null"}
PET = "#/components/schemas/Pet"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": "True"}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": "false"}, {"type": "string"}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string"], "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "any", "nullable": True}, {"type": "any"}),
        ({"type": "null", "nullable": True}, {"type": "null"}),
        ({"nullable": True, "minLength": 1}, {"minLength": 1}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"enum": [None, "a"], "nullable": True}, {"enum": [None, "a"]}),
        (
            {"$ref": PET, "nullable": True, "description": "Mine.", "x-a": 1},
            {"description": "Mine.", "x-a": 1, "anyOf": [{"$ref": PET}, NULL]},
        ),
        (
            {"allOf": [{}], "type": "object", "nullable": True, "readOnly": True},
            {"readOnly": True, "anyOf": [{"allOf": [{}], "type": "object"}, NULL]},
        ),
        (
            {"oneOf": [{}], "nullable": True, "discriminator": {"propertyName": "a"}},
            {"anyOf": [{"oneOf": [{}], "discriminator": {"propertyName": "a"}}, NULL]},
        ),
        ({"const": 1, "nullable": True}, {"anyOf": [{"const": 1}, NULL]}),
        ({"not": {}, "nullable": True}, {"anyOf": [{"not": {}}, NULL]}),
    ],
    ids=str,
)
def test_nullable_allows_null_and_changes_nothing_else(written: Any, expected: Any) -> None:
    assert upgraded(written, "3.0") == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": "true"}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": True}, {}),
        ({"minimum": 1, "exclusiveMinimum": 2}, {"minimum": 1, "exclusiveMinimum": 2}),
        ({"example": 1}, {"examples": [1]}),
        ({"example": 1, "examples": [2]}, {"examples": [2, 1]}),
        ({"example": 1, "examples": [1]}, {"examples": [1]}),
        ({"examples": {"a": {"value": 1}, "b": 2}}, {"examples": [1, 2]}),
        ({"items": [{}, {}]}, {"prefixItems": [{}, {}]}),
        ({"items": [{}], "additionalItems": False}, {"prefixItems": [{}], "items": False}),
        ({"items": [], "additionalItems": {}}, {"items": {}}),
        ({"discriminator": "kind"}, {"discriminator": {"propertyName": "kind"}}),
        ({"definitions": {"a": {}}}, {"$defs": {"a": {}}}),
        ({"definitions": {"a": {}}, "$defs": {"b": {}}}, {"$defs": {"a": {}, "b": {}}}),
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ({"id": "#pet"}, {"$anchor": "pet"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("specification", ["3.0", "3.1"])
def test_what_earlier_drafts_said_is_said_anew(
    written: Any, expected: Any, specification: Specification
) -> None:
    assert upgraded(written, specification) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 1},
        {"$ref": PET},
        {"type": ["string", "null"], "examples": [1], "exclusiveMinimum": 1},
        {"items": {}, "id": "https://a.test/pet", "additionalItems": {}},
        {"discriminator": {"propertyName": "a"}},
        {"examples": 7, "example": 8},
        {"definitions": 7, "dependencies": [], "$recursiveRef": "#", "$ref": "#/a"},
    ],
    ids=str,
)
def test_what_needs_no_change_is_the_same_object(schema: Any) -> None:
    assert upgraded(schema, "3.1") is schema
    assert upgraded(schema) is schema


def test_beside_a_reference_only_annotations_count_before_3_1() -> None:
    schema = {"$ref": PET, "type": "object", "description": "Mine.", "required": ["a"], "x-a": 1}
    old = {"$ref": PET, "description": "Mine.", "x-a": 1}
    assert upgraded(schema, "2.0") == upgraded(schema, "3.0") == old
    assert upgraded(schema, "3.1") is schema


def test_a_file_is_a_string_before_3_1() -> None:
    assert upgraded({"type": "file"}, "2.0") == {"type": "string", "format": "binary"}


def test_what_named_a_draft_or_a_base_before_3_1_does_so_no_more() -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "$id": "https://a.test/pet"}
    assert upgraded(schema, "3.0") == {"x-id": "https://a.test/pet"}
    assert upgraded(schema, "3.1") is schema


SCALARS = st.sampled_from([None, True, False, "true", "", "a", "#a", 0, 1, 1.5, "string", "file"])
LOOSE = st.recursive(
    SCALARS,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from("abc"), each),
)
KEYWORDS = (
    *("type", "nullable", "x-nullable", "minimum", "exclusiveMinimum", "exclusiveMaximum", "items"),
    *("additionalItems", "enum", "const", "example", "examples", "$ref", "allOf", "anyOf", "not"),
    *("discriminator", "definitions", "$defs", "dependencies", "dependentRequired", "id", "$id"),
    *("$anchor", "$recursiveRef", "description", "x-a", "format", "$schema"),
)
NODES = st.dictionaries(st.sampled_from(KEYWORDS), LOOSE, max_size=6)


@given(NODES, st.sampled_from(["2.0", "3.0", "3.1", "3.2"]))
@settings(max_examples=500)
def test_upgrading_a_node_again_changes_nothing(schema: Any, specification: Any) -> None:
    before = deepcopy(schema)
    node = upgraded(schema, specification)
    assert upgraded(node, "3.2") is node
    assert schema == before


@st.composite
def old_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Nodes that mean something in OpenAPI 3.0, without subschemas."""
    numbers = st.integers(-3, 3)
    optional: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object"]),
        "nullable": st.sampled_from([True, False, "true"]),
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "enum": st.lists(st.sampled_from(["a", 1, 2.5, True]), min_size=1, max_size=3),
        "minLength": st.integers(0, 2),
        "required": st.lists(st.just("a"), max_size=1),
        "not": st.sampled_from([{"type": "string"}, {"type": "null"}, {"enum": [1]}]),
        "anyOf": st.just([{"type": "string"}, {"type": "integer"}]),
        "oneOf": st.just([{"type": "number"}, {"type": "integer"}]),
        "allOf": st.just([{"type": "string"}, {"minLength": 1}]),
        "example": st.just(1),
        "description": st.just("a"),
    }
    return draw(st.fixed_dictionaries({}, optional=optional))


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """What OpenAPI 3.0 says, in words of our own."""
    if value is None and schema.get("nullable") in {True, "true"}:
        return True
    plain = {
        key: each
        for key, each in schema.items()
        if key not in {"nullable", "exclusiveMinimum", "exclusiveMaximum", "example"}
    }
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and schema.get("exclusiveMinimum") and value == schema.get("minimum"):
        return False
    if is_number and schema.get("exclusiveMaximum") and value == schema.get("maximum"):
        return False
    return jsonschema_rs.is_valid(plain, value)


VALUES = st.sampled_from([None, "", "a", "abc", *range(-4, 5), 2.5, -3.0, True, [], {}, {"a": 1}])


@given(old_schemas(), VALUES)
@settings(max_examples=500)
def test_an_upgraded_node_accepts_what_the_old_one_did(schema: dict[str, Any], value: Any) -> None:
    assert jsonschema_rs.is_valid(upgraded(schema, "3.0"), value) is accepts(schema, value)
