from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.jsontypes import Json
from restwright.tools.schemas.merge import merge_all_of, merge_schemas

NAME = {"type": "string"}
AGE = {"type": "integer"}
DEFINITIONS: dict[str, Json] = {
    "#/$defs/Named": {"type": "object", "properties": {"name": NAME}, "required": ["name"]},
    "#/$defs/Text": {"type": "string", "minLength": 1},
}


def of(*parts: Any, **more: Any) -> dict[str, Any]:
    return merge_all_of({"allOf": list(parts), **more}, DEFINITIONS.get)


def test_objects_become_one_and_inherited_properties_stand_first() -> None:
    own = {"properties": {"age": AGE}, "required": ["age"]}

    assert of({"$ref": "#/$defs/Named"}, **own) == {
        "type": "object",
        "properties": {"name": NAME, "age": AGE},
        "required": ["age", "name"],
    }


def test_a_part_that_only_requires_is_merged() -> None:
    assert of({"required": ["b"]}, properties={"a": NAME, "b": AGE}) == {
        "properties": {"a": NAME, "b": AGE},
        "required": ["b"],
    }


def test_texts_around_one_reference_become_texts_beside_it() -> None:
    assert of({"$ref": "#/$defs/Named"}, description="The owner.") == {
        "$ref": "#/$defs/Named",
        "description": "The owner.",
    }


def test_what_one_part_says_of_other_properties_counts_for_those_of_the_next() -> None:
    closed = {"properties": {"a": NAME}, "additionalProperties": False}

    assert of(closed, {"properties": {"b": AGE}}) == {
        "properties": {"a": NAME, "b": False},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ({"minimum": 1}, {"minimum": 3}, {"minimum": 3}),
        ({"maxLength": 1}, {"maxLength": 3}, {"maxLength": 1}),
        ({"type": "number"}, {"type": ["integer", "null"]}, {"type": "integer"}),
        ({"enum": [1, True, "a"]}, {"enum": [True, "a"]}, {"enum": [True, "a"]}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        (
            {"items": {"minimum": 1}},
            {"items": {"maximum": 2}},
            {"items": {"minimum": 1, "maximum": 2}},
        ),
        ({"const": 1}, {"const": 1.0}, {"const": 1}),
        ({"const": 1}, {"const": True}, None),
        ({"pattern": "a"}, {"pattern": "b"}, None),
        ({"anyOf": [NAME]}, {"anyOf": [AGE]}, None),
        ({"type": "string"}, {"type": "integer"}, None),
        ({"if": NAME}, {"then": AGE}, None),
    ],
    ids=str,
)
def test_keywords_are_put_together_where_they_have_a_common_form(
    one: Any, other: Any, both: Any
) -> None:
    assert merge_schemas(one, other) == both


def test_a_part_without_a_common_form_stays() -> None:
    assert of({"anyOf": [NAME]}, {"anyOf": [AGE]}, {"title": "A"}) == {
        "anyOf": [NAME],
        "title": "A",
        "allOf": [{"anyOf": [AGE]}],
    }


def test_a_reference_that_is_being_put_together_stays() -> None:
    assert of({"$ref": "#/$defs/Itself"}, properties={"a": NAME}) == {
        "properties": {"a": NAME},
        "allOf": [{"$ref": "#/$defs/Itself"}],
    }


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
types = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
leaves = st.fixed_dictionaries(
    {},
    optional={
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "minimum": st.integers(-3, 3),
        "maxLength": st.integers(0, 2),
        "enum": st.lists(values, min_size=1, max_size=3),
        "const": values,
        "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "pattern": st.sampled_from(["a", "b"]),
        "title": st.just("A"),
    },
)
schemas = st.recursive(
    leaves | st.booleans(),
    lambda inner: st.builds(
        lambda one, more: {**one, **more},
        leaves,
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
                "additionalProperties": inner,
                "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
                "items": inner,
                "prefixItems": st.lists(inner, min_size=1, max_size=2),
                "anyOf": st.lists(inner, min_size=1, max_size=2),
                "not": inner,
                "contains": inner,
                "unevaluatedProperties": inner,
                "allOf": st.lists(inner, min_size=1, max_size=2),
            },
        ),
    ),
    max_leaves=8,
)


@given(st.lists(schemas, min_size=1, max_size=3), schemas, st.lists(values, min_size=1, max_size=8))
def test_a_merged_schema_accepts_what_its_parts_accept_together(
    parts: list[Json], own: Json, instances: list[Json]
) -> None:
    schema = {**(own if isinstance(own, dict) else {}), "allOf": parts}
    before = jsonschema_rs.Draft202012Validator(schema)
    after = jsonschema_rs.Draft202012Validator(merge_all_of(schema, DEFINITIONS.get))

    for each in instances:
        assert before.is_valid(each) == after.is_valid(each), each
