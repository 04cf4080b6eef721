"""What a policy decides is done, before anything is sent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.planned import planned

from restwright.agents.agent import Agent
from restwright.agents.runtime.driver import Performer
from restwright.agents.steps import Call, Event
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import ALLOW, READ_ONLY, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import (
    RecordingTransport,
    Reply,
    ScriptedModel,
    Unscripted,
    document,
    never,
    reply,
)
from restwright.tools.catalog.catalog import catalog

PATHS = {
    "/orders": {
        "get": {"operationId": "list", "responses": {}},
        "post": {"operationId": "add", "responses": {}},
    },
    "/orders/purge": {"get": {"operationId": "purge", "responses": {}}},
}
TOOLS = catalog(load(document(PATHS), alias="shop"))


@pytest.mark.parametrize("name", ["add", "purge"])
def test_under_read_only_nobody_is_asked_and_nothing_is_sent(name: str) -> None:
    result = call(
        TOOLS[f"shop__{name}"], {}, connection=Connection(), send=never, approve=approve_all,
        policy=READ_ONLY,
    )  # fmt: skip
    assert (result.kind, result.text) == (
        "refused",
        f"shop__{name} is not allowed by the policy",
    )


@pytest.mark.parametrize("name", ["add", "purge"])
def test_by_default_a_write_is_asked_about(name: str) -> None:
    result = call(
        TOOLS[f"shop__{name}"], {}, connection=Connection(), send=never, approve=refuse_all
    )
    assert (result.kind, result.text) == ("refused", f"shop__{name} was not allowed")


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("list", READ_ONLY),
        ("list", Policy()),
        ("add", ALLOW),
        ("purge", Policy(tools={"purge": "allow"})),
    ],
)
def test_what_is_allowed_is_sent_without_asking(name: str, policy: Policy) -> None:
    send = RecordingTransport(lambda _: reply(200, []))
    result = call(
        TOOLS[f"shop__{name}"], {}, connection=Connection(), send=send, approve=never,
        policy=policy,
    )  # fmt: skip
    assert result.ok
    assert len(send.sent) == 1


def test_an_agent_keeps_to_its_policy() -> None:
    call_of_it = Call(tool="shop__add", arguments={})
    performer = Performer(
        catalog=TOOLS,
        model=ScriptedModel([]),
        send=never,
        approve=approve_all,
        connections={},
        policy=READ_ONLY,
    )
    assert performer(call_of_it).kind == "refused"


def test_what_an_agent_announces_shows_no_key() -> None:
    schemes = {"key": {"type": "apiKey", "in": "query", "name": "key"}}
    paths = {"/x": {"get": {"operationId": "x", "responses": {}, "security": [{"key": []}]}}}
    written = document(paths, components={"securitySchemes": schemes})
    connection = Connection("https://api.example.test", auth=Secret("canary-4f2a9c71"))
    events: list[Event] = []
    send = RecordingTransport(lambda request: replace(reply(200, {}), url=request.url))
    performer = Performer(
        catalog=catalog(load(written, alias="shop")),
        model=ScriptedModel([]),
        send=send,
        approve=never,
        connections={"shop": connection},
        on_event=events.append,
    )
    result = performer(Call(tool="shop__x", arguments={}))
    assert send.sent[0].url == "https://api.example.test/x?key=canary-4f2a9c71"
    assert "canary" not in f"{events} {result} {performer.trace} {performer.calls}"


ORDERS = {
    "/orders": {
        "get": {"operationId": "list_orders", "responses": {}},
        "post": {"operationId": "add_order", "responses": {}},
    },
    "/orders/current": {"get": {"operationId": "get_order", "responses": {}}},
    "/orders/purge": {"get": {"operationId": "purge_orders", "responses": {}}},
    "/orders/search": {"post": {"operationId": "search_orders", "responses": {}}},
}
OFFERED = {
    "reads": ("find", Policy(), {"list_orders", "get_order"}),
    "all but reads": ("change", Policy(), {"add_order", "purge_orders", "search_orders"}),
    "reads of the user": (
        "find",
        Policy(tools={"search_*": "read"}),
        {"list_orders", "get_order", "search_orders"},
    ),
    "what is not refused": (
        "change",
        Policy(tools={"purge_*": "refuse"}),
        {"add_order", "search_orders"},
    ),
}


def planned_to(kind: str) -> Reply:
    return planned(f"{kind} the orders")


@pytest.mark.parametrize(("kind", "policy", "names"), OFFERED.values(), ids=OFFERED)
def test_a_model_is_offered_what_the_policy_says(kind, policy, names) -> None:
    model = ScriptedModel([planned_to(kind)])
    whole = catalog(load(document(ORDERS), alias="shop"))
    with pytest.raises(Unscripted, match="selector asks"):
        Agent(whole, model=model, send=never, policy=policy).ask("What?")
    schema = model.asked[1].schema or {}
    assert {*schema["properties"]["operation"]["enum"]} == names | {"none"}


def test_a_model_is_offered_no_write_under_read_only() -> None:
    whole = catalog(load(document(ORDERS), alias="shop"))
    agent = Agent(whole, model=ScriptedModel([planned_to("change")]), send=never, policy=READ_ONLY)
    answer = agent.ask("Add one.")
    assert answer.stopped == "error"
    assert "no operation makes this change" in answer.reason


def test_the_index_counts_what_a_name_says_to_be_a_loss_as_a_write() -> None:
    entry = catalog(load(document(ORDERS), alias="shop")).index()["shop"]
    assert (entry["reads"], entry["writes"]) == (2, 3)


def test_a_tool_whose_document_flags_it_is_no_read() -> None:
    flagged = {"operationId": "x", "responses": {}, "x-openai-isConsequential": True}
    assert not catalog(load(document({"/x": {"get": flagged}}), alias="shop"))["shop__x"].is_read
