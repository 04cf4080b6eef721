"""The agents of manifests as tools: steps as progress, forms for their user, one end for all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from tests.support.mcp.serving import (
    ERAS,
    Person,
    call,
    connected,
    says,
    serving,
    talk,
    texts,
    until,
)

from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Complete, Completion, Question
from restwright.mcp.assembly import ServeOptions
from restwright.mcp.providers.agent_tools import make_form
from restwright.tools.toolset.meta_tools import ToolCall

MANIFEST = """\
title: Keeper
description: Keeps the nodes of this project.
agent: calling
apis:
  - {{document: tricky.json, alias: nodes, server: {url}}}
"""
NAME, ASKED = "ask_keeper", {"question": "Delete node 7."}


@dataclass
class Calling:
    """A model that makes these calls one after another, and then says that it is done."""

    calls: list[tuple[str, dict[str, Any]]]
    name: str = "calling"
    calls_tools: bool = True
    is_small: bool = False
    made: int = 0

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        if request.role == "selector":
            tools = [{"reason": "", "name": f"nodes__{name}"} for name, _ in self.calls]
            return Completion(text=json.dumps({"tools": tools, "answer": ""}))
        if request.role == "describer":
            return Completion(text='{"answer": "It is done."}')
        if self.made == len(self.calls):
            return Completion(text="It is done.")
        name, arguments = self.calls[self.made]
        self.made += 1
        call = ToolCall(f"nodes__{name}", arguments, f"call-{self.made}")
        return Completion(text="", calls=(call,))


def model_calling(*calls: tuple[str, dict[str, Any]]) -> Callable[[Any], Calling]:
    model = Calling([*calls])
    return lambda _manifest: model


DELETING = ("deleteNode", {"id": "7"})


def serving_agent(api, folder, find_model, **more):
    api.write(folder)
    path = folder / "keeper.yaml"
    path.write_text(MANIFEST.format(url=api.url))
    options = ServeOptions(exposure="search")
    return serving(path, options=options, find_model=find_model, **more)


def test_an_agent_is_a_tool_whatever_else_is_listed(api, tmp_path, era):
    served = serving_agent(api, tmp_path, model_calling())
    tools = {tool.name: tool for tool in talk(served, era, lambda each: each.list_tools()).tools}
    assert [*tools] == ["search_tools", "show_tool", "call_tool", NAME]
    assert "Keeps the nodes" in tools[NAME].description
    assert tools[NAME].annotations.destructive_hint is True


def test_without_a_model_there_is_no_such_tool(api, tmp_path, era):
    served = serving_agent(api, tmp_path, lambda _manifest: None)
    tools = talk(served, era, lambda each: each.list_tools()).tools
    assert NAME not in {tool.name for tool in tools}


def test_its_steps_are_progress_and_its_answer_the_result(api, tmp_path, era):
    served = serving_agent(api, tmp_path, model_calling(("listNodes", {})))
    told: list[str] = []

    async def progress(done, total, message):
        told.append(message)

    async def say(client):
        return await client.call_tool(NAME, ASKED, progress_callback=progress)

    result = talk(served, era, say)
    assert texts(result) == ["It is done."]
    assert any(line.startswith(f"call: GET {api.url}/list") for line in told)


def test_a_write_is_sent_after_its_user_agreed(api, tmp_path, era):
    person = Person()
    result = call(serving_agent(api, tmp_path, model_calling(DELETING)), era, NAME, ASKED, person)
    assert texts(result) == ["It is done."]
    assert [request[:2] for request in api.seen] == [("DELETE", "/nodes/7")]
    assert [f"DELETE {api.url}/nodes/7" in question for question in person.asked] == [True]


@pytest.mark.parametrize("person", [None, Person(says(yes=False))])
def test_without_a_yes_nothing_is_sent(api, tmp_path, era, person):
    call(serving_agent(api, tmp_path, model_calling(DELETING)), era, NAME, ASKED, person)
    assert api.seen == []


def test_a_state_is_worth_one_answer(api, tmp_path):
    served = serving_agent(api, tmp_path, model_calling(DELETING))
    agreed = {"agent": says(yes=True)}

    async def run() -> Any:
        async with connected(served, "2026-07-28", Person()) as client:
            asked = await client.session.call_tool(NAME, ASKED, allow_input_required=True)
            again = {"input_responses": agreed, "request_state": asked.request_state}
            first = await client.session.call_tool(NAME, ASKED, **again)
            return first, await client.session.call_tool(NAME, ASKED, **again)

    first, second = anyio.run(run)
    assert (first.is_error, second.is_error, api.count("DELETE")) == (False, True, 1)


def test_cancelling_ends_the_run(api, tmp_path, era):
    served = serving_agent(api, tmp_path, model_calling(("slow", {}), DELETING))

    async def run() -> None:
        async with connected(served, era, Person()) as client:
            with anyio.move_on_after(1.0):
                await client.call_tool(NAME, ASKED)
            await until(lambda: api.gone)
            await client.call_tool("call_tool", {"name": "nodes__listNodes", "arguments": {}})

    anyio.run(run)
    assert api.count("DELETE") == 0


def test_a_run_is_kept(api, tmp_path, era):
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        served = serving_agent(api, tmp_path, model_calling(("listNodes", {})), journal=journal)
        result = call(served, era, NAME, ASKED)
        served.built.close()
        (session,) = journal.sessions()
    assert session.id in texts(result)[-1]
    assert session.header.question == ASKED["question"]


@pytest.mark.parametrize(
    "given", [{}, {"question": ""}, {"question": 7}, {"question": "a", "b": 1}]
)
def test_other_arguments_are_told(api, tmp_path, given):
    result = call(serving_agent(api, tmp_path, model_calling()), ERAS[1], NAME, given)
    assert "/question" in texts(result)[0]


@dataclass(frozen=True)
class Form:
    """A question, and the members of its form; None for no form."""

    question: Question
    members: tuple[str, ...] | None


PLAIN = {"type": "string"}
FORMS = [
    Form(Question("Which?"), ("answer",)),
    Form(Question("Sure?", schema={"enum": ["yes", "no"]}), ("answer",)),
    Form(Question("Who?", schema={"type": "object", "properties": {"name": PLAIN}}), ("name",)),
    Form(Question("PIN?", schema={"type": "object", "properties": {"password": PLAIN}}), None),
    Form(Question("Token?", name="api_key"), None),
    Form(Question("Where?", schema={"type": "object", "properties": {"at": {}}}), None),
    Form(Question("Which?", schema={"type": "array"}), None),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: json.dumps(form.question.text))
def test_a_form_asks_for_plain_values_and_for_no_secret(form):
    made = make_form(form.question)
    assert (made if made is None else (*made["properties"],)) == form.members
