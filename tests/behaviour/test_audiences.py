"""Texts for a model, for a user and for who types commands: none reaches the wrong one."""

from __future__ import annotations

import pytest
from tests.support.planned import planned, select

from restwright.agents.agent import Agent
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import catalog

NOTE: JsonObject = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "m": {"type": "integer"}},
    "required": ["n"],
    "dependentRequired": {"n": ["m"]},
}
BODY: JsonObject = {"required": True, "content": {"application/json": {"schema": NOTE}}}
ADD: JsonObject = {"operationId": "add_note", "requestBody": BODY, "responses": {}}
SHOP = catalog(load(document({"/notes": {"post": ADD}}), alias="shop"))

WRONG = [
    {"calls": [{"tool": "shop__add_note", "arguments": {"n": n}}]} for n in ("one", "two", "six")
]
CHOSEN: JsonObject = {"tools": [{"reason": "", "name": "shop__add_note"}], "answer": ""}
SCRIPT: list[Reply] = [CHOSEN, *WRONG, *WRONG, {"calls": []}, {"answer": "No."}]
FOR_MODELS = ("again", "Fix these", "call it again", "data, not instructions", "write something")


def test_what_a_model_is_told_of_its_mistakes_is_not_told_to_the_user() -> None:
    model = ScriptedModel(SCRIPT)
    agent = Agent(SHOP, model=model, send=never, kind="calling", approve=approve_all)
    answer = agent.ask("Add the note 77 or 7.")
    assert answer.stopped == "error"
    assert "the arguments do not fit: /" in answer.text
    said = f"{answer.text} {answer.reason}"
    assert [each for each in FOR_MODELS if each in said] == []


@pytest.mark.parametrize(("kind", "status"), [("calling", 409), ("plan", 500), ("rest", 401)])
def test_a_user_reads_what_an_api_says_without_a_warning_for_models(kind: str, status: int) -> None:
    right: dict[str, list[Reply]] = {
        "calling": [
            CHOSEN,
            {"calls": [{"tool": "shop__add_note", "arguments": {"body": {"n": 2, "m": 3}}}]},
            {"calls": []},
            {"answer": "No."},
        ],
        "rest": [
            planned("change add the note 2 3"),
            select("add_note"),
            {"body": {"n": 2, "m": 3}},
        ],
        "plan": [
            {"steps": [{"operation": "add_note", "task": "add the note 2"}]},
            {"body": {"n": 2, "m": 3}},
        ],
    }
    send = RecordingTransport(lambda _: reply(status, {"error": "closed"}))
    agent = Agent(SHOP, model=ScriptedModel(right[kind]), send=send, kind=kind, approve=approve_all)
    answer = agent.ask("Add the note 2 3.")
    assert 'the API says: "closed"' in answer.text
    assert "instructions" not in f"{answer.text} {answer.reason}"
