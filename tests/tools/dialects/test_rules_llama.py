"""Loosened schemas: what goes, what stays, and that nothing is added."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.jsontypes import JsonObject
from restwright.tools.dialects.rules_llama import loosen_schema

STRING: JsonObject = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "loosened"),
    [
        ({"type": "string", "format": "date"}, STRING),
        ({"type": "string", "pattern": r"^\d+$"}, STRING),
        ({"type": "string", "pattern": "abc"}, STRING),
        ({"type": "string", "pattern": "^(?=a)b$"}, STRING),
        ({"type": "string", "pattern": "^(a|b)+$"}, {"type": "string", "pattern": "^(a|b)+$"}),
        ({"type": "string", "maxLength": 100_000, "minLength": 1}, STRING | {"minLength": 1}),
        ({"type": "string", "description": "d", "default": "x", "x-y": 1}, STRING),
        ({"type": "integer", "minimum": 1, "multipleOf": 3}, {"type": "integer", "minimum": 1}),
        ({"enum": []}, {}),
        ({"enum": [1, 10**32]}, {}),
        ({"const": -(10**32)}, {}),
        ({"type": "integer", "minimum": -1, "maximum": 2**64}, {"type": "integer", "minimum": -1}),
        ({"not": STRING}, {}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        (
            {"type": "array", "prefixItems": [{"format": "date"}], "items": False},
            {"type": "array", "prefixItems": [{}]},
        ),
        (
            {"type": "object", "patternProperties": {"x": {}}, "additionalProperties": False},
            {"type": "object"},
        ),
        (
            {"properties": {"a": STRING}, "required": ["a", "b"], "additionalProperties": False},
            {"properties": {"a": STRING}, "required": ["a"], "additionalProperties": False},
        ),
        (
            {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object"},
        ),
        ({"anyOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}),
        ({"$ref": "#/$defs/none"}, {}),
        ({"$ref": "https://models.example/x.json"}, {}),
        (
            {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"format": "date"}}},
            {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {}}},
        ),
        ({"type": "object", "properties": {"format": STRING}}, "the same"),
    ],
    ids=json.dumps,
)
def test_what_a_grammar_cannot_express_goes(schema: JsonObject, loosened: Any) -> None:
    assert loosen_schema(schema) == (schema if loosened == "the same" else loosened)


def test_the_order_of_properties_stays() -> None:
    names = ["z", "b", "a"]
    loosened = loosen_schema({"type": "object", "properties": dict.fromkeys(names, STRING)})
    assert list(loosened["properties"]) == names


def test_a_recursive_schema_stays() -> None:
    node: JsonObject = {
        "$ref": "#/$defs/N",
        "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}},
    }
    assert loosen_schema(node) == node


NAMES = st.sampled_from(["a", "b"])
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 3, 2.5, "", "a", "12", "2020-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
LEAVES = st.sampled_from(
    [
        True,
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": r"^\d+$"},
        {"type": "string", "pattern": "^a+$", "maxLength": 3},
        {"type": ["integer", "null"], "minimum": 1, "multipleOf": 2},
        {"enum": ["a", 3, None]},
        {"not": {"type": "null"}},
        {"$ref": "#/$defs/D"},
    ]
)


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner),
            "required": st.lists(NAMES, unique=True),
            "additionalProperties": inner | st.booleans(),
            "patternProperties": st.dictionaries(NAMES, inner),
            "items": inner | st.booleans(),
            "prefixItems": several,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "minItems": st.integers(0, 3),
            "type": st.sampled_from(["object", "array", "string"]),
        },
    )


SCHEMAS = st.recursive(LEAVES, _grown, max_leaves=6).filter(lambda each: isinstance(each, dict))


@given(schema=SCHEMAS, value=VALUES)
def test_a_value_that_was_allowed_still_is(schema: JsonObject, value: Any) -> None:
    whole = schema | {"$defs": {"D": {"type": "string", "format": "date"}}}
    if jsonschema_rs.is_valid(whole, value):
        assert jsonschema_rs.is_valid(loosen_schema(whole), value)
