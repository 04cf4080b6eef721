"""Reading and checking what a model wrote."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.arguments.check import (
    check,
    check_value,
    find_broken_keywords,
    parse_arguments,
)
from restwright.calls.mismatch import Mismatch
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.model import Method, Operation, Parameter, Problem
from restwright.tools.tool import Input, Tool


@settings(max_examples=examples(40))
@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_json_object_is_read_as_it_is(value: JsonObject) -> None:
    assert parse_arguments(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1, "b": "x"}\n```',
        "{'a': 1, 'b': 'x'}",
        '{"a": 1, "b": "x",}',
        '{"a": 1, "b": "x"',
        "{a: 1, b: 'x'} // done",
        'Here it is: {"a": 1, "b": "x"}',
    ],
)
def test_text_of_a_model_is_repaired(text: str) -> None:
    assert parse_arguments(text) == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("text", "why"), [("[1]", "it is [1]"), ("3", "it is 3"), ('"x"', 'it is "x"')]
)
def test_value_that_is_no_object_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnreadableArguments) as caught:
        parse_arguments(text)
    assert caught.value == UnreadableArguments(why)


@pytest.mark.parametrize("text", ["I do not know", "[" * 100_000, "{" * 500, "1" * 5_000, "nul"])
def test_text_without_an_object_is_refused(text: str) -> None:
    with pytest.raises(UnreadableArguments):
        parse_arguments(text)


def test_strict_reading_repairs_nothing() -> None:
    with pytest.raises(UnreadableArguments):
        parse_arguments("{'a': 1}", lenient=False)


def test_empty_text_is_no_arguments() -> None:
    assert parse_arguments(" \n") == {}


@pytest.mark.parametrize(
    ("value", "mismatch"),
    [
        ({"a": float("nan")}, Mismatch("/a", "a finite number", "nan")),
        ({"a": [1, float("-inf")]}, Mismatch("/a/1", "a finite number", "-inf")),
        ({"a": "\ud800"}, Mismatch("/a", "Unicode text", "'\\ud800'")),
        ({"a": {1}}, Mismatch("/a", "a JSON value", "{1}")),
        (
            {"a": None, "b": date(2026, 1, 31)},
            Mismatch("/b", "a JSON value", "datetime.date(2026, 1, 31)"),
        ),
        ({"a": [None, float("nan")]}, Mismatch("/a/1", "a finite number", "nan")),
    ],
)
def test_value_that_json_cannot_write_is_a_mismatch(value: Json, mismatch: Mismatch) -> None:
    assert check_value(True, value) == (mismatch,)


def test_integer_of_any_size_is_json() -> None:
    assert check_value({"type": "integer"}, 10**400) == ()


def test_value_nested_too_deep_is_a_mismatch() -> None:
    value: Json = 1
    for _ in range(5000):
        value = [value]
    assert check_value(True, value) == (
        Mismatch("/0" * 8, "at most 100 levels of nesting", "more"),
    )


@pytest.mark.parametrize(
    ("format_name", "value"),
    [("date", "soon"), ("date-time", "2026-01-01"), ("uuid", "7"), ("email", "x"), ("ipv4", "1.2")],
)
def test_formats_are_asserted(format_name: str, value: str) -> None:
    assert len(check_value({"type": "string", "format": format_name}, value)) == 1


def test_unknown_format_is_accepted() -> None:
    assert check_value({"type": "string", "format": "isbn"}, "x") == ()


BROKEN: JsonObject = {
    "type": "object",
    "properties": {
        "a": {"type": "strin"},
        "b": {"$ref": "#/$defs/missing"},
        "c": {"type": "string", "pattern": "[("},
        "d": {"type": "integer"},
        "e": {"$ref": "http://example.test/schema.json"},
    },
}


def test_broken_keywords_are_left_out_and_the_rest_is_checked() -> None:
    value = {"a": 1, "b": 1, "c": 1, "d": "x", "e": 1}
    assert check_value(BROKEN, value) == (
        Mismatch("/c", "a string", "1"),
        Mismatch("/d", "an integer", '"x"'),
    )


def test_what_is_left_out_is_a_problem() -> None:
    problems = find_broken_keywords(BROKEN)
    assert sorted(problem.pointer for problem in problems) == [
        "/properties/a/type",
        "/properties/b/$ref",
        "/properties/c/pattern",
        "/properties/e/$ref",
    ]
    assert {problem.action for problem in problems} == {"not checked"}


def test_broken_keyword_beside_a_good_one_is_not_read() -> None:
    schema = {"properties": None, "required": ["a"]}
    assert check_value(schema, {}) == (Mismatch("/a", "a value (required)", "nothing"),)


def test_mismatches_are_bounded() -> None:
    assert len(check_value({"items": {"type": "integer"}}, ["x"] * 5000)) == 200


def test_schema_is_not_changed_by_its_check() -> None:
    before = json.dumps(BROKEN)
    check_value(BROKEN, {})
    assert json.dumps(BROKEN) == before


@pytest.mark.parametrize(
    "schema", [3, "x", None, [], {"$ref": 3}, {"properties": 3}, {"allOf": [3]}]
)
def test_schema_that_is_none_never_crashes(schema: Json) -> None:
    assert check_value(schema, {"a": 1}) == ()
    assert all(isinstance(problem, Problem) for problem in find_broken_keywords(schema))


KEYWORDS = st.sampled_from(
    ["type", "properties", "items", "anyOf", "$ref", "enum", "required", "pattern", "not"]
)
SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYWORDS, inner),
    max_leaves=12,
)


@settings(max_examples=examples(60))
@given(SCHEMAS)
def test_any_json_can_stand_for_a_schema(schema: Json) -> None:
    check_value(schema, {"type": [1], "items": {"not": "x"}})


def header_tool() -> Tool:
    parameter = Parameter(name="X-Note", location="header")
    return Tool(
        name="t__note",
        namespace="t",
        operation_name="note",
        description="",
        operation=Operation(method=Method.GET, path="/", pointer="", parameters=(parameter,)),
        shows={},
        checks={"type": "object", "properties": {"note": {"type": "string"}}},
        inputs=(Input(name="note", location="header", target="X-Note"),),
    )


def test_what_http_cannot_carry_is_a_mismatch() -> None:
    assert check(header_tool(), {"note": "a\r\nHost: evil"}) == (
        Mismatch("/note", "text without line breaks and control characters", '"a\\r\\nHost: evil"'),
    )
