"""The calls of one reply: checked, made, and what came of them kept for the next turn."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.agents.calling.dispatch import ReadyCall, dispatch_reads, dispatch_writes
from restwright.agents.calling.failures import (
    GIVEN_UP,
    begin_reply,
    count_mistakes,
    note_mismatch,
    note_mistake,
    note_uncorrected,
)
from restwright.agents.calling.state import CallingState
from restwright.agents.calling.turn import (
    ASK_USER,
    CANCEL_TOOLS,
    MAX_CALLS_PER_REPLY,
    pick_known_names,
)
from restwright.agents.execution.call_keys import key_of
from restwright.agents.execution.failure import Failure, say
from restwright.agents.memory.transcript import Done
from restwright.agents.steps import NoAnswer, Question, Steps, UserAnswer
from restwright.calls.tool_call import RejectedCall, check_tool_call, read_call_arguments
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Tool
from restwright.tools.toolset import ToolCall, handle_meta_call

_META = ("search_tools", "show_tool", "call_tool")
_OWN = (ASK_USER.name, CANCEL_TOOLS.name)


def perform_calls(state: CallingState, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    """Make the calls of one reply: reads beside each other together, writes one by one."""
    wanted = begin_reply(state)
    if len(calls) > MAX_CALLS_PER_REPLY:
        state.last_outcome.messages.append(
            f"Only {MAX_CALLS_PER_REPLY} calls go together; the others were not made."
        )
    failure = yield from _dispatch_calls(state, calls[:MAX_CALLS_PER_REPLY])
    if failure is None:
        yield from note_uncorrected(state, wanted)
    count_mistakes(state)
    return failure


def _dispatch_calls(state: CallingState, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    reads: list[ReadyCall] = []
    for asked in calls:
        ready = yield from _prepare_call(state, asked)
        if isinstance(ready, Failure):
            return (yield from dispatch_reads(state, reads)) or ready
        if ready is None:
            continue
        state.last_outcome.called.add(ready.tool.name)
        if state.run.is_read(ready.tool):
            reads.append(ready)
            continue
        failure = (yield from dispatch_reads(state, reads)) or (
            yield from dispatch_writes(state, ready)
        )
        reads = []
        if failure is not None:
            return failure
    return (yield from dispatch_reads(state, reads))


def _prepare_call(state: CallingState, asked: ToolCall) -> Steps[ReadyCall | Failure | None]:
    """Find the tool and check the arguments; None where the call is answered without one."""
    given = read_call_arguments(asked.arguments)
    if asked.tool in _OWN:
        return (yield from _run_own_tool(state, asked.tool, given or {}))
    if asked.tool in _META and not state.is_all:
        outcome = handle_meta_call(state.run.catalog, asked.tool, given)
        if not isinstance(outcome, ToolCall):
            state.done.append(
                Done(tool=asked.tool, arguments=given or {}, value=outcome, is_fact=False)
            )
            return None
        asked = outcome
    found = state.run.catalog.dispatch(asked.tool)
    name = asked.tool[:64] if found.tool is None else found.tool.name
    if found.tool is None or name in state.given_up:
        text = found.text if found.tool is None else f"{name} {GIVEN_UP}"
        state.last_outcome.messages.append(text)
        yield from note_mistake(state, name, text)
        return None
    return (yield from _check_call(state, found.tool, asked.arguments))


def _check_call(state: CallingState, tool: Tool, given: Json) -> Steps[ReadyCall | None]:
    name = tool.name
    checked = check_tool_call(tool, given, repeated=state.mismatches.get(name, ()))
    if isinstance(checked, RejectedCall):
        wrong = checked.arguments
        key = name.encode() if wrong is None else key_of(tool, wrong)
        yield from note_mismatch(state, name, checked.text, key=key, mismatches=checked.mismatches)
        return None
    if name not in state.stack:
        state.stack = (*state.stack, name)
    return ReadyCall(tool, checked.arguments, bool(checked.repairs))


def _run_own_tool(state: CallingState, name: str, given: JsonObject) -> Steps[Failure | None]:
    """Ask the user, or put tools back."""
    if name == CANCEL_TOOLS.name:
        gone = pick_known_names(given.get("names"), state.stack)
        state.stack = tuple(text for text in state.stack if text not in gone)
        yield say("note", f"no longer wanted: {', '.join(gone) or 'none of these'}")
        return None
    return (yield from _ask_question(state, given.get("question")))


def _ask_question(state: CallingState, asked: Json) -> Steps[Failure | None]:
    """Ask the user what they were not asked before."""
    # In one line, so that it cannot go on as if the user had answered.
    question = shorten_line(asked, 500) if isinstance(asked, str) else ""
    if not question:
        text = f"{ASK_USER.name} was not called: it needs a question in words."
        state.last_outcome.messages.append(text)
        yield from note_mistake(state, ASK_USER.name, text)
        return None
    if question.casefold() in state.asked:
        state.last_outcome.messages.append(
            f"The user was asked that already, and answered: {question}"
        )
        return None
    outcome = yield Question(question)
    if isinstance(outcome, NoAnswer):
        return Failure(f"{question} ({outcome.why})", final=True, stopped="question")
    assert isinstance(outcome, UserAnswer)  # noqa: S101  (the driver's contract)
    state.asked.add(question.casefold())
    state.notes.append(f"You asked the user: {question}\nThe user said: {outcome.value}")
    return None
