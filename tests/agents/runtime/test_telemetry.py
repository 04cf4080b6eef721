"""The spans, metrics and events of a run, by OpenTelemetry's conventions for generative AI."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import SpanKind
from tests.support.telemetry import Recorded, recording

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.runtime.metrics import RunMeters
from restwright.agents.runtime.semantic_conventions import (
    MAX_ATTRIBUTE_CHARS,
    is_remote_model,
    provider_name,
    request_content,
    server_attributes,
    to_arguments,
    to_bounded_json,
)
from restwright.agents.runtime.streaming import TextDelta
from restwright.agents.runtime.telemetry import RunTracer, make_tracer
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Completion,
    Conclusion,
    Extract,
    Gather,
    Message,
    Steps,
)
from restwright.errors import UnusableReply
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import AgentTurn
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset import ToolCall

READING = {"operationId": "read", "summary": "Reads a thing."}
TOOLS = catalog(load(document({"/a": {"get": READING}}), alias="one"))
READ = Call(tool="one__read", arguments={})
PROMPT = Complete(
    role="planner",
    messages=(Message("system", "canary-system"), Message("user", "canary-prompt")),
    schema={"type": "string"},
    temperature=0.5,
)
CALLED = Completion(
    text="canary-reply",
    input_tokens=30,
    output_tokens=20,
    calls=(ToolCall("one__read", '{"a": 1}', "call_1"),),
    model="tiny-2026",
    id="reply-1",
    cache_read_tokens=10,
    cache_write_tokens=5,
    reasoning_tokens=7,
)


@pytest.fixture
def recorded() -> Generator[Recorded]:
    with recording() as found:
        yield found


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    yield PROMPT
    yield Gather((READ, READ))
    return Conclusion(text="canary-answer")


class Model(ScriptedModel):
    """A model of a provider that tells much."""

    server = "https://models.example.test/v1"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del request, deadline_s
        return CALLED

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        tell("canary")
        return self.complete(request, deadline_s=deadline_s)


def agent_of(**settings: Any) -> Agent:
    given = {
        "model": Model([], name="google:tiny"),
        "send": RecordingTransport(lambda _: reply(200, "canary-value")),
        "kind": loop,
        "name": "Shop",
        "description": "Sells things.",
        **settings,
    }
    return Agent(TOOLS, **given)


def asked(**settings: Any) -> Answer:
    return agent_of(**settings).ask("canary-question")


def test_a_run_has_a_span_and_so_has_each_step_and_each_request(recorded: Recorded) -> None:
    asked()
    read = ["execute_tool one__read", "GET"]
    assert sorted(each.name for each in recorded.spans) == sorted(
        ["invoke_agent Shop", "plan Shop", "chat tiny", *read, *read]
    )
    parents = {each.name: each.parent for each in recorded.spans}
    assert parents["plan Shop"] == "invoke_agent Shop"
    assert parents["chat tiny"] == "plan Shop"
    assert parents["GET"] == "execute_tool one__read"
    assert recorded.scopes == {("restwright", _version())}


def _version() -> str:
    from importlib.metadata import version

    return version("restwright")


def test_a_run_says_which_agent_of_which_model_it_is_of(recorded: Recorded) -> None:
    asked()
    (span,) = recorded.named("invoke_agent")
    assert span.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Shop",
        "gen_ai.agent.description": "Sells things.",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "tiny",
        "restwright.stopped": "answered",
    }
    (plan,) = recorded.named("plan")
    assert plan.attributes == {"gen_ai.operation.name": "plan", "gen_ai.agent.name": "Shop"}


def test_an_agent_without_a_name_is_called_by_its_kind(recorded: Recorded) -> None:
    asked(name="", description="")
    (span,) = recorded.named("invoke_agent")
    assert (span.name, span.attributes["gen_ai.agent.name"]) == ("invoke_agent loop", "loop")


def test_a_request_to_a_model_says_all_that_is_known_of_it(recorded: Recorded) -> None:
    asked()
    (span,) = recorded.named("chat")
    assert span.kind is SpanKind.CLIENT
    assert span.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "tiny",
        "gen_ai.request.max_tokens": 256,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.output.type": "json",
        "gen_ai.prompt.name": "planner",
        "server.address": "models.example.test",
        "server.port": 443,
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 10,
        "gen_ai.usage.cache_write.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 7,
        "gen_ai.response.model": "tiny-2026",
        "gen_ai.response.id": "reply-1",
        "gen_ai.response.finish_reasons": ("tool_call",),
    }


def test_a_model_in_this_process_is_not_a_client_of_anything(recorded: Recorded) -> None:
    asked(model=ScriptedModel(["x"], name="local:tiny"))
    (span,) = recorded.named("chat")
    assert span.kind is SpanKind.INTERNAL
    assert "server.address" not in span.attributes


def answering(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent
    yield Complete(role="answer", messages=(Message("user", question),))
    return Conclusion(text="")


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_reply_in_pieces_says_when_the_first_one_came(
    recorded: Recorded, *, is_heard: bool
) -> None:
    heard: list[TextDelta] = []
    asked(kind=answering, on_words=heard.append if is_heard else None)
    (span,) = recorded.named("chat")
    assert ("gen_ai.request.stream" in span.attributes) is is_heard
    assert ("gen_ai.response.time_to_first_chunk" in span.attributes) is is_heard
    first = [each for each in recorded.points if each[0].endswith("time_to_first_chunk")]
    assert len(first) == is_heard


def test_a_call_of_a_tool_says_which_one_and_which_call_it_is(recorded: Recorded) -> None:
    def calling(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        yield replace(READ, id="call_1")
        return Conclusion(text="")

    asked(kind=calling)
    (span,) = recorded.named("execute_tool")
    assert span.kind is SpanKind.INTERNAL
    assert span.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "one__read",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": TOOLS["one__read"].description,
        "gen_ai.tool.call.id": "call_1",
    }


def test_a_request_of_a_call_has_a_span_without_its_query(recorded: Recorded) -> None:
    def send(_: Request) -> Response:
        return reply(404, "gone")

    asked(send=send)
    span = recorded.named("GET")[0]
    assert span.kind is SpanKind.CLIENT
    assert span.attributes == {
        "http.request.method": "GET",
        "server.address": "api.example.test",
        "server.port": 443,
        "http.response.status_code": 404,
        "error.type": "404",
    }
    assert recorded.named("execute_tool")[0].attributes["error.type"] == "http_error"


def test_a_method_of_no_standard_stands_beside(recorded: Recorded) -> None:
    request = Request(method="PURGE", url="https://api.example.test/a")
    make_tracer(Model([], name="openai:tiny")).send_traced(request, lambda _: reply(200, 1))
    (span,) = recorded.spans
    assert span.name == "HTTP"
    assert span.attributes["http.request.method"] == "_OTHER"
    assert span.attributes["http.request.method_original"] == "PURGE"


def test_a_tool_that_is_not_there_is_not_called_as_the_model_called_it(recorded: Recorded) -> None:
    def calling(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        yield Call(tool="canary", arguments={})
        return Conclusion(text="")

    asked(kind=calling)
    (span,) = recorded.named("execute_tool")
    assert (span.name, span.attributes["error.type"]) == ("execute_tool unknown", "unknown_tool")
    assert "canary" not in repr((recorded.spans, recorded.points, recorded.events))


@pytest.mark.parametrize("is_later", [False, True])
def test_the_runs_of_a_conversation_carry_its_id(
    recorded: Recorded, tmp_path: Any, *, is_later: bool
) -> None:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        conversation = Conversation(agent_of(), journal)
        conversation.ask("One.")
        if is_later:
            recorded.spans.clear()
            conversation.ask("Two.")
    own = [each for each in recorded.spans if each.name != "GET"]
    assert len(own) == 5
    assert {each.attributes["gen_ai.conversation.id"] for each in own} == {conversation.id}


def test_content_is_left_out_unless_it_is_asked_for(recorded: Recorded) -> None:
    asked()
    assert "canary" not in repr((recorded.spans, recorded.points, recorded.events))
    asked(traces_content=True)
    told = repr(recorded.spans)
    parts = ("question", "system", "prompt", "reply", "value", "answer")
    assert [each for each in parts if f"canary-{each}" not in told] == []


def content(recorded: Recorded, span: str, name: str) -> Any:
    return json.loads(recorded.named(span)[0].attributes[f"gen_ai.{name}"])


def test_content_is_encoded_once_and_in_the_form_of_the_conventions(recorded: Recorded) -> None:
    asked(traces_content=True)
    question = {"role": "user", "parts": [{"type": "text", "content": "canary-question"}]}
    assert content(recorded, "invoke_agent", "input.messages") == [question]
    (answer,) = content(recorded, "invoke_agent", "output.messages")
    assert answer["parts"] == [{"type": "text", "content": "canary-answer"}]
    prompt = {"role": "user", "parts": [{"type": "text", "content": "canary-prompt"}]}
    assert content(recorded, "chat", "input.messages") == [prompt]
    system = [{"type": "text", "content": "canary-system"}]
    assert content(recorded, "chat", "system_instructions") == system
    call = {"type": "tool_call", "id": "call_1", "name": "one__read", "arguments": {"a": 1}}
    assert content(recorded, "chat", "output.messages") == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "canary-reply"}, call],
            "finish_reason": "tool_call",
        }
    ]
    assert content(recorded, "execute_tool", "tool.call.arguments") == {}
    assert content(recorded, "execute_tool", "tool.call.result") == "canary-value"


def test_calls_their_answers_and_the_tools_of_a_prompt_are_told_as_such() -> None:
    tool = {"name": "one__read", "description": "d", "parameters": {"type": "object"}}
    called = Message("assistant", "", calls=CALLED.calls)
    answer = Message("tool", "[1]", tool="one__read", call_id="call_1")
    given = request_content(Complete(role="caller", messages=(called, answer), tools=(tool,)))
    messages = json.loads(given["gen_ai.input.messages"])
    call = {"type": "tool_call", "id": "call_1", "name": "one__read", "arguments": {"a": 1}}
    response = {"type": "tool_call_response", "id": "call_1", "response": "[1]"}
    assert messages == [
        {"role": "assistant", "parts": [call]},
        {"role": "tool", "parts": [response]},
    ]
    assert json.loads(given["gen_ai.tool.definitions"]) == [{"type": "function", **tool}]
    assert "gen_ai.system_instructions" not in given


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (None, {}),
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ('{"a"', {"text": '{"a"'}),
        ("[" * 100_000, {"text": "[" * 100_000}),
        ([1], {"value": [1]}),
    ],
)
def test_arguments_are_an_object_however_they_were_written(written: Any, told: Any) -> None:
    assert to_arguments(written) == told


def test_the_code_of_an_extraction_is_an_argument(recorded: Recorded) -> None:
    tracing = make_tracer(Model([], name="openai:tiny"), has_content=True)
    with tracing.step(Extract(code="data", body="1")) as seen:
        seen(None)
    assert content(recorded, "execute_tool extract", "tool.call.arguments") == {"code": "data"}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text() | st.text("x", min_size=900),
    lambda own: st.lists(own) | st.dictionaries(st.text(), own),
    max_leaves=40,
)


@given(JSON)
def test_what_is_cut_is_json_still(value: Any) -> None:
    told = to_bounded_json(value)
    whole = json.dumps(value, ensure_ascii=False)
    assert len(told) <= 8 * MAX_ATTRIBUTE_CHARS
    assert json.loads(told) == value or len(whole) > MAX_ATTRIBUTE_CHARS


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, ["x" * 9_000] * 50, {str(n): n for n in range(10**4)}, [[[0] * 99] * 99] * 9],
    ids=["a text", "texts", "an object", "lists"],
)
def test_what_is_too_long_is_cut_within(value: Any) -> None:
    text = to_bounded_json(value)
    assert len(text) <= 8 * MAX_ATTRIBUTE_CHARS
    assert type(json.loads(text)) in {str, type(value)}


def test_what_is_nested_too_deeply_ends_somewhere() -> None:
    nested: Any = ["x" * 9_000]
    for _ in range(400):
        nested = [nested]
    assert '"..."' in to_bounded_json(nested)


@pytest.mark.parametrize(
    ("model", "provider", "remote"),
    [
        ("google:gemini-3", "gcp.gemini", True),
        ("google-cloud:gemini-3", "gcp.vertex_ai", True),
        ("openai-responses:gpt", "openai", True),
        ("openai:gpt", "openai", True),
        ("anthropic:claude", "anthropic", True),
        ("local", "local", False),
        ("local:small", "local", False),
        ("scripted", "scripted", False),
    ],
)
def test_providers_have_the_names_of_the_conventions(
    model: str, provider: str, *, remote: bool
) -> None:
    assert (provider_name(model), is_remote_model(model)) == (provider, remote)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://h.test/v1", ("h.test", 443)),
        ("http://user:canary@127.0.0.1:8080/v1?key=canary", ("127.0.0.1", 8080)),
        ("http://h.test:99999", ()),
        ("http://[::1", ()),
        ("ftp://h.test", ()),
        ("", ()),
    ],
)
def test_of_a_server_its_address_and_port_are_told(url: str, told: tuple[Any, ...]) -> None:
    assert tuple(server_attributes(url).values()) == told


def test_durations_and_tokens_are_measured(recorded: Recorded) -> None:
    asked()
    by_name: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for name, amount, labels in recorded.points:
        by_name.setdefault(name, []).append((amount, labels))
    assert {name: len(own) for name, own in by_name.items()} == {
        "gen_ai.client.inference.duration": 1,
        "gen_ai.client.inference.usage.input_tokens": 1,
        "gen_ai.client.inference.usage.output_tokens": 1,
        "gen_ai.client.inference.usage.cache_read.input_tokens": 1,
        "gen_ai.client.inference.usage.cache_write.input_tokens": 1,
        "gen_ai.client.inference.usage.reasoning.output_tokens": 1,
        "gen_ai.execute_tool.duration": 2,
        "gen_ai.invoke_agent.duration": 1,
        "http.client.request.duration": 2,
        "restwright.runs.ended": 1,
    }
    assert by_name["gen_ai.client.inference.usage.input_tokens"] == [
        (
            30,
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "gcp.gemini",
                "gen_ai.request.model": "tiny",
                "gen_ai.response.model": "tiny-2026",
                "gen_ai.token.modality": "unknown",
                "server.address": "models.example.test",
                "server.port": 443,
            },
        )
    ]
    ended = {"gen_ai.agent.name": "Shop", "restwright.stopped": "answered"}
    assert by_name["restwright.runs.ended"] == [(1, ended)]
    sent = by_name["http.client.request.duration"][0][1]
    assert sent == {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "server.address": "api.example.test",
        "server.port": 443,
    }


@pytest.mark.parametrize(
    ("error", "told"),
    [(UnusableReply("planner", "canary"), "unusable_reply"), (KeyError("canary"), "KeyError")],
)
@pytest.mark.parametrize("has_content", [False, True])
def test_what_fails_has_the_kind_of_its_error_and_its_words_only_with_content(
    recorded: Recorded, error: Exception, told: str, *, has_content: bool
) -> None:
    tracing = make_tracer(Model([], name="openai:tiny"), has_content=has_content)
    with pytest.raises(type(error)), tracing.step(replace(PROMPT, role="answer")):
        raise error
    (span,) = recorded.spans
    assert (span.attributes["error.type"], span.is_failed) == (told, True)
    assert bool(span.events) is has_content
    (event,) = recorded.events
    assert event.event_name == "gen_ai.client.operation.exception"
    assert event.attributes["error.type"] == told
    assert ("canary" in repr((recorded.spans, event.attributes))) is has_content
    (point,) = recorded.points
    assert point[2]["error.type"] == told


def test_agents_that_hand_over_to_each_other_are_one_workflow(recorded: Recorded) -> None:
    tracing = make_tracer(Model([], name="openai:tiny"), name="Shop")
    with tracing.workflow():
        asked()
    (span,) = recorded.named("invoke_workflow")
    assert span.attributes == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "Shop",
    }
    assert recorded.named("invoke_agent")[0].parent == "invoke_workflow Shop"


class Speaker:
    """Stands for an agent of a chat of manifests."""

    name = "guide"
    catalog = TOOLS


def test_a_turn_of_an_agent_of_a_chat_is_traced_too(recorded: Recorded) -> None:
    def steps() -> Steps[AgentTurn]:
        yield READ
        return AgentTurn(text="", history=())

    send = RecordingTransport(lambda _: reply(200, 1))
    driving = SessionDriver(model=Model([], name="openai:tiny"), send=send)
    driving(Speaker(), steps())  # type: ignore[arg-type]
    names = [each.name for each in recorded.spans]
    assert names == ["invoke_agent guide", "execute_tool one__read", "GET"]


def test_in_a_process_that_does_not_trace_nothing_is_done(monkeypatch) -> None:
    for each in ("trace", "metrics", "_logs"):
        monkeypatch.delitem(sys.modules, f"opentelemetry.{each}", raising=False)
    model = ScriptedModel([], name="openai:tiny")
    tracing = make_tracer(model)
    assert tracing == RunTracer(model="openai:tiny", meters=RunMeters())
    with tracing.agent("?") as add, tracing.step(READ) as seen:
        seen(None)
        add({"restwright.stopped": "answered"})
    assert asked(model=ScriptedModel(["x"])).stopped == "answered"
