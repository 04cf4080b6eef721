"""Arguments put right towards their schema, and never away from what was meant."""

from __future__ import annotations

import copy
import json
from time import perf_counter

import pytest
from hypothesis import given, settings
from tests.support.properties import examples
from tests.support.schemas import SCHEMAS, VALUES, bomb

from restwright.calls.arguments.check import check, check_value
from restwright.calls.arguments.repair import (
    Repair,
    RepairedArguments,
    repair_arguments,
    repair_value,
)
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Tool

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
OBJECT = {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]}
STATUS = {"enum": ["Available", "sold"]}


@pytest.mark.parametrize(
    ("schema", "value", "now"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5\n", -5),
        ({"type": "number"}, "2.5e3", 2500.0),
        (INTEGER, "5.0", 5.0),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "null"]}, "None", None),
        ({"type": "array", "items": INTEGER}, "[1, 2]", [1, 2]),
        ({"type": "array", "items": INTEGER}, 5, [5]),
        ({"type": "array", "items": INTEGER}, "5", [5]),
        ({"type": "array", "items": STRING}, "red", ["red"]),
        (STRING, 5, "5"),
        (STRING, 2.5, "2.5"),
        ({"type": "string", "pattern": "^[0-9]+$"}, 12, "12"),
        (OBJECT, '{"a": 1}', {"a": 1}),
        (OBJECT, "{'a': 1}", {"a": 1}),
        (OBJECT, '{"a": "1"}', {"a": 1}),
        (OBJECT, {"a": "1", "b": "2"}, {"a": 1, "b": "2"}),
        (STATUS, "available", "Available"),
        (STATUS, " SOLD ", "sold"),
        (STATUS, '"sold"', "sold"),
        ({"const": "Cat"}, "cat", "Cat"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": ["1", "2"]}, 2, "2"),
        ({"enum": ["true", "false"]}, True, "true"),
        ({"type": "string", "format": "date"}, " 2026-01-31", "2026-01-31"),
        ({"$ref": "#/$defs/N", "$defs": {"N": INTEGER}}, "5", 5),
        ({"allOf": [INTEGER, {"minimum": 1}]}, "5", 5),
        ({"allOf": [{"properties": {"a": INTEGER}}, {"required": ["a"]}]}, {"a": "5"}, {"a": 5}),
        ({"anyOf": [INTEGER, {"type": "boolean"}]}, "true", True),
        ({"oneOf": [OBJECT, {"type": "null"}]}, '{"a": "5"}', {"a": 5}),
        ({"additionalProperties": INTEGER}, {"x": "5"}, {"x": 5}),
        ({"if": {"required": ["a"]}, "then": {"properties": {"a": INTEGER}}}, {"a": "5"}, {"a": 5}),
        ({"prefixItems": [STRING, INTEGER], "items": STRING}, [1, "2", 3], ["1", 2, "3"]),
    ],
)
def test_value_is_repaired_towards_its_schema(schema: Json, value: Json, now: Json) -> None:
    found, repairs = repair_value(schema, value)
    assert json.dumps(found) == json.dumps(now)
    assert repairs
    assert check_value(schema, found) == ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, "12abc"),
        (INTEGER, "0x10"),
        (INTEGER, "007"),
        (INTEGER, "1_000"),
        (INTEGER, "1,000"),
        (INTEGER, "5.5"),
        (INTEGER, ""),
        (INTEGER, "٣"),
        (INTEGER, True),
        (INTEGER, None),
        (INTEGER, "null"),
        ({"type": "integer", "minimum": 9}, "5"),
        ({"type": "boolean"}, "yes"),
        ({"type": "boolean"}, 1),
        (STRING, True),
        (STRING, None),
        (STRING, {"a": 1}),
        ({"type": "string", "pattern": "^a"}, 5),
        ({"type": "string", "maxLength": 1}, "a "),
        (STATUS, "avail"),
        ({"enum": ["a", "A"]}, " a"),
        ({"type": "array", "items": INTEGER}, "red"),
        ({"type": "array", "items": OBJECT}, {"a": 1}),
        ({"type": "array"}, ""),
        ({"type": "array", "items": STRING}, "[red"),
        ({"type": "array", "items": STRING}, None),
        (OBJECT, '{"a": 1} {"a": 2}'),
        (OBJECT, '{"a": 1'),
        ({"type": "number"}, float("nan")),
        ({"properties": {"a": INTEGER}, "additionalProperties": False}, {"b": "5"}),
    ],
)
def test_what_has_no_certain_repair_is_left_as_it_is(schema: Json, value: Json) -> None:
    found, repairs = repair_value(schema, value)
    assert found is value
    assert repairs == ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "5"),
        ({"type": ["string", "integer"]}, "5"),
        ({"anyOf": [INTEGER, STRING]}, "5"),
        ({"properties": {"a": INTEGER}}, {"b": "5", "note": "true"}),
        ({"type": "object"}, {"zip": "007"}),
        ({"items": {}}, ["1", "null"]),
    ],
)
def test_what_fits_or_is_open_is_never_touched(schema: Json, value: Json) -> None:
    assert repair_value(schema, value) == (value, ())


def test_unwrapped_object_that_is_incomplete_stays_unwrapped() -> None:
    schema = {"properties": {"body": {**OBJECT, "required": ["a", "b"]}}}
    value, repairs = repair_value(schema, {"body": '{"a": "1"}'})
    assert value == {"body": {"a": 1}}
    assert repairs == (
        Repair("/body", '"{\\"a\\": \\"1\\"}"', '{"a":"1"}', "the text was read as JSON"),
        Repair("/body/a", '"1"', "1", "the text was read as a number"),
    )
    assert [each.pointer for each in check_value(schema, value)] == ["/body/b"]


def test_text_in_text_in_text_is_unwrapped() -> None:
    schema = {"properties": {"a": {"type": "object", "properties": {"b": OBJECT}}}}
    value = {"a": json.dumps({"b": json.dumps({"a": 1})})}
    assert repair_value(schema, value)[0] == {"a": {"b": {"a": 1}}}


KINDS = {
    "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
    "discriminator": {"propertyName": "kind"},
    "$defs": {
        "Cat": {"properties": {"kind": {"const": "Cat"}, "lives": INTEGER}},
        "Dog": {"properties": {"kind": {"const": "Dog"}, "lives": {"type": "boolean"}}},
    },
}


def test_repair_is_that_of_the_alternative_that_was_meant() -> None:
    assert repair_value(KINDS, {"kind": "Cat", "lives": "7"})[0] == {"kind": "Cat", "lives": 7}
    assert repair_value(KINDS, {"kind": "dog", "lives": "true"})[0] == {
        "kind": "Dog",
        "lives": True,
    }


@settings(max_examples=examples(300))
@given(SCHEMAS, VALUES)
def test_value_that_fits_is_returned_itself(schema: Json, value: Json) -> None:
    found, repairs = repair_value(schema, value)
    if not check_value(schema, value):
        assert found is value
        assert repairs == ()


@settings(max_examples=examples(300))
@given(SCHEMAS, VALUES)
def test_repair_is_told_exactly_where_something_changed(schema: Json, value: Json) -> None:
    before = copy.deepcopy(value)
    found, repairs = repair_value(schema, value)
    assert value == before
    assert (json.dumps(found) == json.dumps(value)) == (not repairs)


@settings(max_examples=examples(300))
@given(SCHEMAS, VALUES)
def test_text_of_a_value_is_read_where_only_the_value_fits(schema: Json, value: Json) -> None:
    text = json.dumps(value)
    whole = {"type": ["object", "array", "null", "boolean", "number"], "allOf": [schema]}
    if not check_value(whole, value):
        found, _ = repair_value(whole, text)
        assert check_value(whole, found) == ()


@settings(max_examples=examples(150))
@given(SCHEMAS, VALUES)
def test_second_repair_finds_nothing_to_repair(schema: Json, value: Json) -> None:
    found, _ = repair_value(schema, value)
    assert repair_value(schema, found) == (found, ())


@pytest.mark.parametrize("deeper", [True, False])
def test_union_of_unions_is_repaired_in_bounded_time(*, deeper: bool) -> None:
    value: Json = "x"
    for _ in range(40):
        value = {"a": value}
    schema = bomb(40, deeper=deeper)
    schema["$defs"]["D0"] = INTEGER
    began = perf_counter()
    repair_value(schema, value if deeper else "5")
    assert perf_counter() - began < 20


def test_ten_thousand_strings_are_repaired_in_bounded_time() -> None:
    began = perf_counter()
    found, repairs = repair_value({"items": INTEGER}, [str(index) for index in range(10_000)])
    assert perf_counter() - began < 20
    assert found[:2] == [0, 1]
    assert len(repairs) == 10_000


def pets() -> Tool:
    parameters = [
        {"name": "page[size]", "in": "query", "schema": INTEGER},
        {"name": "id", "in": "path", "required": True, "schema": STRING},
    ]
    return catalog(load(document({"/pets/{id}": {"get": {"parameters": parameters}}}))).tools[0]


def test_input_under_its_name_in_the_document_gets_that_of_the_tool() -> None:
    found = repair_arguments(pets(), {"id": 3, "page[size]": "5"})
    assert found.arguments == {"id": "3", "page_size": 5}
    assert [str(each) for each in found.repairs] == [
        '/page[size]: "page[size]" became "page_size" (the name of the tool was taken)',
        '/id: 3 became "3" (the number was written as text)',
        '/page_size: "5" became 5 (the text was read as a number)',
    ]
    assert check(pets(), found.arguments) == ()


def films(*, grouped: bool = False) -> Tool:
    parameters = [
        {"name": "colour", "in": "query", "schema": {"enum": ["red", "blue"]}},
        {"name": "year", "in": "query", "schema": {"type": ["integer", "null"]}},
        {"name": "q", "in": "query", "required": True, "schema": STRING},
    ]
    body = {"content": {"application/json": {"schema": {"properties": {"note": STRING}}}}}
    post: JsonObject = {"operationId": "find", "parameters": parameters, "requestBody": body}
    api = load(document({"/films": {"post": post}}), alias="tv")
    options = ToolOptions(layout="grouped") if grouped else ToolOptions()
    return catalog(api, options=options)["tv__find"]


def test_a_null_of_an_optional_parameter_is_left_out() -> None:
    found = repair_arguments(films(), {"q": "x", "colour": None, "year": None})
    assert found.arguments == {"q": "x", "year": None}
    assert [str(each) for each in found.repairs] == [
        "/colour: null became nothing (an optional null was left out)"
    ]
    assert check(films(), found.arguments) == ()


def test_a_null_in_a_group_of_parameters_is_left_out() -> None:
    found = repair_arguments(films(grouped=True), {"query": {"q": "x", "colour": None}})
    assert found.arguments == {"query": {"q": "x"}}
    assert found.repairs[0].pointer == "/query/colour"


@pytest.mark.parametrize("arguments", [{"q": None}, {"q": "x", "note": None}])
def test_a_null_that_is_needed_or_in_a_body_is_left_as_it_is(arguments: JsonObject) -> None:
    assert repair_arguments(films(), arguments) == RepairedArguments(arguments)


def test_input_given_under_both_names_is_left_as_it_is() -> None:
    arguments: JsonObject = {"id": "3", "page[size]": 5, "page_size": 6}
    assert repair_arguments(pets(), arguments) == RepairedArguments(arguments)


def test_valid_arguments_are_the_very_same_object() -> None:
    arguments: JsonObject = {"id": "3"}
    assert repair_arguments(pets(), arguments).arguments is arguments
