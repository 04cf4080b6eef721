"""Parts of a value, by an expression."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.response.projection import (
    MAX_CHARS,
    check_expression,
    estimate_longest_text,
    pick_value,
)
from restwright.errors import UnusableExpression

SHOP = {
    "items": [
        {"id": 1, "name": "Teapot", "price": 12.5, "tags": ["blue"]},
        {"id": 2, "name": "Cup", "price": 4, "tags": []},
    ],
    "total": 2,
}


@pytest.mark.parametrize(
    ("expression", "picked"),
    [
        ("total", 2),
        ("items[].name", ["Teapot", "Cup"]),
        ("items[?price > `10`].{id: id, tag: tags[0]}", [{"id": 1, "tag": "blue"}]),
        ("sum(items[].price)", 16.5),
        ("sort_by(items, &price)[0].name", "Cup"),
        ("map(&to_string(id), items)", ["1", "2"]),
        ("nothing.here", None),
        ("@", SHOP),
        ("items[0:1].[id, name]", [[1, "Teapot"]]),
        ("items[].tags[] | [0]", "blue"),
        ("join(', ', items[].name)", "Teapot, Cup"),
        (
            "{" + ",".join(f"a{n}: total" for n in range(100)) + "}",
            {f"a{n}": 2 for n in range(100)},
        ),
    ],
)
def test_what_an_expression_picks(expression, picked):
    assert pick_value(SHOP, expression) == picked


@pytest.mark.parametrize(
    "expression",
    [
        *("", "items[", "items[].", "nothing(@)", "length()", "length(total)", "sum(items)"),
        *("items[::0]", "a" * (MAX_CHARS + 1), "((" * 400, "@." * 900, "!" * 1900 + "a"),
        *("'" * 3, '"\\ud8"', "sort_by(items, &tags)", "avg(total)", "a.b[?c=='"),
    ],
)
def test_an_expression_that_cannot_be_used_is_an_error_of_one_line(expression):
    with pytest.raises(UnusableExpression) as raised:
        pick_value(SHOP, expression)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


MULTIPLYING = json.loads((Path(__file__).parents[2] / "adversarial/pick.json").read_text())
MANY = {"text": "x" * 50_000, "items": ["y"] * 60_000}


@pytest.mark.parametrize("row", MULTIPLYING, ids=lambda row: row["name"])
def test_an_expression_that_multiplies_the_value_is_refused(row: dict[str, str]) -> None:
    with pytest.raises(UnusableExpression, match="too often"):
        pick_value(MANY, row["expression"])


def test_a_function_that_is_not_known_yet_cannot_repeat_a_text() -> None:
    assert estimate_longest_text(["x" * 1000, 10**9]) == 10**12
    assert estimate_longest_text([["a"] * 1000, "ab"]) == 2000
    assert estimate_longest_text([{"a": 1}, 7, None]) == 0


def test_an_expression_ends_in_time():
    with pytest.raises(UnusableExpression, match="longer than"):
        pick_value(SHOP, "items[?id > `5`].{a: id, b: id} | [].a", max_seconds=0.0)


ALPHABET = "abc@*&|!?<>=.,:()[]{}'`\"0- items to_string total"


@settings(max_examples=examples(300))
@given(st.text(ALPHABET, max_size=30) | st.text(max_size=10))
def test_any_expression_picks_or_is_refused(expression):
    with suppress(UnusableExpression):
        pick_value(SHOP, expression)


@pytest.mark.parametrize(
    ("expression", "why"),
    [("a..b", 'column 2 has "."'), ("a.b)", 'column 3 has ")"')],
)
def test_what_cannot_be_read_is_said_by_its_place(expression: str, why: str) -> None:
    with pytest.raises(UnusableExpression) as caught:
        check_expression(expression)
    assert str(caught.value).startswith(f"cannot pick {expression!r}: {why};")
