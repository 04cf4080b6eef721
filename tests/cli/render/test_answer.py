"""Answers as people see them: tables as tables, words as they come, and nothing that acts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field

import pytest
from tests.support.cli.regen import STYLE, Terminal

from restwright.cli.render.answer import cells_of, print_answer
from restwright.cli.render.output import Output

TABLE = "Here:\n\n| name | price |\n|:-----|------:|\n| A \\| B | 5 |\n| C |\n\nThat is all."
OUT = Output()


@dataclass(frozen=True)
class Shown:
    """A person's terminal."""

    out: Terminal = field(default_factory=Terminal)
    err: Terminal = field(default_factory=Terminal)

    def lines(self) -> list[str]:
        return [line.rstrip() for line in STYLE.sub("", self.out.getvalue()).splitlines()]


@contextmanager
def at_terminal() -> Iterator[Shown]:
    # Not by a fixture: pytest puts streams of its own in their place between that and the test.
    shown = Shown()
    with redirect_stdout(shown.out), redirect_stderr(shown.err):
        yield shown


@pytest.fixture(autouse=True)
def size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "6")


def test_a_table_is_shown_as_one_on_a_terminal() -> None:
    with at_terminal() as shown:
        print_answer(TABLE, OUT)
    assert shown.lines() == [
        "Here:",
        "",
        "name   price",
        "A | B      5",
        "C",
        "",
        "That is all.",
    ]


def test_without_a_terminal_an_answer_is_its_text(capsys) -> None:
    print_answer(TABLE, OUT, values=[[{"a": 1}, {"a": 2}]])
    assert capsys.readouterr().out == f"{TABLE}\n"


ITEMS = [{"name": "A", "price": 5, "tags": ["x"]}, {"name": "B", "in_stock": True, "tags": []}]


def test_a_list_of_objects_that_was_found_is_shown_beneath_the_words() -> None:
    with at_terminal() as shown:
        print_answer("Two.", OUT, values=[ITEMS])
    assert shown.lines() == ["Two.", "name  price  in_stock", "A     5", "B            yes"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("- A\n- B", [ITEMS]),
        (TABLE, [ITEMS]),
        ("Two.", [ITEMS, ITEMS]),
        ("Two.", [["A", "B"]]),
        ("One.", [ITEMS[:1]]),
        ("Many.", [ITEMS * 50]),
        ("None.", []),
    ],
)
def test_nothing_is_shown_twice_and_no_table_is_made_of_what_is_none(
    text: str, values: list[object]
) -> None:
    with at_terminal() as shown:
        print_answer(text, OUT, values=values)
    assert "in_stock" not in shown.out.getvalue()


def test_what_is_strong_is_bold_and_no_mark_is_left() -> None:
    with at_terminal() as shown:
        print_answer("There are **six cameras** under 2 ** 3.\x1b[31m", OUT)
    assert shown.lines() == ["There are six cameras under 2 ** 3.\\x1b[31m"]


def test_ids_are_no_column_beside_others() -> None:
    value = [{"id": 1, "film_id": 2, "filmId": 3, "paid": "no"}] * 2
    assert cells_of(value) == (("paid",), (("no",), ("no",)))
    assert cells_of([{"id": 1}, {"id": 2}]) == (("id",), (("1",), ("2",)))


def test_only_short_values_make_a_column() -> None:
    assert cells_of([{"a": "x" * 81, "b": 1}, {"a": "y", "b": None}]) == (("b",), (("1",), ("",)))
    assert cells_of([{"a": {}}, {"a": []}]) is None


def test_long_json_is_folded_in_a_chat_alone() -> None:
    text = json.dumps({"items": [{"id": number, "name": "x" * 20} for number in range(30)]})
    with at_terminal() as shown:
        print_answer(text, OUT, folds=True)
    assert shown.lines() == ["{items: [30 x {id, name}]}"]
    assert "/copy and /save have them" in " ".join(shown.err.getvalue().split())
    with at_terminal() as shown:
        print_answer(text, Output(verbose=True), folds=True)
    assert "x" * 20 in shown.out.getvalue()
