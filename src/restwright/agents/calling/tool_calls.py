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
from restwright.calls.arguments.check import parse_arguments
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.calls.truncate import shorten_line
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json, JsonObject, is_object
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
    given = _parse_arguments(asked.arguments)
    if asked.tool in _OWN:
        return (yield from _run_own_tool(state, asked.tool, given or {}))
    if asked.tool in _META and not state.is_all:
        outcome = handle_meta_call(state.run.catalog, asked.tool, given)
        if not isinstance(outcome, ToolCall):
            state.done.append(
                Done(tool=asked.tool, arguments=given or {}, value=outcome, is_fact=False)
            )
            return None
        asked, given = outcome, _parse_arguments(outcome.arguments)
    found = state.run.catalog.dispatch(asked.tool)
    name = asked.tool[:64] if found.tool is None else found.tool.name
    if found.tool is None or name in state.given_up:
        text = found.text if found.tool is None else f"{name} {GIVEN_UP}"
        state.last_outcome.messages.append(text)
        yield from note_mistake(state, name, text)
        return None
    if given is None:
        text = f"{name} was not called: its arguments are not a JSON object."
        yield from note_mismatch(state, name, text, key=name.encode())
        return None
    return (yield from _check_call(state, found.tool, given))


def _check_call(state: CallingState, tool: Tool, given: JsonObject) -> Steps[ReadyCall | None]:
    mended = repair_model_arguments(tool, given)
    mismatches = check_model_arguments(tool, mended.arguments)
    if mismatches:
        before = state.mismatches.get(tool.name, ())
        text = feedback(tool.name, mismatches, repeated=before)
        key = key_of(tool, mended.arguments)
        yield from note_mismatch(state, tool.name, text, key=key, mismatches=mismatches)
        return None
    if tool.name not in state.stack:
        state.stack = (*state.stack, tool.name)
    return ReadyCall(tool, mended.arguments, bool(mended.repairs))


def _parse_arguments(given: Json) -> JsonObject | None:
    """As an object; None where they are none."""
    if isinstance(given, str):
        try:
            return parse_arguments(given)
        except UnreadableArguments:
            return None
    return {} if given is None else given if is_object(given) else None


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
