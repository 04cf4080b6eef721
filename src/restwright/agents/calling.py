"""
Agentica's loop as a generator of steps: select tools, let the model call them, describe it all.

What is wrong with a call goes back to the model, which then is offered only the tool to correct; an
HTTP error that other arguments may mend does too. Calls of one reply that only read go together;
writes go one by one, each with consent. The history holds what came back, shortened, and no schema.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from restwright.agents.executor import Failure, failed, say
from restwright.agents.history import Done, call_line, facts, marked, told
from restwright.agents.prompts import render, schema
from restwright.agents.replies import ask
from restwright.agents.running import Run, allowed, key_of
from restwright.agents.selecting import Selection, cancelled, divided, select
from restwright.agents.steps import (
    Answered,
    Call,
    Conclusion,
    Gather,
    Question,
    Steps,
    Unanswered,
)
from restwright.agents.turns import (
    ASK_USER,
    AT_ONCE,
    CANCEL_TOOLS,
    Turn,
    names_of,
    replied,
)
from restwright.calls.arguments import parse_arguments
from restwright.calls.feedback import feedback
from restwright.calls.mismatch import Mismatch
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.result import Result, shorten
from restwright.calls.separated import check_model, repaired_model
from restwright.calls.shorten import one_line
from restwright.errors import LimitReached, UnreadableArguments, UnusableReply
from restwright.tools.catalog import Catalog
from restwright.tools.dialects import DIALECTS
from restwright.tools.offer import OfferLimits, ToolCall, handled, offered
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_object

_META = ("search_tools", "show_tool", "call_tool")
_OWN = (ASK_USER.name, CANCEL_TOOLS.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """
    How the loop goes.

    Args:
        selects: Whether tools are chosen by name before their schemas are shown.
        capacity: Of a catalog too large to offer whole, the model chooses from parts of at most so
            many tools; None to search for what the question says.
        has_final: Whether the winners of these parts are chosen from once more ("eliticism").
        retries: As often a call of one tool may be corrected.
        describes: Whether the results are put in words in a step of their own.
        native: Whether the model takes tools natively.
        rounds: As many replies with calls.
        limits: Of what is offered at once.
    """

    selects: bool = True
    capacity: int | None = None
    has_final: bool = True
    retries: int = 3
    describes: bool = True
    native: bool = False
    rounds: int = 12
    limits: OfferLimits = field(default_factory=OfferLimits)


DEFAULT = Calling()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that can be made."""

    tool: Tool
    arguments: JsonObject
    is_repaired: bool


@dataclass(slots=True)
class _State:
    """
    What one run carries along.

    Args:
        stack: The tools that are offered.
        is_all: Whether the catalog is small enough to be without the tools that find others.
        said: What was wrong with the last calls.
        correcting: The tools that were called wrongly.
        wrong: `{tool: how often its calls were wrong in a row}`.
        written: The writes that were made.
    """

    run: Run
    options: Calling
    stack: tuple[str, ...] = ()
    is_all: bool = True
    done: list[Done] = field(default_factory=list[Done])
    notes: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    correcting: list[str] = field(default_factory=list[str])
    wrong: dict[str, int] = field(default_factory=dict[str, int])
    before: dict[str, tuple[Mismatch, ...]] = field(default_factory=dict[str, tuple[Mismatch, ...]])
    given_up: list[str] = field(default_factory=list[str])
    written: set[bytes] = field(default_factory=set[bytes])

    def progress(self) -> tuple[object, ...]:
        """What is the same after a reply that only repeats earlier ones."""
        return len(self.done), len(self.notes), self.stack, dict(self.wrong)


def calling(
    question: str,
    catalog: Catalog,
    *,
    policy: Policy = CONFIRM,
    options: Calling = DEFAULT,
    stack: Sequence[str] = (),
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        stack: Tools that were chosen for an earlier question and not called yet.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    state = _State(Run(question, allowed(catalog, policy), policy), options)
    try:
        return (yield from _converse(state, stack))
    except LimitReached as limit:
        return Conclusion(text=facts(state.done), stopped="limit", reason=limit.message)
    except UnusableReply as error:
        return Conclusion(text=facts(state.done), stopped="error", reason=error.message)


def _converse(state: _State, stack: Sequence[str]) -> Steps[Conclusion]:
    left = (yield from cancelled(state.run, stack)) if stack else ()
    selection = yield from _selected(state)
    state.stack = tuple(dict.fromkeys((*left, *selection.names)))
    if not state.stack:
        text = selection.answer or "None of the tools at hand does that."
        yield say("answer", text)
        return Conclusion(text=text)
    failure, text = yield from _rounds(state)
    if failure is None and state.given_up:
        failure = Failure("; ".join(state.given_up))
    if state.options.describes and (state.done or not (text or failure)):
        text = yield from _described(state)
    text = text or facts(state.done)
    if failure is not None:
        text = f"{text}\nNot done: {failure.why}".strip()
        return Conclusion(text=text, stopped=failure.stopped, reason=failure.why)
    yield say("answer", text)
    return Conclusion(text=text)


def _selected(state: _State) -> Steps[Selection]:
    """Choose among all tools, among parts of them, or among those that a search finds."""
    run, options = state.run, state.options
    offer = offered(
        run.catalog, run.question, dialect=DIALECTS["json-schema"], limits=options.limits
    )
    state.is_all = offer.policy == "all"
    if not options.selects:
        return Selection(offer.names or run.catalog.names[:1])
    if not state.is_all and options.capacity is not None:
        names = run.catalog.names
        return (
            yield from divided(run, names, capacity=options.capacity, has_final=options.has_final)
        )
    return (yield from select(run, offer.names))


def _rounds(state: _State) -> Steps[tuple[Failure | None, str]]:
    """Let the model call until it has nothing left to call; `(why it failed, its last words)`."""
    for _ in range(state.options.rounds):
        reply = yield from replied(state.run, _turn(state))
        if not reply.calls and not state.correcting:
            return None, reply.text
        before = state.progress()
        failure = yield from _performed(state, reply.calls)
        if failure is not None or not state.stack or state.progress() == before:
            return failure, reply.text
    return Failure(f"no end after {state.options.rounds} rounds of calls"), ""


def _turn(state: _State) -> Turn:
    options = state.options
    lines = [*state.notes, told(state.done), *state.said]
    return Turn(
        names=tuple(state.correcting) or state.stack,
        is_all=state.is_all or bool(state.correcting),
        can_cancel=bool(state.done) and not state.correcting,
        history="\n".join(line for line in lines if line),
        native=options.native,
        has_answer=not options.describes,
        limits=options.limits,
    )


def _performed(state: _State, calls: Sequence[ToolCall]) -> Steps[Failure | None]:
    """Make the calls of one reply: reads beside each other together, writes one by one."""
    wanted, state.correcting, state.said = state.correcting, [], []
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


def _uncorrected(state: _State, wanted: Sequence[str], called: Collection[str]) -> Steps[None]:
    """A tool that was to be corrected and was not called is a try, too."""
    for name in wanted:
        if name not in called and name not in state.correcting:
            yield from _wrong(state, name, f"{name} was not called again, corrected.")


def _ready(state: _State, asked: ToolCall) -> Steps[_Ready | Failure | None]:
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


def _checked(state: _State, tool: Tool, given: JsonObject) -> Steps[_Ready | None]:
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


def _own(state: _State, name: str, given: JsonObject) -> Steps[Failure | None]:
    """Ask the user, or put tools back."""
    if name == CANCEL_TOOLS.name:
        gone = names_of(given.get("names"), state.stack)
        state.stack = tuple(each for each in state.stack if each not in gone)
        yield say("note", f"no longer wanted: {', '.join(gone) or 'none of these'}")
        return None
    question = str(given.get("question", ""))
    outcome = yield Question(question)
    if isinstance(outcome, Unanswered):
        return Failure(f"{question} ({outcome.why})", final=True, stopped="question")
    assert isinstance(outcome, Answered)  # noqa: S101  (the driver's contract)
    state.notes.append(f"You asked the user: {question}\nThe user said: {outcome.value}")
    return None


def _read(state: _State, reads: Sequence[_Ready]) -> Steps[Failure | None]:
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


def _written(state: _State, ready: _Ready) -> Steps[Failure | None]:
    """Make one write: never twice the same, and not after something went wrong beside it."""
    name, key = ready.tool.name, key_of(ready.tool, ready.arguments)
    if key in state.written:
        state.said.append(f"{name} was called with these arguments already, and is not again.")
        return None
    if state.said:
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


def _settled(state: _State, ready: _Ready, result: Result) -> Steps[Failure | None]:
    """Keep what came back; what the model can mend goes back to it."""
    tool = ready.tool
    if result.ok:
        is_write = not state.run.is_read(tool)
        state.done.append(
            Done(tool=tool.name, arguments=ready.arguments, value=result.value, is_write=is_write)
        )
        state.wrong.pop(tool.name, None)
        state.before.pop(tool.name, None)
        yield say("result", shorten(result.value, 600), tool=tool.name)
        return None
    if result.repairable_by != "model":
        return failed(result)
    call = call_line(tool.name, ready.arguments)
    return (yield from _wrong(state, tool.name, result.text, head=f"{call} failed:"))


def _wrong(
    state: _State, name: str, text: str, *, head: str = "", is_mismatch: bool = False
) -> Steps[None]:
    """Tell the model what was wrong; after too many tries, give the tool up."""
    yield say("feedback", text, tool=name, is_mismatch=is_mismatch)
    state.wrong[name] = state.wrong.get(name, 0) + 1
    if state.wrong[name] > state.options.retries:
        state.given_up.append(f"{name}: {one_line(text, 300)}")
        state.stack = tuple(each for each in state.stack if each != name)
        return
    # What an API answered is its own words.
    state.said.append(f"{head}\n{marked(name, text)}" if head else text)
    if name in state.run.catalog and name not in state.correcting:
        state.correcting.append(name)


def _described(state: _State) -> Steps[str]:
    """Let the model say what came of it."""
    lines = [told(state.done), *state.notes, *(f"Not done: {each}" for each in state.given_up)]
    history = "\n".join(line for line in lines if line) or "No call was made."
    prompt = render("describer", question=state.run.question, history=history)
    reply = yield from ask("describer", prompt, schema("describer"), max_tokens=600)
    return str(reply["answer"])
