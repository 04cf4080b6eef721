"""JSON folded to its shape."""

from __future__ import annotations

import pytest

from restwright.cli.render.outline import outline, read_json
from restwright.jsontypes import Json


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (
            {"total": 2, "items": [{"id": 1, "name": "A"}, {"id": 2}]},
            "{total, items: [2 x {id, name}]}",
        ),
        ([1, 2, 3], "[3 x number]"),
        (["a", None], "[2 x value]"),
        ([[1], [2]], "[2 x list]"),
        ([], "[]"),
        ({}, "{}"),
        ({"a": {"b": {"c": {"d": 1}}}}, "{a: {b: {c: ...}}}"),
        (dict.fromkeys("abcdefghij", 1), "{a, b, c, d, e, f, g, h, ...}"),
        (7, "7"),
    ],
)
def test_the_shape_of_json_is_a_line(value: Json, shape: str) -> None:
    assert outline(value) == shape


@pytest.mark.parametrize("text", ["", "7", "{no", "word", "[" * 100_000])
def test_what_is_no_object_or_list_has_no_shape(text: str) -> None:
    assert read_json(text) is None
