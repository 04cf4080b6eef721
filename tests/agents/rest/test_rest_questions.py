"""The rest agent asks the user for what nothing says, and shows no model what is a human's."""

from __future__ import annotations

import pytest
from tests.support.planned import planned

from restwright.agents.agent import Agent
from restwright.agents.memory.memory import id_producers
from restwright.agents.roles.caller import argument_lines, open_inputs, presentation, reply_schema
from restwright.agents.runtime.human_input import Human, human_from_answers, no_human
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions
from restwright.tools.producers import find_producers

PAYMENT = {
    "type": "object",
    "required": ["amount", "reference", "pin", "account_id"],
    "properties": {
        "amount": {"type": "integer"},
        "reference": {"type": "string", "description": "What stands on the receipt."},
        "pin": {"type": "string", "x-human": True, "description": "four digits"},
        "account_id": {"type": "integer", "x-human": True},
    },
}
ACCOUNTS = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
LISTED = {"200": {"description": "", "content": {"application/json": {"schema": ACCOUNTS}}}}
PAY = {"required": True, "content": {"application/json": {"schema": PAYMENT}}}
LIMIT = {"type": "integer", "maximum": 50, "x-human": True}
TOOLS = catalog(
    load(
        document(
            {
                "/payments": {
                    "post": {
                        "operationId": "pay",
                        "requestBody": PAY,
                        "parameters": [{"name": "limit", "in": "query", "schema": LIMIT}],
                    }
                },
                "/accounts": {"get": {"operationId": "list_accounts", "responses": LISTED}},
            }
        ),
        alias="bank",
    ),
    options=ToolOptions(separation=by_extension("x-human")),
)
TOOL = TOOLS["bank__pay"]
HUMAN = {"pay": {"pin": "canary-7", "account_id": 4}}


def ask(human: Human, *caller: Reply) -> tuple[Answer, ScriptedModel, RecordingTransport]:
    replies = [planned("do pay 3"), *caller]
    model = ScriptedModel([*replies, ("answer", {"answer": "3 are paid."})])
    send = RecordingTransport(lambda _: reply(200, {"paid": 3}))
    agent = Agent(TOOLS, model=model, send=send, approve=approve_all, human=human)
    return agent.ask("Please pay 3."), model, send


def filled(reference: str) -> Reply:
    return ("caller", {"conditions": [], "amount": 3, "reference": reference})


def test_what_a_model_makes_up_is_asked_of_the_user() -> None:
    human = human_from_answers({**HUMAN, "reference": "rent"})
    answer, model, send = ask(human, filled("invented"))
    assert (answer.text, answer.stopped) == ("3 are paid.", "answered")
    body = send.sent[0].body
    assert body == b'{"amount":3,"reference":"rent","pin":"canary-7","account_id":4}'
    assert answer.calls[0].arguments == {"amount": 3, "reference": "rent"}
    assert "canary" not in f"{answer} {answer.steps} {model.asked}"


def test_the_models_that_fill_in_the_arguments_do_not_see_those_of_a_human() -> None:
    _, model, _ = ask(human_from_answers({**HUMAN, "reference": "rent"}), filled("invented"))
    for request in model.asked:
        assert "four digits" not in str(request.messages)
        assert "account_id" not in f"{request.messages} {request.schema}"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (HUMAN, "pay needs reference, which was not said"),
        ({"reference": "rent"}, "bank__pay needs from you: limit, pin, account_id"),
    ],
    ids=["of the question", "of the human's part"],
)
def test_what_nobody_answers_stops_the_run(answers, reason) -> None:
    answer, _, send = ask(human_from_answers(answers, no_human), filled("invented"))
    assert answer.stopped == "question"
    assert reason in answer.reason
    assert send.sent == []


def test_a_human_input_is_no_input_of_the_callers() -> None:
    names = open_inputs(TOOL, {})
    assert names == ("amount", "reference")
    assert "pin" not in str(reply_schema(TOOL, names, {}))
    assert "pin" not in argument_lines(TOOL, names, {})
    assert presentation(TOOL) == {}
    assert id_producers(TOOL, "account_id", TOOLS.tools) == ()
    assert find_producers(TOOL, "account_id", TOOLS.tools) == ()
