"""
Spans of a run for OpenTelemetry, by its conventions for generative AI.

A process that traces has imported `opentelemetry`; in any other nothing is imported and nothing is
done. What prompts, replies, arguments and results say is left out unless it is asked for.

Source: OpenTelemetry, "Semantic conventions for generative client AI spans" and "... agent spans".
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from restwright.agents.steps import Call, Complete, Completion, Extract, Outcome, Step
from restwright.calls.result import Result, shorten
from restwright.errors import RestwrightError
from restwright.tools.catalog.usage import FAILURES
from restwright.typing import Json

_SCOPE = "restwright"
_LONGEST = 8_000
Attributes = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """
    Makes the spans of one run.

    Args:
        tracer: Of `opentelemetry`; None to trace nothing.
        model: As it was chosen, `provider:name`.
        has_content: Whether texts, arguments and results are part of a span.
    """

    tracer: Any = None
    model: str = ""
    has_content: bool = False

    @contextmanager
    def agent(self, kind: str, question: str) -> Generator[Callable[[Attributes], None]]:
        """The span of a whole run; what is called with more attributes sets them."""
        own: Attributes = {"gen_ai.agent.name": kind, "gen_ai.request.model": self._name}
        if self.has_content:
            own["gen_ai.input.messages"] = _text([{"role": "user", "content": question}])
        with self._span(f"invoke_agent {kind}", "invoke_agent", own) as add:
            yield add

    @contextmanager
    def step(self, step: Step) -> Generator[Callable[[Outcome], None]]:
        """The span of a step, to be called with its outcome."""
        if self.tracer is None or not isinstance(step, Complete | Call | Extract):
            yield lambda _: None
            return
        name, operation, own = self._begun(step)
        with self._span(name, operation, own) as add:
            yield lambda outcome: add(self._ended(outcome))

    @property
    def _name(self) -> str:
        return self.model.partition(":")[2] or self.model

    def _begun(self, step: Complete | Call | Extract) -> tuple[str, str, Attributes]:
        match step:
            case Complete():
                own: Attributes = {
                    "gen_ai.provider.name": self.model.partition(":")[0],
                    "gen_ai.request.model": self._name,
                    "gen_ai.request.max_tokens": step.max_tokens,
                    "restwright.role": step.role,
                }
                messages = [{"role": m.speaker, "content": m.text} for m in step.messages]
                return f"chat {self._name}", "chat", own | self._said("input.messages", messages)
            case Call():
                own = {"gen_ai.tool.name": step.tool, "gen_ai.tool.type": "function"}
                own |= self._said("tool.call.arguments", step.arguments)
                return f"execute_tool {step.tool}", "execute_tool", own
            case Extract():
                own = {"gen_ai.tool.name": "extract", "gen_ai.tool.type": "function"}
                own |= self._said("tool.call.arguments", step.code)
                return "execute_tool extract", "execute_tool", own

    def _ended(self, outcome: Outcome) -> Attributes:
        if isinstance(outcome, Completion):
            replies = [{"role": "assistant", "content": outcome.text}]
            return {
                "gen_ai.usage.input_tokens": outcome.input_tokens,
                "gen_ai.usage.output_tokens": outcome.output_tokens,
                "gen_ai.response.finish_reasons": (outcome.finish,),
                **self._said("output.messages", replies),
            }
        if isinstance(outcome, Result):
            status = {} if outcome.status is None else {"http.response.status_code": outcome.status}
            failed = {"error.type": outcome.kind} if outcome.kind in FAILURES else {}
            return {**status, **failed, **self._said("tool.call.result", outcome.value)}
        return {}

    def _said(self, name: str, value: Json) -> Attributes:
        return {f"gen_ai.{name}": _text(value)} if self.has_content else {}

    @contextmanager
    def _span(
        self, name: str, operation: str, own: Attributes
    ) -> Generator[Callable[[Attributes], None]]:
        if self.tracer is None:
            yield lambda _: None
            return
        attributes = {"gen_ai.operation.name": operation, **own}
        # The text of an error may quote what was said.
        with self.tracer.start_as_current_span(
            name,
            attributes=attributes,
            record_exception=self.has_content,
            set_status_on_exception=self.has_content,
        ) as span:
            try:
                yield span.set_attributes
            except BaseException as error:
                is_ours = isinstance(error, RestwrightError)
                kind = error.code if is_ours else type(error).__name__
                span.set_attributes({"error.type": kind})
                _mark_failed(span)
                raise


def tracing_of(model: str, *, has_content: bool = False) -> Tracing:
    """Trace where this process does; a no-op elsewhere."""
    tracer: Any = None
    if "opentelemetry.trace" in sys.modules:
        tracer = sys.modules["opentelemetry.trace"].get_tracer(_SCOPE)
    return Tracing(tracer=tracer, model=model, has_content=has_content)


def _mark_failed(span: Any) -> None:
    if (api := sys.modules.get("opentelemetry.trace")) is not None:
        span.set_status(api.StatusCode.ERROR)


def _text(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(text, _LONGEST)
