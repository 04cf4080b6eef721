"""The spans of a run, by the conventions for generative AI."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.driving.tracing import Tracing, tracing_of
from restwright.agents.steps import Call, Complete, Conclusion, Gather, Message, Steps
from restwright.errors import UnusableReply
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

TOOLS = catalog(load(document({"/a": {"get": {"operationId": "read"}}}), alias="one"))
READ = Call(tool="one__read", arguments={})
PROMPT = Complete(role="planner", messages=(Message("user", "canary-prompt"),))


@dataclass
class Recorded:
    """Stands for a tracer: keeps `(name, attributes)` of its spans in the order of their begin."""

    spans: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    exceptions: list[dict[str, bool]] = field(default_factory=list)

    @contextmanager
    def start_as_current_span(
        self, name: str, attributes: dict[str, Any], **recorded: bool
    ) -> Generator[Any]:
        kept = dict(attributes)
        self.exceptions.append(recorded)
        self.spans.append((name, kept))

        class Span:
            def set_attributes(self, more: dict[str, Any]) -> None:
                kept.update(more)

            def set_status(self, status: Any) -> None:
                kept["status"] = status

        yield Span()


def loop(agent: Agent, question: str) -> Steps[Conclusion]:
    yield PROMPT
    yield Gather((READ, READ))
    return Conclusion(text="done")


def traced(monkeypatch, **settings: Any) -> list[tuple[str, dict[str, Any]]]:
    recorded = Recorded()

    def tracing(model: str, *, has_content: bool) -> Tracing:
        return Tracing(tracer=recorded, model=model, has_content=has_content)

    monkeypatch.setattr("restwright.agents.agent.tracing_of", tracing)
    agent = Agent(
        TOOLS,
        model=ScriptedModel(["canary-reply"], name="openai:tiny"),
        send=RecordingTransport(lambda _: reply(200, "canary-value")),
        kind=loop,
        **settings,
    )
    agent.ask("canary-question")
    return recorded.spans


def test_a_run_has_a_span_and_so_has_each_step(monkeypatch) -> None:
    spans = traced(monkeypatch)
    assert [name for name, _ in spans] == [
        "invoke_agent loop",
        "chat tiny",
        "execute_tool one__read",
        "execute_tool one__read",
    ]
    assert spans[0][1] == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "loop",
        "gen_ai.request.model": "tiny",
        "restwright.stopped": "answered",
    }
    assert spans[1][1] == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "tiny",
        "gen_ai.request.max_tokens": 256,
        "restwright.role": "planner",
        "gen_ai.usage.input_tokens": 1,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.response.finish_reasons": ("stop",),
    }
    assert spans[2][1] == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "one__read",
        "gen_ai.tool.type": "function",
        "http.response.status_code": 200,
    }


def test_content_is_left_out_unless_it_is_asked_for(monkeypatch) -> None:
    assert "canary" not in str(traced(monkeypatch))
    told = str(traced(monkeypatch, traces_content=True))
    assert [each in told for each in ("-question", "-prompt", "-reply", "-value")] == [True] * 4


@pytest.mark.parametrize(
    ("error", "told"),
    [(UnusableReply("planner", "canary"), "unusable_reply"), (KeyError("canary"), "KeyError")],
)
@pytest.mark.parametrize("has_content", [False, True])
def test_what_fails_has_the_kind_of_its_error_and_its_words_only_with_content(
    error: Exception, told: str, *, has_content: bool
) -> None:
    recorded = Recorded()
    tracing = Tracing(tracer=recorded, model="openai:tiny", has_content=has_content)
    with pytest.raises(type(error)), tracing.step(READ):
        raise error
    ((_, attributes),) = recorded.spans
    assert attributes["error.type"] == told
    assert recorded.exceptions == [
        {"record_exception": has_content, "set_status_on_exception": has_content}
    ]


def test_with_opentelemetry_the_spans_are_its_own() -> None:
    pytest.importorskip("opentelemetry.trace")
    tracing = tracing_of("openai:tiny")
    assert tracing.tracer is not None
    with tracing.agent("rest", "?") as add, tracing.step(READ) as seen:
        seen(None)
        add({"restwright.stopped": "answered"})


def test_in_a_process_that_does_not_trace_nothing_is_done(monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.trace", raising=False)
    assert tracing_of("openai:tiny") == Tracing(model="openai:tiny")
