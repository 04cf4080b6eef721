from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.tools.text.type_summary import summarize_type, summarize_value_type


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


STR, INT = {"type": "string"}, {"type": "integer"}
PRODUCT = of(
    id=STR,
    name=STR,
    price={"type": "number"},
    options={"type": "array", "items": of(name=STR, values={"type": "array", "items": STR})},
)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            of(total=INT, items={"type": "array", "items": PRODUCT}),
            "{total: int, items: [{id: str, name: str, price: number,"
            " options: [{name: str, values: [str]}]}]}",
        ),
        (of(a={"enum": ["x", "y"]}, b={"const": 1}), "{a: 'x'|'y', b: 1}"),
        (of(a={"enum": [True, None]}), "{a: true?}"),
        (of(a={"enum": ["x", "y", None]}), "{a: ('x'|'y')?}"),
        ({"enum": list(range(10))}, "0|1|2|3|4|5|6|7|..."),
        ({"type": ["string", "null"]}, "str?"),
        ({"type": ["string", "integer"]}, "str | int"),
        ({"anyOf": [STR, {"type": "null"}]}, "str?"),
        ({"oneOf": [STR, INT, {"type": "null"}]}, "(str | int)?"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": ["string", "null"], "format": "date-time"}, "datetime?"),
        ({"type": "string", "format": "hostname"}, "str"),
        ({"type": "object", "additionalProperties": INT}, "{*: int}"),
        ({"type": "object"}, "{}"),
        ({"type": "array"}, "[any]"),
        ({"prefixItems": [STR, INT], "type": "array"}, "[str, int]"),
        ({"properties": {"a-b": STR, "it's": INT}}, "{'a-b': str, 'it\\'s': int}"),
        (
            {"allOf": [{"$ref": "#/$defs/A"}, of(b=INT)], "$defs": {"A": of(a=STR)}},
            "{a: str, b: int}",
        ),
        ({}, "any"),
        (True, "any"),
        (None, "any"),
    ],
    ids=lambda each: each if isinstance(each, str) else None,
)
def test_a_schema_is_one_line(schema: Any, expected: str) -> None:
    assert summarize_type(schema) == expected


def test_a_schema_that_contains_itself_ends_with_its_name() -> None:
    category = of(name=STR, parent={"$ref": "#/$defs/Category"})

    assert (
        summarize_type({"$ref": "#/$defs/Category", "$defs": {"Category": category}})
        == "{name: str, parent: Category}"
    )


def test_deep_parts_are_left_out_until_it_fits() -> None:
    deep = of(a=STR, b=of(c=STR, d=of(e=STR)))

    assert summarize_type(deep, max_chars=40) == "{a: str, b: {c: str, d: {e: str}}}"
    assert summarize_type(deep, max_chars=32) == "{a: str, b: {c: str, d: {...}}}"
    assert summarize_type(deep, max_chars=20) == "{a: str, b: {...}}"


def test_many_properties_are_cut_with_closed_brackets() -> None:
    many = {"type": "array", "items": of(**{f"property_{n}": STR for n in range(20)})}

    assert summarize_type(many, max_chars=60) == "[{property_0: str, property_1: str, ...}]"


def test_definitions_that_multiply_are_bounded() -> None:
    definitions = {
        f"L{n}": of(a={"$ref": f"#/$defs/L{n + 1}"}, b={"$ref": f"#/$defs/L{n + 1}"})
        for n in range(30)
    }
    text = summarize_type(
        {"$ref": "#/$defs/L0", "$defs": {**definitions, "L30": STR}}, max_chars=300
    )

    assert text.startswith("{a: {a: ")
    assert len(text) <= 300


def test_a_value_has_a_shape_too() -> None:
    value = {"rows": [{"id": 1, "x": None}, {"id": 2.5, "y": [True]}], "none": [], "s": "a"}

    assert (
        summarize_value_type(value)
        == "{rows: [{id: number, x: null, y: [bool]}], none: [any], s: str}"
    )


@pytest.mark.parametrize("levels", [198, 5_000])
def test_no_depth_of_lists_needs_a_deep_stack(levels: int) -> None:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    assert frames_down(300, lambda: summarize_value_type(value)).startswith("[[[[")


def test_a_schema_on_many_levels_is_told_as_far_as_it_fits() -> None:
    lists: Any = STR
    for _ in range(5_000):
        lists = {"anyOf": [{"type": "array", "items": lists}, {"type": "null"}]}
    assert frames_down(300, lambda: summarize_type(lists)).startswith("[[[[")


def frames_down(frames: int, told: Callable[[], str]) -> str:
    return frames_down(frames - 1, told) if frames else told()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=12,
)


@given(values)
def test_every_value_has_a_shape_within_the_limit(value: Any) -> None:
    assert 0 < len(summarize_value_type(value, max_chars=200)) <= 200
