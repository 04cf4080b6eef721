"""What the rest agent offers its selector of a catalog that is too large to list."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.planned import plan_of

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

PLAN: Reply = (
    "planner",
    plan_of("find the colour of the hat"),
)
FIELDS: Reply = ("parser", {"fields": ["colour"]})
ANSWER: Reply = ("answer", {"answer": "The hat is red."})
SHOWN = {"200": {"description": "A hat", "content": {"application/json": {"schema": {
    "type": "object", "properties": {"colour": {"type": "string"}}}}}}}  # fmt: skip


def large(count: int = 70) -> Catalog:
    paths: dict[str, Any] = {
        f"/things/{n}": {"get": {"operationId": f"thing{n}", "summary": "Show a thing"}}
        for n in range(count)
    }
    paths["/hat"] = {
        "get": {"operationId": "get_hat", "summary": "Show the hat", "responses": SHOWN},
        "delete": {"operationId": "drop_hat", "summary": "Delete the hat"},
    }
    paths["/cap"] = {"get": {"operationId": "get_cap", "summary": "Show the cap of the hat"}}
    return catalog(load(document(paths), alias="shop"))


def asked(whole: Catalog, *script: Reply, **settings: Any) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel([PLAN, *script, FIELDS, ANSWER])
    send = RecordingTransport(lambda request: reply(200, {"colour": "red"}))
    agent = Agent(whole, model=model, send=send, **settings)
    return agent.ask("What is the colour of the hat?"), model


def listed(model: ScriptedModel) -> list[str]:
    """The operations in the prompt of the selector."""
    (request,) = [each for each in model.asked if each.role == "selector"]
    told = request.messages[-3].text.splitlines()
    return [each[2:].partition(":")[0] for each in told if each.startswith("- ")]


def test_a_short_list_is_searched_in_a_large_catalog() -> None:
    answer, model = asked(
        large(), ("selector", {"asked": "it", "of": "it", "operation": "get_hat"})
    )
    assert answer.text == "The hat is red."
    names = listed(model)
    assert {"get_hat", "get_cap"} <= set(names)
    assert len(names) <= 20
    assert "drop_hat" not in names


def test_a_small_catalog_is_listed_in_the_order_of_its_document() -> None:
    _, model = asked(large(3), ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}))
    assert listed(model) == ["thing0", "thing1", "thing2", "get_hat", "get_cap"]


def test_an_api_of_which_nothing_is_offered_is_not_built() -> None:
    cats = {f"/cats/{n}": {"get": {"operationId": f"cat{n}"}} for n in range(80)}
    (shop,) = large().apis.values()
    whole = catalog(shop, load(document(cats), alias="zoo"))
    asked(whole, ("selector", {"asked": "it", "of": "it", "operation": "get_cap"}))
    assert {each.namespace for each in whole.built.values()} == {"shop"}


def test_the_model_may_word_what_is_searched_for() -> None:
    expander: Reply = ("expander", {"phrases": ["show thing 17"]})
    answer, model = asked(
        large(),
        expander,
        ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}),
        expands=True,
    )
    assert answer.usage.model_calls == 5
    assert {"get_hat", "thing17"} <= set(listed(model))


def test_a_search_that_is_not_expanded_goes_on() -> None:
    answer, _ = asked(
        large(),
        ("expander", "nothing"),
        ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}),
        expands=True,
    )
    assert answer.stopped == "answered"
    assert any("the search is not expanded" in each.get("text", "") for each in answer.steps)


def test_each_list_is_logged_as_the_model_was_given_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "restwright.tools"):
        _, model = asked(large(), ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}))
        asked(large(3), ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}))
    first, second = [json.loads(each.getMessage().partition(" ")[2]) for each in caplog.records]
    assert first["event"] == "tools.selected"
    assert (first["agent"], first["provider"], first["total"]) == ("rest", "scripted", 73)
    assert first["index"] == {"shop": len(listed(model))}
    assert first["sample"] == [f"shop__{each}" for each in listed(model)][:10]
    assert first["reason"] == "72 reads, more than 60; these were found for the task"
    assert (second["index"], second["reason"]) == ({"shop": 5}, "all reads that are left")
    assert first["hash"] != second["hash"]


def test_a_small_catalog_is_not_expanded() -> None:
    _, model = asked(
        large(3), ("selector", {"asked": "it", "of": "it", "operation": "get_hat"}), expands=True
    )
    assert [each.role for each in model.asked] == ["planner", "selector", "parser", "answer"]
