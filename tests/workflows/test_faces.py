"""Workflows where one request of a call can be asked about, and in an agent's run."""

from __future__ import annotations

import pytest

import restwright as rw
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Call, Conclusion, Steps
from restwright.errors import DocumentUnavailable, NotOpenAPI
from restwright.workflows import load_workflows

NAME = "ordering__buy"


def call_of(name: str, arguments: str) -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    return {"id": "1", "type": "function", "function": function}


def test_a_toolbox_that_can_ask_once_refuses_what_needs_several_words(write, shop):
    box = rw.toolbox(load_workflows(write()), server=shop.url)
    reply = box.reply("openai", call_of(NAME, '{"name": "mug"}'))
    assert "its writes are approved one by one" in str(reply)
    assert (shop.requests, box.pending) == ([], ())


def test_a_toolbox_asks_about_each_write_where_somebody_answers(write, shop):
    asked: list[str] = []

    def approve(tool: rw.Tool, request: rw.Request) -> bool:
        asked.append(f"{tool.name} {request.method}")
        return True

    box = rw.toolbox(load_workflows(write()), server=shop.url, approve=approve)
    reply = box.reply("openai", call_of(NAME, '{"name": "mug"}'))
    assert '"order_id":41' in str(reply).replace(" ", "")
    assert asked == ["orders__addOrder POST"]


def test_a_toolbox_opens_a_document_of_workflows_by_its_path(write, shop, tmp_path):
    box = rw.toolbox(write(), server=shop.url, approve=lambda tool, request: True)
    assert box.catalog.names == (NAME,)
    reply = box.reply("openai", call_of(NAME, '{"name": "mug"}'))
    assert '"order_id":41' in str(reply).replace(" ", "")
    both = rw.toolbox(tmp_path / "buy.arazzo.yaml", tmp_path / "orders.yaml")
    assert {NAME, "orders__getJob"} <= {*both.catalog.names}


def test_a_toolbox_still_says_what_a_document_is_that_it_cannot_open(write, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text("asyncapi: 3.0.0\n", encoding="utf-8")
    with pytest.raises(NotOpenAPI, match="AsyncAPI"):
        rw.toolbox(path)
    write()
    (tmp_path / "orders.yaml").unlink()
    with pytest.raises(DocumentUnavailable, match=r"orders\.yaml"):
        rw.toolbox(tmp_path / "buy.arazzo.yaml")


def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    result = yield Call(tool=NAME, arguments={"name": "mug"})
    assert isinstance(result, rw.Result)
    return Conclusion(text=str(result.value))


def test_an_agent_runs_a_workflow_as_one_call_and_keeps_it(write, shop, tmp_path, monkeypatch):
    monkeypatch.setattr("restwright.agents.agent.KINDS", {"react": loop})
    told: list[str] = []
    asked: list[str] = []

    def approve(tool: rw.Tool, request: rw.Request) -> bool:
        asked.append(f"{tool.name} {request.url.removeprefix(shop.url)}")
        return True

    agent = rw.Agent(
        load_workflows(write()),
        model=rw.testing.ScriptedModel([]),
        connections={"ordering": rw.Connection(shop.url)},
        approve=approve,
        kind="react",
        on_event=lambda event: told.append(event.kind),
    )
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        answer = agent.ask("Order a mug", journal=journal)
        kept = [each["event"] for each in journal.export(answer.session) if "event" in each]
    assert answer.text == "{'order_id': 41, 'status': 'Open'}"
    assert [each.tool for each in answer.calls] == [NAME]
    assert answer.usage.http_calls == 2
    assert asked == ["orders__addOrder /orders"]
    assert told.count("call") == 2
    # The write is kept right before it is sent, and what came of the whole after it.
    assert kept == ["step", "sent", "outcome"]
