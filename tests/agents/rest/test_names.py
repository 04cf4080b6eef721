"""The names that a message has in no quotation marks."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.agents.rest.names import list_marked, quote_each, quote_names
from restwright.agents.rest.provenance import QUOTED
from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog

PATHS: JsonObject = {
    "/boats/{boat}/sails": {
        "get": {
            "operationId": "listSails",
            "parameters": [
                {"name": "boat", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "responses": {"200": {"description": ""}},
        }
    }
}


OPEN, CLOSE = "\u2018", "\u2019"


def marked(text: str) -> str:
    return text.replace("<", OPEN).replace(">", CLOSE)


def tools() -> Catalog:
    return catalog(load(document(PATHS), alias="sea"))


def quoted(message: str, names: Sequence[str]) -> tuple[str, list[Complete]]:
    """What becomes of a message, and what the model was asked."""
    steps, asked = quote_names(message, tools()), list[Complete]()
    try:
        request = next(steps)
        while True:
            assert isinstance(request, Complete)
            asked.append(request)
            request = steps.send(Completion(text=orjson.dumps({"names": list(names)}).decode()))
    except StopIteration as end:
        return str(end.value), asked


@pytest.mark.parametrize(
    ("message", "names", "expected"),
    [
        ("Sell the boat ode-2.", ["ode-2"], "Sell the boat <ode-2>."),
        ("Sell the boat ode.", ["boat ode"], "Sell the boat <ode>."),
        ("Sell the boats.", ["boats"], "Sell the boats."),
        ("Sell boat 12.", ["12"], "Sell boat 12."),
        ("Sell the boat ode.", ["tern"], "Sell the boat ode."),
        ("Is ode older than odeon?", ["ode"], "Is <ode> older than odeon?"),
        ("Sell x-1 “x-1 of old”.", ["x-1"], "Sell <x-1> “x-1 of old”."),
        ("If ode is old, sell ode.", ["ode"], "If <ode> is old, sell <ode>."),
        ("船A-1を売って。", ["A-1"], "船<A-1>を売って。"),
    ],
)
def test_a_name_is_quoted_where_the_message_has_it(
    message: str, names: list[str], expected: str
) -> None:
    assert quoted(message, names)[0] == marked(expected)


@pytest.mark.parametrize(
    ("message", "is_asked"),
    [
        ("Sell the boat ode.", True),
        ("Sell the boat “Ode”.", False),
        ("Sell the boat “Ode” to Anna.", True),
        ("Sell the boat “Ode” to a_1.", True),
        ("Set the length of “Ode” to 12.", False),
        ("船“Ode”の長さを、12にしてください。", False),
        ("船“Ode”をAnnaに売って。", True),
    ],
)
def test_the_model_is_asked_where_names_may_be_without_marks(message: str, is_asked: bool) -> None:
    assert bool(quoted(message, [])[1]) is is_asked


def test_what_is_quoted_is_no_part_of_the_prompt() -> None:
    _, (asked,) = quoted("Sell the boat “Ode” to Anna.", ["N1"])
    assert asked.messages[-1].text == marked("Sell the boat <N1> to Anna.")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Est-ce que le bateau old-one est là ?", ["old-one"]),
        ("Wem gehört das UKW-Gerät b_12?", ["b_12"]),
        ("Vor 12:30, am 2026-01-02 und für 3.5", []),
        ("Sell “old-one” to ode@port.example.", ["ode@port.example"]),
    ],
)
def test_words_are_marked_by_signs_within(message: str, expected: list[str]) -> None:
    assert list_marked(message) == expected


@given(st.text(max_size=60), st.lists(st.text(min_size=2, max_size=9), max_size=4))
def test_nothing_but_marks_is_added(message: str, names: list[str]) -> None:
    whole = [name for name in names if QUOTED.fullmatch(f"{OPEN}{name}{CLOSE}")]
    marks = str.maketrans("", "", OPEN + CLOSE)
    assert quote_each(message, whole).translate(marks) == message.translate(marks)
