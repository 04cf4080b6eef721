"""JSON in few characters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from restwright.calls.shorten import compact, one_line, shorten

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@settings(max_examples=80, deadline=None)
@given(JSON, st.integers(64, 400))
def test_shortened_value_is_json_within_its_bound(value: object, room: int) -> None:
    text = shorten(value, room)
    assert len(text) <= room
    json.loads(text)


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_value_that_fits_is_whole(value: object) -> None:
    assert json.loads(shorten(value, 100_000)) == value


def test_array_keeps_its_first_items_whole_and_counts_the_rest() -> None:
    items = [{"id": number, "name": f"item {number}"} for number in range(60)]
    assert shorten(items, 80) == (
        '[{"id":0,"name":"item 0"},{"id":1,"name":"item 1"},"... 58 more items"]'
    )


def test_object_keeps_small_properties_and_cuts_the_large_one() -> None:
    value = {"items": [{"id": number} for number in range(1000)], "total": 1000, "next": None}
    assert shorten(value, 90) == (
        '{"items":[{"id":0},{"id":1},{"id":2},"... 997 more items"],"total":1000,"next":null}'
    )


def test_object_with_too_many_properties_counts_what_it_leaves_out() -> None:
    value = {f"key{number}": number for number in range(100)}
    assert shorten(value, 64) == ('{"key0":0,"key1":1,"key2":2,"...":"... 97 more properties"}')


def test_long_text_is_cut_with_a_count() -> None:
    assert shorten("x" * 1000, 64) == f'"{"x" * 24}... (976 more characters)"'


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x"])
def test_value_that_json_has_no_form_for_is_text(value: object) -> None:
    assert isinstance(json.loads(compact(value)), str)


def test_one_line_collapses_white_space() -> None:
    assert one_line(" a\n\n b\t" + "c" * 20, 12) == "a b ccccc..."
