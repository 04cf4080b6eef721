"""Performs the steps of an agent: the only place where its model and its tools are really used."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, assert_never

from restwright.agents.extract import run_code
from restwright.agents.steps import (
    Call,
    CallRecord,
    Complete,
    Completion,
    Event,
    Extract,
    Extracted,
    Outcome,
    Say,
    Step,
    Steps,
    Usage,
)
from restwright.calls.call import call
from restwright.calls.consent import Approve
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.result import Result
from restwright.calls.security import Connection, masked
from restwright.errors import LimitReached
from restwright.net.message import Request, Response
from restwright.tools.catalog import Catalog
from restwright.tools.usage import FAILURES, Counter
from restwright.typing import JsonObject, Model, Send

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What one run may use. The first one reached ends the run with a stated reason.

    Args:
        calls: HTTP calls.
        model_calls: Requests to the model.
        tokens: Prompt and reply tokens together.
        seconds: Of wall clock.
    """

    calls: int = 25
    model_calls: int = 60
    tokens: int = 100_000
    seconds: float = 600.0


@dataclass(slots=True, kw_only=True)
class Performer:
    """
    Does what a step asks for, counts it, and keeps the trace.

    Raises, when called:
        LimitReached: The run has used up a limit; `run` hands it to the loop.
        ModelUnavailable: There is no model to ask.
    """

    catalog: Catalog
    model: Model
    send: Send
    approve: Approve
    connections: Mapping[str, Connection]
    policy: Policy = CONFIRM
    limits: Limits = field(default_factory=Limits)
    on_event: Callable[[Event], None] | None = None
    counter: Counter | None = None
    usage: Usage = field(default_factory=Usage)
    calls: list[CallRecord] = field(default_factory=list[CallRecord])
    trace: list[JsonObject] = field(default_factory=list[JsonObject])
    _started: float = field(default_factory=time.monotonic)

    def __call__(self, step: Step) -> Outcome:
        """Perform one step."""
        match step:
            case Complete():
                return self._complete(step)
            case Call():
                return self._call(step)
            case Extract():
                return self._extract(step)
            case Say():
                return self._say(step.event)
            case _:
                assert_never(step)

    def finished_usage(self) -> Usage:
        """The counts with the seconds since the start."""
        return replace(self.usage, elapsed_s=round(time.monotonic() - self._started, 3))

    def _complete(self, step: Complete) -> Completion:
        left_s = self._left_s()
        used = self.usage
        self._hold("model calls", used.model_calls, self.limits.model_calls)
        self._hold("tokens", used.input_tokens + used.output_tokens, self.limits.tokens)
        completion = self.model.complete(step, deadline_s=left_s)
        self.usage = replace(
            used,
            model_calls=used.model_calls + 1,
            input_tokens=used.input_tokens + completion.input_tokens,
            output_tokens=used.output_tokens + completion.output_tokens,
        )
        self.trace.append(
            {
                "step": "complete",
                "role": step.role,
                "prompt": step.messages[-1].text,
                "reply": completion.text,
                "input_tokens": completion.input_tokens,
                "output_tokens": completion.output_tokens,
                "seconds": round(completion.elapsed_s, 3),
            }
        )
        return completion

    def _call(self, step: Call) -> Result:
        self._left_s()
        self._hold("HTTP calls", self.usage.http_calls, self.limits.calls)
        asked = self.catalog.dispatch(step.tool)
        if (tool := asked.tool) is None:
            return self._unknown(step, asked.text)
        connection = self.connections.get(tool.namespace, Connection())
        result = call(
            tool,
            step.arguments,
            connection=connection,
            send=self._announced,
            approve=self.approve,
            policy=self.policy,
        )
        if self.counter is not None:
            is_repaired = step.is_repaired or bool(result.repairs)
            is_failed = result.kind in FAILURES
            self.counter.called(tool.name, is_failed=is_failed, is_repaired=is_repaired)
        method, path = tool.operation.method.upper(), tool.operation.path
        self.calls.append(
            CallRecord(
                tool=tool.name,
                method=method,
                path=path,
                arguments=step.arguments,
                status=result.status,
            )
        )
        self.trace.append(
            {
                "step": "call",
                "tool": tool.name,
                "method": method,
                "path": path,
                "arguments": step.arguments,
                "outcome": result.kind,
                "status": result.status,
                "text": result.text,
                **({"is_bare": True} if asked.is_bare else {}),
            }
        )
        self._say(_response_event(result))
        return result

    def _unknown(self, step: Call, text: str) -> Result:
        """What a model is told that named no tool; nothing is sent."""
        result = Result(kind="unknown_tool", text=text, repairable_by="model")
        self.trace.append(
            {
                "step": "call",
                "tool": step.tool,
                "arguments": step.arguments,
                "outcome": result.kind,
                "text": text,
            }
        )
        return result

    def _announced(self, request: Request) -> Response:
        self.usage = replace(self.usage, http_calls=self.usage.http_calls + 1)
        shown = masked(request)
        self._say(Event("call", f"{shown['method']} {shown['url']}", shown))
        return self.send(request)

    def _extract(self, step: Extract) -> Extracted:
        extracted = run_code(step.code, step.body)
        self.trace.append(
            {
                "step": "extract",
                "code": step.code,
                "value": extracted.value,
                "error": extracted.error,
            }
        )
        return extracted

    def _say(self, event: Event) -> None:
        self.trace.append({"step": event.kind, "text": event.text})
        if self.counter is not None:
            count(self.counter, event)
        if self.on_event:
            self.on_event(event)

    def _left_s(self) -> float:
        used_s = time.monotonic() - self._started
        self._hold("seconds", used_s, self.limits.seconds)
        return self.limits.seconds - used_s

    @staticmethod
    def _hold(limit: str, used: float, allowed: float) -> None:
        if used >= allowed:
            raise LimitReached(limit, used)


def count(counter: Counter, event: Event) -> None:
    """Count what an event tells of tools: those offered, and calls that were never sent."""
    counter.offered(event.data.get("offered", ()))
    if event.kind == "feedback" and event.data.get("is_mismatch"):
        counter.called(event.data["tool"], is_failed=True)


def _response_event(result: Result) -> Event:
    if result.response is None:
        return Event("response", result.text, {"outcome": result.kind})
    size = len(result.response.body)
    text = f"{result.response.status}, {size:,} bytes in {result.response.elapsed_s * 1000:.0f} ms"
    return Event("response", text, {"outcome": result.kind, "status": result.status})


def run(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """
    Drive `steps` with blocking calls. A limit is thrown into the loop, so that it can conclude.

    `run_async` is the same with one `await`.
    """
    try:
        step = next(steps)
        while True:
            try:
                outcome = perform(step)
            except LimitReached as limit:
                step = steps.throw(limit)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value


async def run_async(steps: Steps[T], perform: Callable[[Step], Outcome]) -> T:
    """Drive `steps` from an event loop; each step is performed in a worker thread."""
    try:
        step = next(steps)
        while True:
            try:
                outcome = await asyncio.to_thread(perform, step)
            except LimitReached as limit:
                step = steps.throw(limit)
            else:
                step = steps.send(outcome)
    except StopIteration as stop:
        return stop.value
