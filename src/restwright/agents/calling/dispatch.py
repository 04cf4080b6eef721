"""The calls of a reply that fit are made: reads together, writes one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from restwright.agents.calling.failures import (
    discard_replaced_failure,
    hold_write,
    note_api_error,
    note_repeat,
)
from restwright.agents.calling.state import CallingState
from restwright.agents.execution.call_keys import key_of
from restwright.agents.execution.failure import Failure, failed, say
from restwright.agents.memory.transcript import done_by
from restwright.agents.steps import Call, Gather, Steps
from restwright.calls.response.result import Result, shorten_json
from restwright.errors import LimitReached
from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class ReadyCall:
    """A call that can be made."""

    tool: Tool
    arguments: JsonObject
    is_repaired: bool

    @property
    def key(self) -> bytes:
        """The same for calls that are the same."""
        return key_of(self.tool, self.arguments)


def dispatch_reads(state: CallingState, reads: Sequence[ReadyCall]) -> Steps[Failure | None]:
    """Make reads together; one that was answered before is not made again."""
    fresh: dict[bytes, ReadyCall] = {}
    for read in reads:
        if state.run.is_answered(read.tool, read.arguments):
            state.last_outcome.messages.append(
                f"{read.tool.name} was answered already, as told above."
            )
            continue
        if read.key in state.errors:
            yield from note_repeat(state, read.tool, read.arguments)
            continue
        fresh.setdefault(read.key, read)
    if not fresh:
        return None
    calls = tuple(fresh.values())
    try:
        outcomes = yield Gather(tuple(map(_to_call, calls)))
    except LimitReached as limit:
        yield from _record_outcomes(state, calls, limit.outcomes)
        raise
    assert isinstance(outcomes, tuple)  # noqa: S101  (the driver's contract)
    return (yield from _record_outcomes(state, calls, outcomes))


def _record_outcomes(
    state: CallingState, calls: Sequence[ReadyCall], outcomes: Sequence[object]
) -> Steps[Failure | None]:
    """Keep what came of calls that were made together, but for those that did not finish."""
    failure: Failure | None = None
    for call, outcome in zip(calls, outcomes, strict=False):
        if isinstance(outcome, Result):
            failure = (yield from _record_result(state, call, outcome)) or failure
    return failure


def dispatch_writes(state: CallingState, ready: ReadyCall) -> Steps[Failure | None]:
    """Make one write: never twice the same, and not after something went wrong beside it."""
    name = ready.tool.name
    if state.run.is_written(ready.tool, ready.arguments):
        text = f"{name} was called with these arguments already, and is not again."
        state.last_outcome.messages.append(text)
        return None
    if ready.key in state.errors:
        yield from note_repeat(state, ready.tool, ready.arguments)
        return None
    if state.is_out_of_turn(name):
        why = "not called, since a write failed and this one was not chosen before"
        hold_write(state, ready.tool, ready.arguments, why=why)
        return None
    if state.last_outcome.mistakes:
        why = "not called, since a call before it went wrong"
        hold_write(state, ready.tool, ready.arguments, why=why)
        return None
    try:
        outcome = yield _to_call(ready)
    except LimitReached:
        hold_write(state, ready.tool, ready.arguments, why="no answer before the limit")
        raise
    assert isinstance(outcome, Result)  # noqa: S101  (the driver's contract)
    if outcome.ok:
        # What failed before may be right now.
        state.errors.clear()
    return (yield from _record_result(state, ready, outcome))


def _to_call(ready: ReadyCall) -> Call:
    return Call(tool=ready.tool.name, arguments=ready.arguments, is_repaired=ready.is_repaired)


def _record_result(state: CallingState, ready: ReadyCall, result: Result) -> Steps[Failure | None]:
    """Keep what came back; what the model can mend goes back to it."""
    tool = ready.tool
    state.run.keep(tool, ready.arguments, result)
    discard_replaced_failure(state, ready.key, tool.name, ready.arguments)
    if result.ok:
        state.done.append(
            done_by(tool, ready.arguments, result, is_write=not state.run.is_read(tool))
        )
        state.last_outcome.succeeded.add(tool.name)
        yield say("result", shorten_json(result.value, 600), tool=tool.name)
        return None
    if result.repairable_by != "model":
        return failed(result)
    yield from note_api_error(state, tool, ready.arguments, result.text)
    return None
