"""A finished run is told again from its journal: no model, no network, the same answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest
from tests.support.planned import FittingModel, code, filled, planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.demo.server import Shop, running
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import Reply, never
from restwright.tools.catalog.catalog import catalog


@pytest.fixture
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


CAMERAS = "[item for item in data['items'] if item['category'] == 'cameras']"
CHEAP = f"(item for item in {CAMERAS} if item['price'] <= 500)"
BEST = code(f"max({CHEAP}, key=lambda item: item['rating'] or 0)")
STOCK = code("data['stock']")
BEST_OF_ITEMS = query(
    "items",
    fields=["name"],
    sort={"by": "rating", "first": "highest"},
    take=1,
    where=[
        {"field": "category", "is": "=", "value": "cameras"},
        {"field": "price", "is": "<=", "value": 500},
    ],
)
ANSWER = worded("The Lumora Field S is the best; 7 are in stock.")
REST: list[Reply] = [
    planned("find the best camera under 500", "find the stock of #1"),
    select("list_products"),
    BEST_OF_ITEMS,
    select("get_product"),
    query("whole", fields=["stock"]),
    ANSWER,
]


def told_twice(shop: Shop, kind: str, script: list[Reply]) -> tuple[Answer, Answer]:
    agent = Agent(
        catalog(load(shop.document_url, alias="shop")),
        model=FittingModel(script),
        connections={
            "shop": Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        },
        approve=approve_all,
        kind=kind,
    )
    with SQLiteJournal() as journal:
        first = agent.ask("Which camera under 500 is the best?", journal=journal)
        again = replace(agent, model=FittingModel([]), send=never, approve=never)
        return first, again.ask(journal=journal, resume=first.session)


def made(*tools: str) -> Reply:
    return ("caller", {"calls": [{"tool": f"shop__{each}", "arguments": {}} for each in tools]})


def act(operation: str, task: str = "") -> Reply:
    return ("reactor", {"thought": "So.", "operation": operation, "task": task})


ID = filled(product_id="")
CHOSEN = [{"reason": "needed", "name": f"shop__{each}"} for each in ("get_cart", "get_customer")]
TASKS = [
    {"operation": "list_products", "task": "the best camera under 500"},
    {"operation": "get_product", "task": "the stock of the best camera under 500"},
]
SCRIPTS: dict[str, list[Reply]] = {
    "rest": REST,
    "calling": [
        ("selector", {"tools": CHOSEN, "answer": ""}),
        made("get_cart", "get_customer"),
        made(),
        ("describer", {"answer": "You are Mira."}),
    ],
    "react": [
        act("list_products", "the best camera under 500"),
        BEST,
        act("get_product", "the stock of the Lumora Field S"),
        ID,
        STOCK,
        act("finish"),
        ANSWER,
    ],
    "plan": [("planner", {"steps": TASKS}), BEST, ID, STOCK, ANSWER],
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_run_is_told_again_without_being_made_again(kind: str, shop: Shop) -> None:
    found = shop.database.rows("SELECT id FROM products WHERE name = 'Lumora Field S'")
    given = filled(product_id=found[0]["id"])
    script = [given if reply is ID else reply for reply in SCRIPTS[kind]]
    first, again = told_twice(shop, kind, script)
    assert first.stopped == "answered"
    assert (again.text, again.calls) == (first.text, first.calls)
    assert again.usage.roles == first.usage.roles
    assert again.usage.http_calls == first.usage.http_calls == 2
    # What would be sent is not told again.
    assert [*again.steps] == [each for each in first.steps if not is_announcement(each)]


def is_announcement(entry: JsonObject) -> bool:
    return entry["step"] == "call" and "outcome" not in entry
