"""The calls of one reply: checked, made, and what came of them kept for the next turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from restwright.agents.calling.turns import ASK_USER, AT_ONCE, CANCEL_TOOLS, names_of
from restwright.agents.executor.running import Run, key_of
from restwright.agents.memory.history import Done, told_error
from restwright.agents.roles.outcome import Failure, failed, say
from restwright.agents.steps import Answered, Call, Gather, Question, Steps, Unanswered
from restwright.calls.arguments import parse_arguments
from restwright.calls.feedback import feedback
from restwright.calls.mismatch import Mismatch
from restwright.calls.result import Result, shorten
from restwright.calls.separated import check_model, repaired_model
from restwright.calls.shorten import one_line
from restwright.errors import UnreadableArguments
from restwright.tools.offer import ToolCall, handled
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_object

_META = ("search_tools", "show_tool", "call_tool")
_OWN = (ASK_USER.name, CANCEL_TOOLS.name)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that can be made."""

    tool: Tool
    arguments: JsonObject
    is_repaired: bool


@dataclass(slots=True)
class State:
    """
    What one run of the calling agent carries along.

    Args:
        retries: As often a call of one tool may be corrected.
        stack: The tools that are offered.
        is_all: Whether the catalog is small enough to be without the tools that find others.
        said: What was wrong with the last calls.
        correcting: The tools that were called wrongly.
        wrong: `{tool: how often its calls were wrong in a row}`.
        given_up: `{tool: what was wrong with its last call}`.
        has_failed: Whether something went wrong with the last calls.
        written: The writes that were made.
    """

    run: Run
    retries: int
    stack: tuple[str, ...] = ()
    is_all: bool = True
    done: list[Done] = field(default_factory=list[Done])
    notes: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    correcting: list[str] = field(default_factory=list[str])
    wrong: dict[str, int] = field(default_factory=dict[str, int])
    before: dict[str, tuple[Mismatch, ...]] = field(default_factory=dict[str, tuple[Mismatch, ...]])
    given_up: dict[str, str] = field(default_factory=dict[str, str])
    has_failed: bool = False
    written: set[bytes] = field(default_factory=set[bytes])

    def progress(self) -> tuple[object, ...]:
        """What is the same after a reply that only repeats earlier ones."""
        return len(self.done), len(self.notes), self.stack, dict(self.wrong)


def performed(state: State, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    """Make the calls of one reply: reads beside each other together, writes one by one."""
    wanted, state.correcting, state.said, state.has_failed = state.correcting, [], [], False
    if len(calls) > AT_ONCE:
        state.said.append(f"Only {AT_ONCE} calls go together; the others were not made.")
    reads: list[_Ready] = []
    called: set[str] = set()
    for asked in calls[:AT_ONCE]:
        ready = yield from _ready(state, asked)
        if isinstance(ready, Failure):
            return ready
        if ready is None:
            continue
        called.add(ready.tool.name)
        if state.run.is_read(ready.tool):
            reads.append(ready)
            continue
        failure = (yield from _read(state, reads)) or (yield from _written(state, ready))
        reads = []
        if failure is not None:
            return failure
    yield from _uncorrected(state, wanted, called)
    return (yield from _read(state, reads))


def _uncorrected(state: State, wanted: Sequence[str], called: Collection[str]) -> Steps[None]:
    """A tool that was to be corrected and was not called is a try, too."""
    for name in wanted:
        if name not in called and name not in state.correcting:
            yield from _wrong(state, name, f"{name} was not called again, corrected.")


def _ready(state: State, asked: ToolCall) -> Steps[_Ready | Failure | None]:
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
    if found.tool is None:
        return (yield from _wrong(state, asked.tool[:64], found.text))
    if given is None:
        text = f"{found.tool.name} was not called: its arguments are not a JSON object."
        return (yield from _wrong(state, found.tool.name, text))
    return (yield from _checked(state, found.tool, given))


def _checked(state: State, tool: Tool, given: JsonObject) -> Steps[_Ready | None]:
    mended = repaired_model(tool, given)
    mismatches = check_model(tool, mended.arguments)
    if mismatches:
        text = feedback(tool.name, mismatches, repeated=state.before.get(tool.name, ()))
        state.before[tool.name] = mismatches
        return (yield from _wrong(state, tool.name, text, is_mismatch=True))
    if tool.name not in state.stack:
        state.stack = (*state.stack, tool.name)
    return _Ready(tool, mended.arguments, bool(mended.repairs))


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
    # In one line, so that it cannot go on as if the user had answered.
    question = one_line(str(given.get("question", "")), 500)
    outcome = yield Question(question)
    if isinstance(outcome, Unanswered):
        return Failure(f"{question} ({outcome.why})", final=True, stopped="question")
    assert isinstance(outcome, Answered)  # noqa: S101  (the driver's contract)
    state.notes.append(f"You asked the user: {question}\nThe user said: {outcome.value}")
    return None


def _read(state: State, reads: Sequence[_Ready]) -> Steps[Failure | None]:
    """Make reads together; one that was answered before is not made again."""
    run = state.run
    fresh = {
        key_of(each.tool, each.arguments): each
        for each in reads
        if run.answered(each.tool, each.arguments) is None
    }
    steps = tuple(_call(each) for each in fresh.values())
    outcomes = (yield Gather(steps)) if steps else ()
    assert isinstance(outcomes, tuple)  # noqa: S101  (the driver's contract)
    failure: Failure | None = None
    for each, outcome in zip(fresh.values(), outcomes, strict=True):
        assert isinstance(outcome, Result)  # noqa: S101  (the driver's contract)
        run.keep(each.tool, each.arguments, outcome)
        failure = (yield from _settled(state, each, outcome)) or failure
    return failure


def _written(state: State, ready: _Ready) -> Steps[Failure | None]:
    """Make one write: never twice the same, and not after something went wrong beside it."""
    name, key = ready.tool.name, key_of(ready.tool, ready.arguments)
    if key in state.written:
        state.said.append(f"{name} was called with these arguments already, and is not again.")
        return None
    if state.has_failed:
        state.said.append(f"{name} was not called, since a call before it went wrong.")
        state.correcting.append(name)
        return None
    outcome = yield _call(ready)
    assert isinstance(outcome, Result)  # noqa: S101  (the driver's contract)
    state.run.keep(ready.tool, ready.arguments, outcome)
    if outcome.ok:
        state.written.add(key)
    return (yield from _settled(state, ready, outcome))


def _call(ready: _Ready) -> Call:
    return Call(tool=ready.tool.name, arguments=ready.arguments, is_repaired=ready.is_repaired)


def _settled(state: State, ready: _Ready, result: Result) -> Steps[Failure | None]:
    """Keep what came back; what the model can mend goes back to it."""
    tool = ready.tool
    if result.ok:
        is_write = not state.run.is_read(tool)
        state.done.append(
            Done(tool=tool.name, arguments=ready.arguments, value=result.value, is_write=is_write)
        )
        for kept in (state.wrong, state.before, state.given_up):
            kept.pop(tool.name, None)
        yield say("result", shorten(result.value, 600), tool=tool.name)
        return None
    if result.repairable_by != "model":
        return failed(result)
    return (yield from _wrong(state, tool.name, result.text, arguments=ready.arguments))


def _wrong(
    state: State,
    name: str,
    text: str,
    *,
    arguments: JsonObject | None = None,
    is_mismatch: bool = False,
) -> Steps[None]:
    """
    Tell the model what was wrong; after too many tries, give the tool up.

    Args:
        arguments: Of a call that was made, whose error is in the API's own words.
    """
    yield say("feedback", text, tool=name, is_mismatch=is_mismatch)
    state.has_failed = True
    state.wrong[name] = state.wrong.get(name, 0) + 1
    if state.wrong[name] > state.retries:
        state.given_up[name] = one_line(text, 300)
        state.stack = tuple(each for each in state.stack if each != name)
        return
    state.said.append(text if arguments is None else told_error(name, arguments, text))
    if name in state.run.catalog and name not in state.correcting:
        state.correcting.append(name)
