"""The conversations of a journal: which sessions are turns of one, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from restwright.agents.journal.codec import outcome_from_json
from restwright.agents.journal.handoffs import first_session
from restwright.agents.journal.rows import (
    SessionSummary,
    StepRecord,
    apply_entry,
    damage_error,
    guard_session,
)
from restwright.agents.journal.store import Journal
from restwright.agents.memory.turn import Found, Turn
from restwright.agents.runtime.budget import find_price
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Event,
    Extract,
    Message,
    Outcome,
    Say,
    Step,
)
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import Result
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog

RESTORED = 50
"""As many turns are taken up again, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """
    A conversation as a list shows it.

    Args:
        started: Seconds since the epoch, of its latest turn.
        question: Of its latest turn.
    """

    id: str
    started: float
    turns: int
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """
    A session as a turn.

    Args:
        number: From 1, in the order in which the turns were asked; stays when others are deleted.
        is_undone: Whether its user had it forgotten; its session stays, with what was sent.
        handed_over_by: The session of the agent that handed over to its own; both are of one turn.
    """

    session: SessionSummary
    number: int = 1
    is_undone: bool = False
    handed_over_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """
    All sessions that belong together; one of `ask` is alone.

    Args:
        turns: One or more, oldest first; those that were handed over to behind their first one.
    """

    id: str
    turns: tuple[StoredTurn, ...]

    @property
    def active_turns(self) -> tuple[StoredTurn, ...]:
        """The turns that were not undone; where all were, all."""
        return tuple(turn for turn in self.turns if not turn.is_undone) or self.turns


def load_conversations(journal: Journal) -> tuple[StoredConversation, ...]:
    """Return all sessions by the conversations that they are turns of, the latest first."""
    places = {row.session: row[1:] for row in journal.turns()}
    before = journal.handoffs()
    found: dict[str, list[StoredTurn]] = {}
    for session in journal.sessions():
        first = first_session(before, session.id)
        conversation, number, is_undone = places.get(first, (first, 1, False))
        turn = StoredTurn(
            session=session,
            number=number,
            is_undone=is_undone,
            handed_over_by=before.get(session.id),
        )
        found.setdefault(conversation, []).append(turn)
    # Sessions come latest first, and so do the conversations of the latest of theirs.
    return tuple(
        StoredConversation(id=name, turns=tuple(sorted(own, key=_turn_order)))
        for name, own in found.items()
    )


def _turn_order(turn: StoredTurn) -> tuple[int, float]:
    return turn.number, turn.session.started


def find_conversation(journal: Journal, name: str) -> StoredConversation:
    """
    Find a conversation by its id or by that of any of its turns.

    Raises:
        UnusableSession: There is nothing of that id.
    """
    everything = load_conversations(journal)
    by_id = (conversation for conversation in everything if conversation.id == name)
    by_turn = (
        conversation
        for conversation in everything
        if any(own.session.id == name for own in conversation.turns)
    )
    found = next(by_id, None) or next(by_turn, None)
    if found is None:
        raise UnusableSession(name, "there is no session of that id")
    return found


def is_later_turn(journal: Journal, session: str) -> bool:
    """Whether a session is a turn that others came before."""
    return any(row.session == session and row.number > 1 for row in journal.turns(session))


def list_conversations(journal: Journal) -> tuple[ConversationSummary, ...]:
    """Return all conversations, that with the latest turn first."""
    sessions = {summary.id: summary for summary in journal.sessions()}
    turns: dict[str, list[str]] = {}
    for row in journal.turns():
        if row.session in sessions and not row.is_undone:
            turns.setdefault(row.conversation, []).append(row.session)
    listed = [
        ConversationSummary(
            id=conversation,
            started=sessions[own[-1]].started,
            turns=len(own),
            question=sessions[own[-1]].header.question,
        )
        for conversation, own in turns.items()
    ]
    return tuple(sorted(listed, key=lambda each: each.started, reverse=True))


def find_turns(journal: Journal, name: str) -> tuple[str, tuple[str, ...]]:
    """
    Find a conversation by its id or by that of any of its turns.

    A session that belongs to none, such as one of `ask`, is the first turn of a new one.

    Returns:
        `(id of the conversation, its sessions in order)`.

    Raises:
        UnusableSession: There is nothing of that id, or an agent handed over to it.
    """
    if turns := journal.turns(name):
        found = turns[0].conversation
        own = (row for row in turns if row.conversation == found and not row.is_undone)
        return found, tuple(row.session for row in own)
    journal.find(name)
    if by := journal.handoffs(name).get(name):
        how = f"go on with it by `restwright run MANIFEST --resume {name}`"
        raise UnusableSession(name, f"it was handed over by {by}; {how}")
    journal.append_turn(name, name)
    return name, (name,)


def restore_turn(
    journal: Journal, session: str, catalog: Catalog, *, policy: Policy = CONFIRM
) -> Turn:
    """
    Read a turn out of the journal.

    Raises:
        UnusableSession: There is none, it is damaged, or of other documents than `catalog`.
    """
    head, *events = journal.export(session)
    if any("is_damaged" in event for event in (head, *events)):
        raise damage_error(session)
    if head["apis"] != {name: api.sha256 for name, api in catalog.apis.items()}:
        raise UnusableSession(session, "it is of other documents, or they have changed since")
    found = Found(catalog=catalog, policy=policy, price=find_price(head["model"]), session=session)
    with guard_session(session):
        pairs = [*_pair_outcomes(events)]
    for step, outcome in pairs:
        found.begun()
        if outcome is not None:
            found.ended(step, outcome)
        elif isinstance(step, Call) and (tool := catalog.dispatch(step.tool).tool):
            found.sending(tool, step.arguments)
    answer = None
    if head["stopped"]:
        answer = Answer(
            text=head["answer"],
            stopped=head["stopped"],
            session=session,
            question=head["question"],
            exchanges=tuple(found.exchanges),
        )
    turn = found.turn(head["question"], answer)
    seconds = events[-1]["at"] - head["started"] if events else 0.0
    usage = replace(turn.usage, elapsed_s=round(max(seconds, 0.0), 3))
    return replace(turn, usage=usage, model=head["model"])


def list_calls(journal: Journal, session: str) -> tuple[tuple[Call, Result], ...]:
    """
    Read the calls of a session, in their order, with what came of each.

    Raises:
        UnusableSession: There is none, or it is damaged.
    """
    head, *events = journal.export(session)
    if any("is_damaged" in event for event in (head, *events)):
        raise damage_error(session)
    with guard_session(session):
        return tuple(
            (step, outcome)
            for step, outcome in _pair_outcomes(events)
            if isinstance(step, Call) and isinstance(outcome, Result)
        )


def list_steps(journal: Journal, session: str) -> tuple[tuple[Step, Outcome], ...]:
    """
    Read what was asked of the model, called, run and told in a session, with what came of each.

    Of a request to the model its role and its last message are read. What has no outcome yet is
    left out.

    Raises:
        UnusableSession: There is none, or it is damaged.
    """
    head, *events = journal.export(session)
    if any("is_damaged" in event for event in (head, *events)):
        raise damage_error(session)
    steps: dict[str, StepRecord] = {}
    with guard_session(session):
        for event in events:
            apply_entry(steps, event["place"], event["event"], event["data"])
        read = ((_shown_step(kept.step), kept) for kept in steps.values())
        return tuple(
            (step, outcome_from_json(step, kept.outcome) if kept.is_done else None)
            for step, kept in read
            if step is not None and (kept.is_done or isinstance(step, Say))
        )


def _shown_step(kept: JsonObject) -> Step | None:
    match kept["step"]:
        case "complete":
            said = kept.get("messages") or [{"text": ""}]
            last = Message("user", str(said[-1]["text"]))
            return Complete(role=kept["role"], messages=(last,))
        case "call":
            return Call(tool=kept["tool"], arguments=kept["arguments"])
        case "extract":
            return Extract(code=kept["code"], body="")
        case "say":
            return Say(Event(**kept["event"]))
        case _:
            return None


def _pair_outcomes(events: list[JsonObject]) -> Iterator[tuple[Step, Outcome]]:
    """Each model request and call with what came of it; None where nothing is known."""
    steps: dict[str, StepRecord] = {}
    for event in events:
        apply_entry(steps, event["place"], event["event"], event["data"])
    for kept in steps.values():
        step = _step_from_json(kept.step)
        if step is not None and kept.is_done:
            yield step, outcome_from_json(step, kept.outcome)
        elif step is not None and kept.sent is not None:
            yield step, None


def _step_from_json(kept: JsonObject) -> Step | None:
    if kept["step"] == "call":
        return Call(tool=kept["tool"], arguments=kept["arguments"])
    return Complete(role=kept["role"], messages=()) if kept["step"] == "complete" else None
