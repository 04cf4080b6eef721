"""The plan with its states, and where each value of a request came from."""

from __future__ import annotations

import pytest

from restwright.jsontypes import Json, JsonObject
from restwright.web.chat.records import RecordKind, RunRecord
from restwright.web.chat.trace import list_lines, read_plan, sum_up, trace_origins

PLAN: list[tuple[RecordKind, str]] = [("plan", "1. find a bag"), ("plan", "2. buy it")]


def records(*given: tuple[RecordKind, str] | tuple[RecordKind, str, JsonObject]) -> list[RunRecord]:
    return [
        RunRecord(number, one[0], one[1], one[2] if len(one) == 3 else {}, 0.5 * number, 0)
        for number, one in enumerate(given, 1)
    ]


@pytest.mark.parametrize(
    ("after", "states"),
    [
        ([], ["going", "open"]),
        ([("select", "list_bags to find a bag")], ["going", "open"]),
        ([("select", "add_item to buy it")], ["done", "going"]),
        ([("select", "add_item to buy it"), ("end", "refused")], ["done", "left"]),
        ([("end", "answered")], ["done", "done"]),
    ],
)
def test_a_plan_has_the_state_of_each_step(
    after: list[tuple[RecordKind, str]], states: list[str]
) -> None:
    assert [line.state for line in read_plan(records(*PLAN, *after))] == states


def test_what_was_used_is_summed_up_and_words_are_no_lines() -> None:
    reply: JsonObject = {"role": "answer", "input_tokens": 10, "output_tokens": 5, "cost": 0.5}
    told = records(
        ("reply", "yes", reply), ("words", "y"), ("reply", "no", {**reply, "cost": None})
    )
    totals = sum_up(told)
    assert (totals.lines, totals.model_calls, totals.input_tokens) == (2, 2, 20)
    assert totals.cost == 0.5
    assert [line.tokens for line in list_lines(told)] == [(10, 5), (10, 5)]


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("Ada", "you said it"),
        (12, "you said it"),
        ("prod-77", "from the response of shop__list"),
        (1, "the document's default"),
        (3, "chosen by the agent"),
        ("made-up", "chosen by the agent"),
        (True, "chosen by the agent"),
        (None, "chosen by the agent"),
    ],
)
def test_a_value_has_an_origin_only_where_it_can_be_told(value: Json, origin: str) -> None:
    told = records(
        ("response", "200", {"tool": "shop__list", "value": [{"id": "prod-77", "n": 3}]})
    )
    request: JsonObject = {"url": "https://shop.test/v1/items", "body": {"quantity": value}}
    schema: JsonObject = {"properties": {"quantity": {"default": 1}}}
    (found,) = trace_origins(request, "/items", ["12 of these for Ada"], told, schema)
    assert (found.name, found.origin, found.is_known) == (
        "quantity",
        origin,
        origin != "chosen by the agent",
    )


def test_values_stand_in_the_path_the_query_and_deep_in_a_body() -> None:
    request: JsonObject = {
        "url": "https://shop.test/v1/users/a%20b/items?page=2",
        "body": {"to": {"city": "Bern"}, "tags": ["x"]},
    }
    found = trace_origins(request, "/users/{user}/items", [], [])
    named = [(one.name, one.value) for one in found]
    assert named == [("user", "a b"), ("page", "2"), ("to.city", "Bern"), ("tags[0]", "x")]
