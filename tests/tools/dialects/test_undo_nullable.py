"""Nulls that stand for "not given" go; all other values stay."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.jsontypes import JsonObject
from restwright.tools.dialects import DIALECTS, remove_filler_nulls, rewrite_schema

TEXT: JsonObject = {"type": "string"}
MAYBE: JsonObject = {"type": ["string", "null"]}


def checks(schema: Any, **definitions: Any) -> JsonObject:
    return {"type": "object", "properties": {"a": schema}, "$defs": definitions}


def objects(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("schema", "before", "after"),
    [
        (TEXT, {"a": None}, {}),
        (MAYBE, {"a": None}, {"a": None}),
        (True, {"a": None}, {"a": None}),
        ({"enum": ["x", None]}, {"a": None}, {"a": None}),
        ({"enum": ["x"]}, {"a": None}, {}),
        ({"const": "x"}, {"a": None}, {}),
        ({"const": None}, {"a": None}, {"a": None}),
        ({"anyOf": [TEXT, {"type": "null"}]}, {"a": None}, {"a": None}),
        ({"anyOf": [TEXT, {"type": "integer"}]}, {"a": None}, {}),
        ({"allOf": [TEXT, MAYBE]}, {"a": None}, {}),
        ({"$ref": "#/$defs/T"}, {"a": None}, {}),
        ({"$ref": "#/$defs/M"}, {"a": None}, {"a": None}),
        (TEXT, {"b": None}, {"b": None}),
        (objects({"x": TEXT}), {"a": {"x": None}}, {"a": {}}),
        (objects({"x": TEXT}, "x"), {"a": {"x": None}}, {"a": {"x": None}}),
        ({"$ref": "#/$defs/O"}, {"a": {"x": None, "y": None}}, {"a": {"y": None}}),
        (
            {"type": "array", "items": {"$ref": "#/$defs/O"}},
            {"a": [{"x": None}, None, {"y": None}]},
            {"a": [{}, None, {"y": None}]},
        ),
        (
            {"allOf": [objects({"x": TEXT}), {"required": ["x"]}]},
            {"a": {"x": None}},
            {"a": {"x": None}},
        ),
        (
            {
                "anyOf": [
                    objects({"kind": {"const": "c"}, "x": TEXT}, "kind"),
                    objects({"kind": {"const": "d"}, "x": MAYBE}, "kind"),
                ]
            },
            {"a": {"kind": "c", "x": None}},
            {"a": {"kind": "c"}},
        ),
        (
            {
                "oneOf": [
                    objects({"kind": {"const": "c"}, "x": TEXT}, "kind"),
                    objects({"kind": {"const": "d"}, "x": MAYBE}, "kind"),
                ]
            },
            {"a": {"kind": "d", "x": None}},
            {"a": {"kind": "d", "x": None}},
        ),
        (
            {"anyOf": [TEXT, objects({"x": TEXT}), {"type": "null"}]},
            {"a": {"x": None}},
            {"a": {}},
        ),
        (
            {"type": "object", "additionalProperties": objects({"x": TEXT})},
            {"a": {"any": {"x": None}}},
            {"a": {"any": {}}},
        ),
    ],
)
def test_a_null_for_what_is_optional_goes(
    schema: Any, before: JsonObject, after: JsonObject
) -> None:
    both = objects({"x": TEXT, "y": MAYBE})
    assert remove_filler_nulls(before, checks(schema, T=TEXT, M=MAYBE, O=both)) == after


def test_a_definition_inside_itself_is_followed_as_far_as_the_value_goes() -> None:
    node = objects({"next": {"$ref": "#/$defs/N"}, "x": TEXT})
    before = {"a": {"next": {"next": None, "x": None}, "x": "1"}}
    assert remove_filler_nulls(before, checks({"$ref": "#/$defs/N"}, N=node)) == {
        "a": {"next": {}, "x": "1"}
    }


def test_a_definition_that_is_nothing_but_itself_ends() -> None:
    loop = checks({"$ref": "#/$defs/L"}, L={"$ref": "#/$defs/L"})
    assert remove_filler_nulls({"a": None}, loop) == {"a": None}
    assert remove_filler_nulls({"a": {"b": None}}, loop) == {"a": {"b": None}}


def test_the_arguments_stay_as_they_are() -> None:
    before: JsonObject = {"a": None}
    remove_filler_nulls(before, checks(TEXT))
    assert before == {"a": None}


NAMES = ["p", "q"]
LEAVES = st.sampled_from([TEXT, MAYBE, {"type": "integer", "minimum": 1}, {"enum": ["x", "y"]}])


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, min_size=1)
    closed = st.tuples(named, st.sets(st.sampled_from(NAMES))).map(
        lambda both: {
            **objects(both[0], *sorted(both[1] & both[0].keys())),
            "additionalProperties": False,
        }
    )
    return closed | inner.map(lambda each: {"type": "array", "items": each})


SCHEMAS = st.recursive(LEAVES, _grown, max_leaves=5)


def value_of(schema: JsonObject, draw: st.DrawFn) -> Any:
    """A value that a schema of this test accepts."""
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if schema["type"] == "array":
        return [value_of(schema["items"], draw) for _ in range(draw(st.integers(0, 2)))]
    if schema["type"] == "object":
        given = [
            name
            for name in schema["properties"]
            if name in schema["required"] or draw(st.booleans())
        ]
        return {name: value_of(schema["properties"][name], draw) for name in given}
    values = {"string": ["", "s"], "integer": [1, 2]}
    kind = schema["type"]
    return draw(st.sampled_from(["s", None] if isinstance(kind, list) else values[kind]))


def filled(schema: JsonObject, value: Any) -> Any:
    """`value` as a strict dialect makes a model write it: null for what is not given."""
    if isinstance(value, list):
        return [filled(schema["items"], each) for each in value]
    if isinstance(value, dict):
        named = schema["properties"]
        return {name: filled(each, value.get(name)) for name, each in named.items()}
    return value


@st.composite
def cases(draw: st.DrawFn) -> tuple[JsonObject, JsonObject]:
    schema = checks(draw(SCHEMAS)) | {"required": ["a"], "additionalProperties": False}
    return schema, value_of(schema, draw)


@given(case=cases())
def test_strict_arguments_are_accepted_and_come_back(
    case: tuple[JsonObject, JsonObject],
) -> None:
    schema, arguments = case
    said = rewrite_schema(schema, DIALECTS["openai-strict"])
    strict = filled(schema, arguments)
    assert said.is_strict
    assert jsonschema_rs.is_valid(said.schema, strict)
    assert restored_fully(remove_filler_nulls(strict, schema)) == restored_fully(arguments)
    assert jsonschema_rs.is_valid(schema, remove_filler_nulls(strict, schema))


def restored_fully(value: Any) -> Any:
    """Without nulls: where null is allowed, it cannot be told from "not given"."""
    if isinstance(value, list):
        return [restored_fully(each) for each in value]
    if isinstance(value, dict):
        return {name: restored_fully(each) for name, each in value.items() if each is not None}
    return value
