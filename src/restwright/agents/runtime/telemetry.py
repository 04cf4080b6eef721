"""
Spans of a run for OpenTelemetry, by its conventions for generative AI.

A process that traces has imported `opentelemetry`; in any other nothing is imported and nothing is
done. What prompts, replies, arguments and results say is left out unless it is asked for.

Source: OpenTelemetry, "Semantic conventions for generative AI", spans of models, agents and tools.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from restwright.agents.runtime import semantic_conventions as named
from restwright.agents.runtime.metrics import INTERRUPTED, RAISED, STOPPED, RunMeters, make_meters
from restwright.agents.runtime.semantic_conventions import Attributes
from restwright.agents.runtime.streaming import StreamingModel, is_spoken
from restwright.agents.runtime.trace_context import HEADER, current_traceparent, place_span
from restwright.agents.steps import AnyModel, Call, Complete, Completion, Extract, Outcome, Step
from restwright.calls.response.result import Result
from restwright.errors import RestwrightError
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response, Send
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.usage import FAILURE_KINDS

SCOPE = "restwright"
_LEAST_ERROR = 400
_ERRORS = FAILURE_KINDS | {"unknown_tool"}
_PLANNER = "planner"
_UNKNOWN = "unknown"
_HTTP = "http"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTracer:
    """
    Makes the spans of one run.

    Args:
        tracer: Of `opentelemetry`; None to trace nothing.
        meters: Records durations, tokens and failures.
        model: As it was chosen, `provider:name`.
        server: URL of the model's server; empty where there is none.
        streams: Whether replies with words for the user are asked for piece by piece.
        has_content: Whether texts, arguments and results are part of a span.
        catalog: Describes the tools; None where nobody does.
        name: Of the agent.
        description: Of the agent.
        conversation: Id of the conversation, or of the session; empty where there is none.
    """

    tracer: Any = None
    meters: RunMeters = field(default_factory=RunMeters)
    model: str = ""
    server: str = ""
    streams: bool = False
    has_content: bool = False
    catalog: Catalog | None = None
    name: str = ""
    description: str = ""
    conversation: str = ""

    @contextmanager
    def agent(
        self, question: str = "", traceparent: str = ""
    ) -> Generator[Callable[[Attributes], None]]:
        """
        The span of a whole run; what is called with more attributes sets them.

        Args:
            traceparent: The span that the run began with, where it is taken up again.
        """
        own = self._agent_attributes | {
            "gen_ai.provider.name": named.provider_name(self.model),
            "gen_ai.request.model": named.bare_model_name(self.model),
        }
        if self.description:
            own["gen_ai.agent.description"] = self.description
        if question:
            own |= self._content_attributes(named.question_content, question)
        name = f"invoke_agent {self.name}"
        with self._span(name, "invoke_agent", own, traceparent=traceparent) as add:
            yield add

    @contextmanager
    def workflow(self, traceparent: str = "") -> Generator[None]:
        """
        The span of a run that several agents take part in, one handing over to the next.

        Args:
            traceparent: As of `agent`, of the first of them.
        """
        own = {"gen_ai.workflow.name": self.name} | self.conversation_attributes
        name = f"invoke_workflow {self.name}"
        with self._span(name, "invoke_workflow", own, traceparent=traceparent):
            yield

    @contextmanager
    def step(self, step: Step) -> Generator[Callable[[Outcome], None]]:
        """The span of a step, to be called with its outcome."""
        if self.tracer is None or not isinstance(step, Complete | Call | Extract):
            yield lambda _: None
            return
        with ExitStack() as spans:
            if isinstance(step, Complete) and step.role == _PLANNER:
                spans.enter_context(self._span(f"plan {self.name}", "plan", self._agent_attributes))
            add = spans.enter_context(self._step_span(step))
            yield lambda outcome: add(self._outcome_attributes(outcome))

    def send_traced(self, request: Request, send: Send) -> Response:
        """
        Send a request in a span of its own; neither its path, its query nor its headers are told.

        Where the connection says so the server is told which span that is.
        """
        own = named.method_attributes(request.method) | named.server_attributes(request.url)
        name = "HTTP" if "http.request.method_original" in own else request.method
        with self._span(name, _HTTP, own, is_client=True) as add:
            if request.propagates_trace and (here := current_traceparent()):
                request = replace(request, headers=(*request.headers, (HEADER, here)))
            response = send(request)
            status: Attributes = {"http.response.status_code": response.status}
            if response.status >= _LEAST_ERROR:
                status["error.type"] = str(response.status)
            add(status)
            return response

    def conclusion_attributes(self, text: str, stopped: str) -> Attributes:
        """What the span of a run says of its end."""
        return {
            STOPPED: stopped,
            **self._content_attributes(named.answer_content, text),
        }

    @property
    def _agent_attributes(self) -> Attributes:
        return {"gen_ai.agent.name": self.name} | self.conversation_attributes

    @property
    def conversation_attributes(self) -> Attributes:
        """Which conversation, or session, a span is of."""
        return {"gen_ai.conversation.id": self.conversation} if self.conversation else {}

    def _step_span(self, step: Complete | Call | Extract) -> Any:
        match step:
            case Complete():
                return self._chat_span(step)
            case Call():
                own = self._tool_attributes(step)
                return self._span(f"execute_tool {own['gen_ai.tool.name']}", "execute_tool", own)
            case Extract():
                own = {"gen_ai.tool.name": "extract", "gen_ai.tool.type": "function"}
                own |= self.conversation_attributes | self._argument_attributes({"code": step.code})
                return self._span("execute_tool extract", "execute_tool", own)

    def _chat_span(self, step: Complete) -> Any:
        name = named.bare_model_name(self.model)
        own = {
            "gen_ai.provider.name": named.provider_name(self.model),
            "gen_ai.request.model": name,
            **named.request_attributes(step, is_streamed=self.streams and is_spoken(step)),
            **named.server_attributes(self.server),
            **self.conversation_attributes,
            **self._content_attributes(named.request_content, step),
        }
        return self._span(f"chat {name}", "chat", own, is_client=named.is_remote_model(self.model))

    def _tool_attributes(self, step: Call) -> Attributes:
        tool = self.catalog.dispatch(step.tool).tool if self.catalog is not None else None
        # Of a tool that is not there the name is words of the model.
        own = {"gen_ai.tool.name": tool.name if tool else _UNKNOWN, "gen_ai.tool.type": "function"}
        if tool is not None and tool.description:
            own["gen_ai.tool.description"] = tool.description[: named.MAX_ATTRIBUTE_CHARS]
        if step.id:
            own["gen_ai.tool.call.id"] = step.id
        return own | self.conversation_attributes | self._argument_attributes(step.arguments)

    def _argument_attributes(self, arguments: JsonObject) -> Attributes:
        said = self._content_attributes(named.to_bounded_json, arguments)
        return {"gen_ai.tool.call.arguments": said} if said else {}

    def _content_attributes(self, of: Callable[[Any], Any], value: Any) -> Any:
        return of(value) if self.has_content else {}

    def _outcome_attributes(self, outcome: Outcome) -> Attributes:
        if isinstance(outcome, Completion):
            return named.response_attributes(outcome) | self._content_attributes(
                named.response_content, outcome
            )
        if isinstance(outcome, Result):
            failed = {"error.type": outcome.kind} if outcome.kind in _ERRORS else {}
            said = self._content_attributes(named.to_bounded_json, outcome.value)
            return failed | ({"gen_ai.tool.call.result": said} if said else {})
        return {}

    @contextmanager
    def _span(
        self,
        name: str,
        operation: str,
        own: Attributes,
        *,
        is_client: bool = False,
        traceparent: str = "",
    ) -> Generator[Callable[[Attributes], None]]:
        known = own if operation == _HTTP else {"gen_ai.operation.name": operation, **own}
        started = time.monotonic()

        def measured(add: Callable[[Attributes], None], more: Attributes) -> None:
            known.update(more)
            add(more)

        try:
            with self._open_span(name, dict(known), traceparent, is_client=is_client) as add:
                yield lambda more: measured(add, more)
        except Exception as error:
            known.update({"error.type": _error_type(error), STOPPED: RAISED})
            said = {"exception.message": str(error)} if self.has_content else {}
            self.meters.record_error(operation, error, {"error.type": _error_type(error), **said})
            raise
        except BaseException:
            # Somebody ended it; nothing of it failed.
            known[STOPPED] = INTERRUPTED
            raise
        finally:
            self.meters.record_operation(operation, time.monotonic() - started, known)

    @contextmanager
    def _open_span(
        self, name: str, attributes: Attributes, traceparent: str, *, is_client: bool
    ) -> Generator[Callable[[Attributes], None]]:
        if self.tracer is None:
            yield lambda _: None
            return
        # The text of an error may quote what was said.
        with self.tracer.start_as_current_span(
            name,
            kind=_span_kind(is_client=is_client),
            attributes=attributes,
            record_exception=self.has_content,
            set_status_on_exception=self.has_content,
            **place_span(traceparent),
        ) as span:
            try:
                yield span.set_attributes
            except Exception as error:
                span.set_attributes({"error.type": _error_type(error)})
                _mark_failed(span)
                raise


def make_tracer(
    model: AnyModel,
    *,
    has_content: bool = False,
    is_heard: bool = False,
    catalog: Catalog | None = None,
    name: str = "",
    description: str = "",
) -> RunTracer:
    """
    Trace where this process does; a no-op elsewhere.

    Args:
        is_heard: Whether somebody is told the words of the answer as they are written.
    """
    tracer: Any = None
    meters = RunMeters()
    if "opentelemetry.trace" in sys.modules:
        known = find_version()
        tracer = sys.modules["opentelemetry.trace"].get_tracer(SCOPE, known)
        meters = make_meters(SCOPE, known)
    return RunTracer(
        tracer=tracer,
        meters=meters,
        model=model.name,
        server=getattr(model, "server", ""),
        streams=is_heard and isinstance(model, StreamingModel),
        has_content=has_content,
        catalog=catalog,
        name=name,
        description=description,
    )


def find_version() -> str:
    """Return the version of this program; empty where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(SCOPE)
    except PackageNotFoundError:
        return ""


def _span_kind(*, is_client: bool) -> Any:
    kinds = sys.modules["opentelemetry.trace"].SpanKind
    return kinds.CLIENT if is_client else kinds.INTERNAL


def _error_type(error: BaseException) -> str:
    return error.code if isinstance(error, RestwrightError) else type(error).__name__


def _mark_failed(span: Any) -> None:
    if (api := sys.modules.get("opentelemetry.trace")) is not None:
        span.set_status(api.StatusCode.ERROR)
