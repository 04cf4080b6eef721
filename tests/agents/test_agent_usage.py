"""What a run of an agent counts, and logs, of its tools."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tests.support.planned import code, plan_of, select

from restwright.agents.agent import Agent
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.catalog.usage import UsageCounter

PLAN: Reply = (
    "planner",
    plan_of("find the colour of the hat"),
)
SCHEMA = {"type": "object", "properties": {"colour": {"type": "string"}}}
SHOWN = {"200": {"description": "It", "content": {"application/json": {"schema": SCHEMA}}}}
PATHS: dict[str, Any] = {
    "/hat": {
        "get": {"operationId": "get_hat", "summary": "Show the hat", "responses": SHOWN},
        "delete": {"operationId": "drop_hat", "summary": "Delete the hat"},
    },
    "/cap": {"get": {"operationId": "get_cap", "summary": "Show the cap of the hat"}},
}


def shop() -> Catalog:
    return catalog(load(document(PATHS), alias="shop"))


def ask(status: int, *script: Reply, **settings: Any) -> None:
    model = ScriptedModel([PLAN, select("get_hat"), *script])
    send = RecordingTransport(lambda _: reply(status, {"colour": "red"}))
    Agent(shop(), model=model, send=send, **settings).ask("What is the colour of the hat?")


ANSWERED: tuple[Reply, ...] = (
    code("data['colour']"),
    ("answer", {"answer": "The hat is red."}),
)


def test_what_was_offered_and_called_is_counted() -> None:
    counter = UsageCounter()
    ask(200, *ANSWERED, counter=counter)
    assert counter.counts == {
        ("shop__get_hat", "offered"): 1,
        ("shop__get_cap", "offered"): 1,
        ("shop__get_hat", "called"): 1,
    }


def test_a_run_logs_which_tools_the_model_chose_from(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "restwright.tools"):
        ask(200, *ANSWERED)
    (record,) = [each for each in caplog.records if each.name == "restwright.tools"]
    assert record.getMessage().startswith('tools.selected {"event": "tools.selected"')
    assert '"index": {"shop": 2}' in record.getMessage()
