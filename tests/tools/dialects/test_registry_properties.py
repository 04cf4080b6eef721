"""What holds for every schema under every dialect: nothing narrower, dangling or refused."""

from __future__ import annotations

import copy
import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.dialects import CHECKERS
from tests.support.dialects.llama_grammar import unconverted
from tests.support.dialects.walking import dangling, every
from tests.support.properties import examples

from restwright.jsontypes import JsonObject
from restwright.tools.dialects import DIALECTS, rewrite_schema, to_provider_tool

NAMES = st.sampled_from(["a", "b"])
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 3, 2.5, "", "a", "12", "2020-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
LEAVES = st.sampled_from(
    [
        True,
        {},
        {"type": "string", "format": "date"},
        {"type": "string", "pattern": r"^\d+$", "maxLength": 3},
        {"type": "string", "pattern": "2"},
        {"type": "string", "pattern": "^(?=1)12$"},
        {"type": ["integer", "null"], "minimum": 1, "multipleOf": 3},
        {"type": "integer", "exclusiveMaximum": 3, "maximum": 9},
        {"type": ["string", "number"], "minLength": 1, "exclusiveMinimum": 0},
        {"type": "null"},
        {"enum": ["a", 3, None]},
        {"type": ["string", "null"], "enum": ["a", "", None]},
        {"const": None},
        {"const": "a"},
        {"not": {"type": "null"}},
        {"$ref": "#/$defs/D"},
        {"$ref": "#/$defs/Loop", "description": "Beside."},
        {"$ref": "#/$defs/D", "maxLength": 2},
        {"type": "string", "default": "a", "examples": ["a", "b"], "title": "T"},
    ]
)
DEFINITIONS: JsonObject = {
    "D": {"type": "string", "pattern": "^a"},
    "Loop": {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/Loop"},
            "b": {"type": "array", "items": {"$ref": "#/$defs/Loop"}},
        },
    },
    "Needy": {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/Needy"}}},
        "required": ["a"],
        "additionalProperties": False,
    },
    "Unused": {"type": "string"},
}


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=2)
    objects = st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(NAMES, inner),
            "required": st.lists(NAMES, unique=True, min_size=1),
            "additionalProperties": inner | st.booleans(),
            "patternProperties": st.dictionaries(NAMES, inner, min_size=1),
            "minProperties": st.integers(0, 1),
            "dependentRequired": st.just({"a": ["b"]}),
            "anyOf": several,
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": inner,
            "prefixItems": several,
            "minItems": st.integers(0, 3),
            "uniqueItems": st.just(True),
            "contains": inner,
        },
    )
    unions = st.fixed_dictionaries(
        {},
        optional={
            "description": st.just("Said."),
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "$ref": st.sampled_from(["#/$defs/D", "#/$defs/Loop", "#/$defs/Needy"]),
        },
    )
    return (
        objects | arrays | unions | st.tuples(objects, unions).map(lambda both: both[1] | both[0])
    )


SCHEMAS = st.recursive(LEAVES, _grown, max_leaves=6)
ROOTS = st.fixed_dictionaries(
    {"properties": st.dictionaries(NAMES, SCHEMAS, min_size=1)},
    optional={
        "required": st.lists(NAMES, unique=True, min_size=1),
        "additionalProperties": st.just(False),
        "anyOf": st.just([{"required": ["a"]}, {"required": ["b"]}]),
    },
).map(lambda root: {"type": "object", **root, "$defs": DEFINITIONS})
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=2)

# How a value of any kind is said where every schema has a type. It ends at arrays in arrays.
ANYTHING = ("string", "number", "boolean", "object")

# The others differ from these in their shape alone.
RULES = [name for name in DIALECTS if "responses" not in name and name != "mcp"]

everywhere = pytest.mark.parametrize("name", RULES)
often = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])


def as_json_schema(schema: Any, *, of: str) -> Any:
    """What a dialect says, as JSON Schema 2020-12 again."""
    if isinstance(schema, list):
        return [as_json_schema(each, of=of) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if of == "gemini-openapi" and is_anything(schema):
        return True
    said = {key: as_json_schema(value, of=of) for key, value in schema.items() if key != "enum"}
    if "enum" in schema:
        said["enum"] = schema["enum"]
    if "strict" in of:
        return {k: v for k, v in said.items() if k not in {"required", "additionalProperties"}}
    return with_flags_said(said)


def is_anything(schema: JsonObject) -> bool:
    kinds = [each.get("type") for each in schema.get("anyOf", ()) if isinstance(each, dict)]
    return all(each in kinds for each in ANYTHING)


def with_flags_said(said: JsonObject) -> JsonObject:
    if said.pop("nullable", False) is True:
        said["type"] = [said["type"], "null"]
        if "enum" in said:
            said["enum"] = [*said["enum"], None]
    for bound, flag in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if said.get(flag) is True:
            said[flag] = said.pop(bound)
    return said


@everywhere
@often
@given(schema=ROOTS, arguments=ARGUMENTS)
def test_what_was_accepted_still_is(name: str, schema: JsonObject, arguments: JsonObject) -> None:
    said = rewrite_schema(schema, DIALECTS[name])
    if jsonschema_rs.is_valid(schema, arguments):
        of = "" if "strict" in name and not said.is_strict else name
        assert jsonschema_rs.is_valid(as_json_schema(said.schema, of=of), arguments)


@everywhere
@often
@given(schema=ROOTS)
def test_a_provider_refuses_nothing(name: str, schema: JsonObject) -> None:
    before = copy.deepcopy(schema)
    said = rewrite_schema(schema, DIALECTS[name])
    tool = to_provider_tool(DIALECTS[name], name="t", description="d", schema=said, method="POST")
    assert CHECKERS[name](tool) == []
    assert schema == before
    assert dangling(said.schema) == []


@often
@given(schema=ROOTS)
def test_llama_cpp_makes_a_grammar_of_everything(schema: JsonObject) -> None:
    assert unconverted(rewrite_schema(schema, DIALECTS["llama-grammar"]).schema) == []


@everywhere
@often
@given(schema=ROOTS)
def test_saying_it_again_changes_nothing(name: str, schema: JsonObject) -> None:
    said = rewrite_schema(schema, DIALECTS[name])
    again = rewrite_schema(said.schema, DIALECTS[name])
    # What is said loosely may be said strictly once its keywords are words.
    if said.is_strict or "strict" not in name:
        assert (again.schema, again.is_strict) == (said.schema, said.is_strict)


@everywhere
@often
@given(schema=ROOTS)
def test_a_required_property_of_the_root_is_required_or_said(name: str, schema: JsonObject) -> None:
    said = rewrite_schema(schema, DIALECTS[name]).schema
    words = said.get("description", "")
    for each in schema.get("required", ()):
        assert each in said.get("required", ()) or re.search(rf"@required .*{each}", words)


@everywhere
@often
@given(schema=ROOTS)
def test_a_property_of_the_root_stays(name: str, schema: JsonObject) -> None:
    said = rewrite_schema(schema, DIALECTS[name]).schema
    assert list(said["properties"]) == list(schema["properties"])


@everywhere
@often
@given(schema=ROOTS)
def test_every_definition_kept_is_used(name: str, schema: JsonObject) -> None:
    said = rewrite_schema(schema, DIALECTS[name])
    if said.schema is schema:
        return
    used = {
        each["$ref"] for _, each in every(said.schema) if isinstance(each, dict) and "$ref" in each
    }
    assert {f"#/$defs/{each}" for each in said.schema.get("$defs", {})} <= used
