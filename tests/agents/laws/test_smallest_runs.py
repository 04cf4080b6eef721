"""Laws of `rest`, each by the smallest run that could break it."""

from __future__ import annotations

from typing import Any

from tests.support.planned import FittingModel, code, filled, planned, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

IDS: JsonObject = {"type": "array", "items": {"type": "integer"}, "minItems": 1}
MANY: JsonObject = {"type": "object", "properties": {"ids": IDS}, "required": ["ids"]}
SHIPS: Json = [{"id": 1, "name": "Aurora"}, {"id": 2, "name": "Boreas"}]
BATCH: JsonObject = {
    "operationId": "batch_ships",
    "requestBody": {"required": True, "content": {"application/json": {"schema": MANY}}},
    "responses": {"200": {"description": ""}},
}
PATHS: JsonObject = {
    "/ships": {"get": {"operationId": "list_ships", "responses": {}}},
    "/ships/batch-delete": {"post": BATCH},
}


def step(number: int, kind: str, what: str, *of: int, **more: Any) -> JsonObject:
    return {"id": number, "kind": kind, "what": what, "of": [*of], "quantity": "one", **more}


def ask(
    question: str, *script: Reply, paths: JsonObject = PATHS, is_small: bool = False
) -> tuple[Answer, list[str]]:
    """The answer, and the bodies of the writes that were sent."""
    model = FittingModel(script, is_small=is_small)
    send = RecordingTransport(lambda one: reply(200, SHIPS if one.method == "GET" else {}))
    agent = Agent(
        catalog(load(document(paths), alias="port")),
        model=model,
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask(question)
    return answer, [one.body.decode() for one in send.sent if one.method != "GET"]


def test_ids_in_a_list_are_not_derived() -> None:
    changed = step(1, "change", "delete the old ship")
    script = (planned(changed), select("batch_ships"), filled(ids=[4]), worded("Ok."))
    _, sent = ask("Delete the old ship.", *script)
    assert sent == []


def test_a_list_of_ids_is_not_sent_for_a_step_of_one_thing() -> None:
    changed = step(1, "change", "delete the ship 1 and not 2")
    script = (planned(changed), select("batch_ships"), filled(ids=[1, 2]), worded("Ok."))
    _, sent = ask("Delete the ship 1, not 2.", *script)
    assert sent == []


def test_a_plan_that_goes_in_a_circle_is_not_taken() -> None:
    plan = planned(step(1, "find", "the ship", 1))
    answer, _ = ask("Which ship is the longest?", plan, plan)
    assert (answer.stopped, answer.error) == ("error", None)


def test_a_plan_with_a_condition_of_no_step_is_not_taken() -> None:
    plan = planned(step(1, "change", "delete it", condition={"step": 7, "holds": True}))
    answer, _ = ask("Delete it if it is old.", plan, plan)
    assert (answer.stopped, answer.error) == ("error", None)


def test_a_message_without_steps_is_answered_without_claims() -> None:
    claim = 'All 77 ships were deleted, "Zephyr" too.'
    answer, sent = ask("Delete all ships.", planned(), worded(claim))
    assert sent == []
    assert "77" not in answer.text


def test_a_number_that_only_the_plan_has_is_not_told() -> None:
    found = step(1, "find", "the ship of 41 m")
    answer, _ = ask(
        "Which ship is the longest?",
        planned(found),
        select("list_ships"),
        code("data[0]['name']"),
        worded("Aurora is 41 m long."),
        worded("It is Aurora."),
    )
    assert "41" not in answer.text


def test_what_is_computed_is_no_id() -> None:
    ship = {"type": "object", "properties": {"id": {"type": "integer"}}}
    listed = {"application/json": {"schema": {"type": "array", "items": ship}}}
    ship_id = {"name": "ship_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    paths: JsonObject = {
        "/ships": {
            "get": {
                "operationId": "list_ships",
                "responses": {"200": {"description": "", "content": listed}},
            }
        },
        "/ships/{ship_id}/archive": {
            "post": {"operationId": "archive_ship", "parameters": [ship_id], "responses": {}}
        },
    }
    every = {"things": "things", "where": [], "sort": None, "take": None, "fields": []}
    script = (
        planned(step(1, "change", "archive the old ship")),
        select("archive_ship"),
        filled(ship_id=None),
        ("lookup", {"kind": "ship", "which": "the old ship", "name": None}),
        ("reader", {**every, "give": "sum", "fields": ["id"]}),
        worded("Ok."),
    )
    answer, sent = ask("Archive the old ship.", *script, paths=paths, is_small=True)
    assert sent == [], answer
