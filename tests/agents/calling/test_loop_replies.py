"""Whatever a model replies to the calling agent, it ends, and sends only what fits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Complete, Completion
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import READ_ONLY
from restwright.jsontypes import Json
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.toolset import ToolCall

NAMES = ("shop__list", "shop__add", "shop__nothing", "ask_user", "cancel_tools", "call_tool", "")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
GOOD = st.sampled_from([{}, {"page": 1}, {"page": "x"}, {"name": "a"}, {"names": ["shop__add"]}])
CALLS = st.lists(st.tuples(st.sampled_from(NAMES), GOOD | JSON), max_size=10)
STATUS = st.sampled_from([200, 201, 204, 400, 404, 409, 422, 500])


def shop() -> Catalog:
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    paths = {
        "/things": {
            "get": {"operationId": "list", "parameters": [page], "responses": {}},
            "post": {"operationId": "add", "requestBody": body, "responses": {}},
        }
    }
    return catalog(load(document(paths), alias="shop"))


SHOP = shop()


@dataclass
class Babbling:
    """A model that calls what it is told to, in turn, and then nothing."""

    replies: list[list[tuple[str, Json]]]
    calls_tools: bool
    name: str = "babbling"
    asked: list[Complete] = field(default_factory=list[Complete])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        self.asked.append(request)
        if request.role == "selector":
            tools = [{"reason": "", "name": "shop__list"}, {"reason": "", "name": "shop__add"}]
            return Completion(text=json.dumps({"tools": tools, "answer": ""}))
        if request.role == "describer":
            return Completion(text='{"answer": "Done."}')
        made = self.replies.pop(0) if self.replies else []
        if self.calls_tools:
            return Completion(text="", calls=tuple(ToolCall(*each) for each in made))
        calls = [{"tool": tool, "arguments": arguments} for tool, arguments in made]
        return Completion(text=json.dumps({"calls": calls}))


@given(st.lists(CALLS, max_size=5), st.lists(STATUS, min_size=1, max_size=5), st.booleans())
@settings(max_examples=examples(150))
def test_every_reply_is_taken_and_every_request_fits(
    replies: list[list[tuple[str, Json]]], statuses: list[int], calls_tools: bool
) -> None:
    waiting = [*statuses]

    def answer(request: Request) -> Response:
        if request.method == "POST":
            assert set(json.loads(request.body)) == {"name"}
        return reply(waiting.pop(0) if len(waiting) > 1 else waiting[0], {"things": []})

    send = RecordingTransport(answer)
    model = Babbling(replies, calls_tools)
    agent = Agent(SHOP, model=model, kind="calling", send=send, approve=approve_all)
    ended = agent.ask("Do it.")
    assert ended.stopped in {"answered", "limit", "question", "error"}
    assert (ended.stopped == "answered") is (not ended.reason)
    writes = [each.body for each in send.sent if each.method == "POST"]
    done = [each for each, call in zip(writes, _posts(ended.calls), strict=True) if call < 300]
    assert len(done) == len(set(done))


def _posts(calls: tuple[object, ...]) -> list[int]:
    return [each.status or 0 for each in calls if each.method == "POST"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["calling", "react", "plan"])
def test_a_catalog_without_a_tool_that_may_be_called_is_said_to_have_none(kind: str) -> None:
    writes = catalog(load(document({"/x": {"post": {"operationId": "add", "responses": {}}}})))
    script = {
        "calling": [],
        "react": [{"thought": "No.", "operation": "finish", "task": ""}, {"answer": "Nothing."}],
        "plan": [{"steps": []}, {"answer": "Nothing."}],
    }[kind]
    agent = Agent(writes, model=ScriptedModel(script), kind=kind, policy=READ_ONLY)
    answer = agent.ask("Add one.")
    assert answer.stopped == "answered"
    assert answer.text


def test_a_model_that_never_ends_is_ended() -> None:
    replies = [[("shop__list", {"page": n})] for n in range(50)]
    model = Babbling([*replies], calls_tools=True)
    send = RecordingTransport(lambda _: reply(200, []))
    agent = Agent(SHOP, model=model, kind="calling", send=send, limits=Limits(calls=100))
    answer = agent.ask("Go.")
    assert "no end after 12 rounds" in answer.reason
    assert len(send.sent) == 12
