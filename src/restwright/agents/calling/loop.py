"""
Agentica's loop as a generator of steps: select tools, let the model call them, describe it all.

What is wrong with a call goes back to the model: where its arguments do not fit, with only the tool
to correct; after an HTTP error that others may mend, with all of them. Calls of one reply that only
read go together; writes go one by one, each with consent. The history holds what came back,
shortened, and no schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from restwright.agents.calling.run import Run
from restwright.agents.calling.selector import (
    Selection,
    cancel_tools,
    select_in_parts,
    select_tools,
)
from restwright.agents.calling.state import CallingState
from restwright.agents.calling.tool_calls import perform_calls
from restwright.agents.calling.turn import TurnRequest, offer_limits, request_calls
from restwright.agents.execution.catalog_parts import allowed
from restwright.agents.execution.conclusion import best_partial, with_undone
from restwright.agents.execution.failure import Failure, say
from restwright.agents.memory.transcript import facts, told
from restwright.agents.prompting.capabilities import capabilities
from restwright.agents.prompting.moment import make_moment
from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Conclusion, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.errors import UnusableReply
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import DIALECTS
from restwright.tools.toolset import OfferLimits, offer_tools

if TYPE_CHECKING:
    from restwright.agents.agent import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """
    The kind `calling` with other settings: `Agent(tools, model=model, kind=Calling(retries=1))`.

    Args:
        selects: Whether tools are chosen by name before their schemas are shown.
        capacity: Of a catalog too large to offer whole, the model chooses from parts of at most so
            many tools; None to search for what the question says, and to divide only a catalog in
            which that finds nothing.
        has_final: Whether the winners of these parts are chosen from once more ("eliticism").
        retries: As often a call of one tool may be corrected.
        describes: Whether the results are put in words in a step of their own.
        native: Whether the model takes tools natively; as it says itself where None.
        rounds: As many replies with calls.
        limits: Of what is offered at once; those of the model's provider where None.

    Raises:
        ValueError: A number is too small.
    """

    selects: bool = True
    capacity: int | None = None
    has_final: bool = True
    retries: int = 3
    describes: bool = True
    native: bool | None = None
    rounds: int = 12
    limits: OfferLimits | None = None
    takes_files: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse here what would fail in the middle of a run."""
        least = {"capacity": 1, "retries": 0, "rounds": 1}
        for name, smallest in least.items():
            if (value := getattr(self, name)) is not None and value < smallest:
                raise ValueError(f"{name}={value} is less than {smallest}")

    def __call__(self, agent: Agent, question: str) -> Steps[Conclusion]:
        """Make the steps that answer a question with what an agent has."""
        native, limits = self.native, self.limits
        if native is None:
            native = bool(getattr(agent.model, "calls_tools", False))
        return run_calling(
            question,
            agent.catalog,
            policy=agent.policy,
            options=replace(self, native=native, limits=limits or offer_limits(agent.model.name)),
            now=make_moment(agent.now, agent.locale).text,
        )


DEFAULT_CALLING = Calling()

MAX_PART_TOOLS, MAX_PARTS = 60, 12
"""Where a search finds nothing: tools of a part, and as many parts as the model is asked about."""

_LANGUAGE = "the language of the message"


def run_calling(
    question: str,
    catalog: Catalog,
    *,
    policy: Policy = CONFIRM,
    options: Calling = DEFAULT_CALLING,
    stack: Sequence[str] = (),
    now: str = "",
) -> Steps[Conclusion]:
    """
    Answer `question` over the APIs of `catalog`.

    Args:
        policy: Says which tools are reads; what it refuses is not offered to the model.
        stack: Tools that were chosen for an earlier question and not called yet.
        now: What the prompts are told of the date, the time zone and the locale.

    Returns:
        The answer; with `stopped` other than `answered`, the best partial one.
    """
    run = Run(question, allowed(catalog, policy), policy, now)
    state = CallingState(run, options.retries)
    steps = _converse(state, options, stack)
    return (yield from best_partial(steps, lambda: _summarize_progress(state)))


def _converse(state: CallingState, options: Calling, stack: Sequence[str]) -> Steps[Conclusion]:
    left = (yield from cancel_tools(state.run, stack)) if stack else ()
    selection = yield from _select_tools(state, options)
    state.stack = tuple(dict.fromkeys((*left, *selection.names)))
    state.chosen = state.stack if options.selects else left
    if not state.stack:
        text = selection.answer or (yield from _answer_without_tools(state))
        yield say("answer", text)
        return Conclusion(text=text)
    state.failure, text = yield from _run_rounds(state, options)
    undone, reason = state.list_failures(), ""
    if options.describes and _is_worth_describing(state, has_words=bool(text)):
        text, reason = yield from _describe_outcome(state)
    text = with_undone(text or facts(state.done), undone, state.list_accepted_writes())
    if reason := "; ".join(undone) or reason:
        stopped = state.failure.stopped if state.failure else "error"
        return Conclusion(text=text, stopped=stopped, reason=reason)
    yield say("answer", text)
    return Conclusion(text=text)


def _answer_without_tools(state: CallingState) -> Steps[str]:
    """What to say where no tool was chosen and the model has not said why."""
    run = state.run
    if not run.catalog:
        return "None of the tools at hand does that."
    return (yield from capabilities(run.question, run.catalog, language=_LANGUAGE))


def _summarize_progress(state: CallingState) -> str:
    return with_undone(facts(state.done), state.list_failures(), state.list_accepted_writes())


def _is_worth_describing(state: CallingState, *, has_words: bool) -> bool:
    """Whether an API said something, or nobody has said anything."""
    has_error = any(failed_call.kind == "error" for failed_call in state.failed.values())
    is_lost = bool(state.failed or state.given_up or state.failure)
    return bool(state.done) or (not has_words and (has_error or not is_lost))


def _select_tools(state: CallingState, options: Calling) -> Steps[Selection]:
    """Choose among all tools, among parts of them, or among those that a search finds."""
    run = state.run
    offer = offer_tools(
        run.catalog,
        run.question,
        dialect=DIALECTS["json-schema"],
        limits=options.limits or OfferLimits(),
    )
    state.is_all = offer.policy == "all"
    if not options.selects:
        return Selection(offer.names or run.catalog.names[:1])
    capacity = options.capacity
    if capacity is None and not offer.names and len(run.catalog) <= MAX_PARTS * MAX_PART_TOOLS:
        # A search goes by the words of the documents, and a question may have none of them.
        capacity = MAX_PART_TOOLS
    if state.is_all or capacity is None:
        return (yield from select_tools(run, offer.names))
    return (
        yield from select_in_parts(
            run, run.catalog.names, capacity=capacity, has_final=options.has_final
        )
    )


def _run_rounds(state: CallingState, options: Calling) -> Steps[tuple[Failure | None, str]]:
    """Let the model call until it has nothing left to call; `(why it failed, its last words)`."""
    is_in_circles = False
    for _ in range(options.rounds):
        reply = yield from request_calls(state.run, _make_turn_request(state, options))
        if not reply.calls and not state.last_outcome.correcting:
            return None, reply.text
        before = state.progress_key()
        failure = yield from perform_calls(state, reply.calls)
        if failure is not None or not state.stack:
            return failure, reply.text
        if state.progress_key() == before:
            # What was repeated is told, so that the write that is left is not lost with it.
            if is_in_circles or not state.list_unattempted_writes():
                return None, reply.text
            is_in_circles = True
    return Failure(f"no end after {options.rounds} rounds of calls"), ""


def _make_turn_request(state: CallingState, options: Calling) -> TurnRequest:
    is_correcting = bool(state.last_outcome.correcting)
    lines = [*state.notes, told(state.done), *state.render_failures(), *state.last_outcome.messages]
    return TurnRequest(
        names=state.offered_tools,
        is_all=state.is_all or is_correcting,
        can_cancel=bool(state.done or state.failed) and not is_correcting,
        history="\n".join(line for line in lines if line),
        native=bool(options.native),
        has_answer=not options.describes,
        limits=options.limits or OfferLimits(),
    )


def _describe_outcome(state: CallingState) -> Steps[tuple[str, str]]:
    """What came of it in the words of the model, else without words; `(text, why it has none)`."""
    prompt = render("describer", question=state.run.question, history=_format_history(state))
    try:
        reply = yield from ask("describer", prompt, schema("describer"), max_tokens=600)
    except UnusableReply as error:
        return "", error.message
    return str(reply["answer"]), ""


def _format_history(state: CallingState) -> str:
    """What was called, and what was not, as the describer reads it."""
    calls = "\n".join([told(state.done), *state.render_failures()]).strip()
    lines = [calls or "No call was made.", *state.notes]
    known = {
        str(failed_call) for failed_call in state.failed.values() if failed_call.kind == "error"
    }
    if lost := "\n".join(name for name in state.list_failures() if name not in known):
        lines.append(f"Not done:\n{mark_data_from('calls', lost)}")
    if others := ", ".join(
        name for name in state.list_uncalled_writes() if name not in state.list_unattempted_writes()
    ):
        lines.append(f"Chosen and not called: {others}")
    return "\n".join(lines)
