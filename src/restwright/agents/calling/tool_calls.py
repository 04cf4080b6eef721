"""The calls of one reply: checked, made, and what came of them kept for the next turn."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.agents.calling.dispatch import Ready, read, written
from restwright.agents.calling.failures import (
    GIVEN_UP,
    begun,
    counted,
    misfit,
    mistaken,
    uncorrected,
)
from restwright.agents.calling.state import State
from restwright.agents.calling.turn import ASK_USER, AT_ONCE, CANCEL_TOOLS, names_of
from restwright.agents.executor.running import key_of
from restwright.agents.memory.transcript import Done
from restwright.agents.roles.failure import Failure, say
from restwright.agents.steps import Answered, Question, Steps, Unanswered
from restwright.calls.arguments.check import parse_arguments
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.human_part import check_model, repaired_model
from restwright.calls.truncate import one_line
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.tool import Tool
from restwright.tools.toolset import ToolCall, handled

_META = ("search_tools", "show_tool", "call_tool")
_OWN = (ASK_USER.name, CANCEL_TOOLS.name)


def performed(state: State, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    """Make the calls of one reply: reads beside each other together, writes one by one."""
    wanted = begun(state)
    if len(calls) > AT_ONCE:
        state.heard.said.append(f"Only {AT_ONCE} calls go together; the others were not made.")
    failure = yield from _made(state, calls[:AT_ONCE])
    if failure is None:
        yield from uncorrected(state, wanted)
    counted(state)
    return failure


def _made(state: State, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    reads: list[Ready] = []
    for asked in calls:
        ready = yield from _ready(state, asked)
        if isinstance(ready, Failure):
            return (yield from read(state, reads)) or ready
        if ready is None:
            continue
        state.heard.called.add(ready.tool.name)
        if state.run.is_read(ready.tool):
            reads.append(ready)
            continue
        failure = (yield from read(state, reads)) or (yield from written(state, ready))
        reads = []
        if failure is not None:
            return failure
    return (yield from read(state, reads))


def _ready(state: State, asked: ToolCall) -> Steps[Ready | Failure | None]:
    """Find the tool and check the arguments; None where the call is answered without one."""
    given = _arguments(asked.arguments)
    if asked.tool in _OWN:
        return (yield from _own(state, asked.tool, given or {}))
    if asked.tool in _META and not state.is_all:
        outcome = handled(state.run.catalog, asked.tool, given)
        if not isinstance(outcome, ToolCall):
            state.done.append(
                Done(tool=asked.tool, arguments=given or {}, value=outcome, is_fact=False)
            )
            return None
        asked, given = outcome, _arguments(outcome.arguments)
    found = state.run.catalog.dispatch(asked.tool)
    name = asked.tool[:64] if found.tool is None else found.tool.name
    if found.tool is None or name in state.given_up:
        text = found.text if found.tool is None else f"{name} {GIVEN_UP}"
        state.heard.said.append(text)
        yield from mistaken(state, name, text)
        return None
    if given is None:
        text = f"{name} was not called: its arguments are not a JSON object."
        yield from misfit(state, name, text, key=name.encode())
        return None
    return (yield from _checked(state, found.tool, given))


def _checked(state: State, tool: Tool, given: JsonObject) -> Steps[Ready | None]:
    mended = repaired_model(tool, given)
    mismatches = check_model(tool, mended.arguments)
    if mismatches:
        before = state.mismatches.get(tool.name, ())
        text = feedback(tool.name, mismatches, repeated=before)
        key = key_of(tool, mended.arguments)
        yield from misfit(state, tool.name, text, key=key, mismatches=mismatches)
        return None
    if tool.name not in state.stack:
        state.stack = (*state.stack, tool.name)
    return Ready(tool, mended.arguments, bool(mended.repairs))


def _arguments(given: Json) -> JsonObject | None:
    """As an object; None where they are none."""
    if isinstance(given, str):
        try:
            return parse_arguments(given)
        except UnreadableArguments:
            return None
    return {} if given is None else given if is_object(given) else None


def _own(state: State, name: str, given: JsonObject) -> Steps[Failure | None]:
    """Ask the user, or put tools back."""
    if name == CANCEL_TOOLS.name:
        gone = names_of(given.get("names"), state.stack)
        state.stack = tuple(each for each in state.stack if each not in gone)
        yield say("note", f"no longer wanted: {', '.join(gone) or 'none of these'}")
        return None
    return (yield from _question(state, given.get("question")))


def _question(state: State, asked: Json) -> Steps[Failure | None]:
    """Ask the user what they were not asked before."""
    # In one line, so that it cannot go on as if the user had answered.
    question = one_line(asked, 500) if isinstance(asked, str) else ""
    if not question:
        text = f"{ASK_USER.name} was not called: it needs a question in words."
        state.heard.said.append(text)
        yield from mistaken(state, ASK_USER.name, text)
        return None
    if question.casefold() in state.asked:
        state.heard.said.append(f"The user was asked that already, and answered: {question}")
        return None
    outcome = yield Question(question)
    if isinstance(outcome, Unanswered):
        return Failure(f"{question} ({outcome.why})", final=True, stopped="question")
    assert isinstance(outcome, Answered)  # noqa: S101  (the driver's contract)
    state.asked.add(question.casefold())
    state.notes.append(f"You asked the user: {question}\nThe user said: {outcome.value}")
    return None
