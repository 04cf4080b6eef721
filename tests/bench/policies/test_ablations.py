"""The loop of `rest` without its planner, and without its parser."""

from __future__ import annotations

import pytest
from tests.support.planned import FittingModel, code, filled, planned, select, worded

from restwright.agents.agent import Agent
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog
from restwright_bench.policies.ablations import AGENT_KINDS, loop_of

SHIP_ID = {"name": "ship_id", "in": "path", "required": True, "schema": {"type": "string"}}
SHIPS = [{"id": "s-1", "name": "Aurora", "length": 41}, {"id": "s-2", "name": "Boreas"}]
LISTED: JsonObject = {
    "200": {
        "description": "",
        "content": {
            "application/json": {
                "schema": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"id": {"type": "string"}}},
                }
            }
        },
    }
}
HARBOUR = catalog(
    load(
        document(
            {
                "/ships": {"get": {"operationId": "list_ships", "responses": LISTED}},
                "/ships/{ship_id}": {
                    "delete": {
                        "operationId": "delete_ship",
                        "parameters": [SHIP_ID],
                        "responses": {},
                    }
                },
            }
        ),
        alias="port",
    )
)
CHOICE = select("list_ships")


def ask(
    kind: str, question: str, *script: Reply, is_small: bool = False
) -> tuple[str, FittingModel, list[str]]:
    model = FittingModel(script, is_small=is_small)
    send = RecordingTransport(lambda request: reply(200, SHIPS if request.method == "GET" else {}))
    agent = Agent(HARBOUR, model=model, send=send, kind=loop_of(kind), approve=approve_all)
    answer = agent.ask(question)
    assert model.left == ()
    return answer.text, model, [f"{request.method} {request.url}" for request in send.sent]


def test_without_planner_the_whole_message_is_one_step() -> None:
    text, model, sent = ask(
        "rest-without-planner",
        "How long is the Aurora?",
        ("planner", {"language": "English", "kind": "find", "quantity": "one"}),
        CHOICE,
        code("data[0]['length']"),
        worded("It is 41 m long."),
    )
    assert (text, len(sent)) == ("It is 41 m long.", 1)
    asked = {request.role: request.messages[-1].text for request in model.asked}
    assert asked["planner"] == "How long is the Aurora?"
    assert "How long is the Aurora?" in asked["selector"]


def test_without_planner_a_change_is_still_one() -> None:
    text, _, sent = ask(
        "rest-without-planner",
        "Delete the ship s-1.",
        ("planner", {"language": "English", "kind": "change", "quantity": "one"}),
        select("delete_ship"),
        filled(ship_id="s-1"),
        worded("The ship s-1 is deleted."),
    )
    assert text == "The ship s-1 is deleted."
    assert [line.partition(" ")[0] for line in sent] == ["GET", "DELETE"]


@pytest.mark.parametrize("is_small", [True, False])
def test_without_parser_the_shortened_response_is_the_fact(is_small: bool) -> None:
    text, model, _ = ask(
        "rest-without-parser",
        "How long is the Aurora?",
        planned("find the length of the Aurora"),
        CHOICE,
        worded("The Aurora is 41 m long."),
        is_small=is_small,
    )
    assert text.startswith("The Aurora is 41 m long.")
    assert "id: s-2, name: Boreas" in model.asked[-1].messages[-1].text


def test_a_kind_that_is_no_ablation_is_itself() -> None:
    assert loop_of("react") == "react"
    assert {"rest", "dfsdt", "rest-without-planner", "rest-without-parser"} <= {*AGENT_KINDS}


@pytest.mark.parametrize("reply", ["", "[]", '{"kind": null}'])
def test_what_says_nothing_of_the_message_is_a_question(reply: str) -> None:
    script: tuple[Reply, ...] = (
        ("planner", reply),
        select("none"),
    )
    text, _, sent = ask("rest-without-planner", "How long is the Aurora?", *script)
    assert "Not found: How long is the Aurora?" in text
    assert sent == []
