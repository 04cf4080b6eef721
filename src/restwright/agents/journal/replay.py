"""Performs the steps of a run and keeps them in a journal; what is kept is not performed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from restwright.agents.journal.codec import (
    is_same_step,
    json_from_outcome,
    json_from_step,
    outcome_from_json,
)
from restwright.agents.journal.rows import StepRecord, guard_session
from restwright.agents.journal.store import JournalSession
from restwright.agents.journal.waiting import Waiting
from restwright.agents.memory.transcript import called
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    Gather,
    NoAnswer,
    Outcome,
    Question,
    Say,
    Step,
    UserAnswer,
)
from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.response.result import Result
from restwright.errors import LimitReached, UnusableSession
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.tool import Tool

TOOK_EFFECT = "took_effect"
"""Name of the question whether a write did, of which no response is known."""

_YES_OR_NO: JsonObject = {"enum": ["yes", "no"]}
_UNKNOWN = "is_unknown"


@dataclass(slots=True)
class Recorder:
    """
    A performer with a memory: called with the steps of a loop one after another.

    A loop that is run again is given the outcomes that are kept, and goes on where they end. Of a
    write that was sent, and of which no outcome is known: with an idempotency key it is sent again
    with the same one; without, the user is asked; where nobody answers the loop is told that it is
    unknown.

    Args:
        waits: Whether what nobody is there to say is left open in the journal, and ends the turn
            by a `RunSuspended`.
        asks_again: Whether the user is asked again about what was refused last.
    """

    performer: Performer
    session: JournalSession
    waits: bool = False
    asks_again: bool = True
    _number: int = field(default=0)
    _waiting: Waiting = field(init=False)

    def __post_init__(self) -> None:
        self._waiting = Waiting(
            self.session, self.waits, self.performer.approve, self.performer.human
        )

    def __call__(self, step: Step) -> Outcome:
        """
        Perform a step, or give its outcome from the journal.

        Raises:
            UnusableSession: The loop goes another way than when it was recorded.
        """
        self._number += 1
        return self._perform(str(self._number), step, self.performer)

    def _perform(self, place: str, step: Step, performer: Performer) -> Outcome:
        is_new = self.session.record_at(place) is None
        kept = self._load_or_append(place, step)
        if isinstance(step, Gather):
            performer.budget.count_step(is_new=self.session.record_at(f"{place}.0") is None)
            return performer.gather(step.steps, self._branch_performer(place, step))
        if isinstance(step, Say):
            return performer(step) if is_new else performer.replay(step, None)
        if kept.is_done and not self._can_repeat(place, step, kept):
            outcome = self._decode_outcome(step, kept)
            performer.replay(step, outcome)
            return outcome
        self._truncate_after(place)
        self._listen(place, step, performer)
        if isinstance(step, Call) and kept.sent is not None:
            return self._resolve_in_doubt(place, step, performer, kept.sent)
        return self._append_outcome(place, performer(self._as_asked(place, step)))

    def _listen(self, place: str, step: Step, performer: Performer) -> None:
        """Have the performer tell of a write, and ask what people said while the run waited."""
        performer.before_write = partial(self._before_write, place)
        performer.decide = partial(self._waiting.decide, place)
        # What a tool leaves to a human is kept nowhere, so that nobody is asked for it here.
        is_question = isinstance(step, Question)
        human = self._waiting.human
        performer.human = partial(self._waiting.ask, place) if is_question else human

    def _as_asked(self, place: str, step: Step) -> Step:
        """A call as a person was asked about it, with the same idempotency key."""
        if isinstance(step, Call | Approve):
            arguments = self._waiting.arguments_at(place)
            return step if arguments is None else replace(step, arguments=arguments)
        return step

    def _branch_performer(self, place: str, step: Gather) -> Callable[[Performer, int], Outcome]:
        def part(branch: Performer, number: int) -> Outcome:
            return self._perform(f"{place}.{number}", step.steps[number], branch)

        return part

    def _load_or_append(self, place: str, step: Step) -> StepRecord:
        kept = self.session.record_at(place)
        if kept is None:
            self.session.append(place, "step", json_from_step(step))
            return self.session.record_at(place) or StepRecord({})
        if not is_same_step(step, kept.step):
            why = f"the agent goes another way than before, from step {place} on"
            raise UnusableSession(self.session.id, why)
        return kept

    def _decode_outcome(self, step: Step, record: StepRecord) -> Outcome:
        with guard_session(self.session.id):
            return outcome_from_json(step, record.outcome)

    def _append_outcome(self, place: str, outcome: Outcome, *, is_unknown: bool = False) -> Outcome:
        data: Json = json_from_outcome(outcome)
        self._waiting.settle(place)
        self.session.append(place, "outcome", {**data, _UNKNOWN: True} if is_unknown else data)
        return outcome

    def _before_write(self, place: str, tool: Tool, arguments: JsonObject) -> None:
        is_keyed = add_idempotency_key(tool, arguments) is arguments and _has_idempotency_key(tool)
        by = self._waiting.approvers.pop(place, "")
        self._waiting.settle(place, is_sent=True)
        sent: JsonObject = {"arguments": arguments, "is_keyed": is_keyed}
        self.session.append(place, "sent", {**sent, "approved_by": by} if by else sent)

    def _can_repeat(self, place: str, step: Step, record: StepRecord) -> bool:
        """Whether the user could say something else now, and nothing was called since."""
        if not self.asks_again:
            return False
        later = self.session.records_after(place)
        if any(step_record.step["step"] in {"call", "gather"} for step_record in later):
            return False
        if is_object(record.outcome) and record.outcome.get(_UNKNOWN):
            return True
        outcome = self._decode_outcome(step, record)
        is_refused = isinstance(outcome, Result) and outcome.kind == "refused"
        is_no = isinstance(outcome, ApprovalDecision) and not outcome.is_allowed
        return is_refused or is_no or isinstance(outcome, NoAnswer)

    def _truncate_after(self, place: str) -> None:
        """Forget what a loop did after a step that is performed now (or again)."""
        later = self.session.records_after(place)
        if any(step_record.sent is not None for step_record in later):
            why = f"it was not recorded how step {place} ended, and something was sent since"
            raise UnusableSession(self.session.id, why)
        if later:
            self.session.forget_after(place)

    def _resolve_in_doubt(
        self, place: str, step: Call, performer: Performer, sent: JsonObject
    ) -> Outcome:
        if sent["is_keyed"]:
            try:
                outcome = performer(replace(step, arguments=sent["arguments"]))
            except LimitReached:
                outcome = _make_unknown_result(step)
                performer.replay(step, outcome)
                return self._append_outcome(place, outcome, is_unknown=True)
            is_refused = isinstance(outcome, Result) and outcome.kind == "refused"
            # That it may not be sent again says nothing about the first time.
            again = _make_unknown_result(step) if is_refused else outcome
            return self._append_outcome(place, again, is_unknown=is_refused)
        text = (
            f"{called(step.tool, step.arguments)} was sent, and then the run was interrupted."
            " Look whether it took effect. Did it?"
        )
        said = self._waiting.ask(place, Question(text, step.tool, _YES_OR_NO, TOOK_EFFECT))
        if said == UserAnswer("no"):
            return self._append_outcome(place, performer(self._as_asked(place, step)))
        outcome = (
            _make_confirmed_result(step)
            if said == UserAnswer("yes")
            else _make_unknown_result(step)
        )
        performer.replay(step, outcome)
        return self._append_outcome(place, outcome, is_unknown=not outcome.ok)


def _has_idempotency_key(tool: Tool) -> bool:
    return add_idempotency_key(tool, {}) != {}


def _make_confirmed_result(step: Call) -> Result:
    warning = f"{step.tool} took effect, as the user says; its response is lost"
    return Result(kind="ok", warnings=(warning,), effect="done")


def _make_unknown_result(step: Call) -> Result:
    text = (
        f"{step.tool} was sent before the run was interrupted, and whether it took effect is"
        " unknown: look before repeating it"
    )
    return Result(kind="no_response", text=text, effect="unknown")
