"""
A conversation: many turns over one agent, each of which knows what was said and found before.

It does no I/O of its own: the agent's driver performs each turn, and the journal keeps it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

from restwright.agents.agent import Agent, stream_run
from restwright.agents.events import Event
from restwright.agents.journal.conversations import (
    RESTORED,
    find_turns,
    restore_turn,
)
from restwright.agents.journal.store import Journal
from restwright.agents.memory.context import KEPT, Background, Exchange
from restwright.agents.memory.turn import Found, Turn, total
from restwright.agents.runtime.budget import find_price
from restwright.agents.runtime.write_guard import WRITE_EFFECTS
from restwright.agents.steps import Answer, Usage
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject

__all__ = ["Conversation", "Turn"]


@dataclass(slots=True)
class Conversation:
    """
    Turns over one agent; later ones may speak of what earlier ones said and found.

    A turn that fails or is interrupted leaves the conversation usable: what it found and sent
    until then is part of it.

    Args:
        agent: Answers each turn; may be replaced between turns, by one with another model or kind.
        journal: Keeps every turn, so that the conversation can be taken up again.
        id: By which the journal knows it; empty until the first turn, or where none is kept.
        history: Messages before its first turn, as of `Agent.ask`; for one without a journal.

    Raises:
        WrongType: The history is none.
        UsageError: There are a history and a journal.
    """

    agent: Agent
    journal: Journal | None = None
    id: str = ""
    history: Sequence[object] = field(default=(), kw_only=True)
    _turns: list[Turn] = field(default_factory=list[Turn])
    _read_before: frozenset[str] = frozenset()
    _earlier: Background = field(init=False)

    def __post_init__(self) -> None:
        """Read the history once: one that grows later changes nothing."""
        self._earlier = self.agent.read_history(self.history, self.journal) or Background()

    @classmethod
    def resume(
        cls, agent: Agent, journal: Journal, name: str, *, max_turns: int = RESTORED
    ) -> Self:
        """
        Take up a conversation, by its id or that of one of its turns.

        Its last turn may have been interrupted: see `interrupted` and `resume_turn()`.

        Args:
            max_turns: How many are taken up, the latest ones.

        Raises:
            UnusableSession: There is none, or it is of other documents.
        """
        conversation, sessions = find_turns(journal, name)
        return cls.restore(agent, journal, conversation, sessions, max_turns=max_turns)

    @classmethod
    def restore(
        cls,
        agent: Agent,
        journal: Journal,
        conversation: str,
        sessions: Sequence[str],
        *,
        max_turns: int = RESTORED,
    ) -> Self:
        """
        Take up those turns of a conversation that an agent had a say in.

        Args:
            sessions: Its own, oldest first.

        Raises:
            UnusableSession: One of them is damaged, or of other documents.
        """
        found = cls(agent, journal, conversation)
        if len(sessions) > max_turns:
            # What the turns before those read is not looked up: it may be anything.
            found._read_before = frozenset(agent.catalog.apis)
        for place, each in [*enumerate(sessions, 1)][-max_turns:]:
            turn = restore_turn(journal, each, agent.catalog, policy=agent.policy)
            found._turns.append(replace(turn, place=place))
        return found

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns that were not undone, oldest first; one that was gone on with is the last."""
        return tuple(self._turns)

    @property
    def usage(self) -> Usage:
        """What all turns used together."""
        return total([turn.usage for turn in self._turns])

    def messages(self, provider: str = "openai") -> list[JsonObject]:
        """
        Return all turns as the messages of a provider, without the history before the first.

        Args:
            provider: As of `Answer.messages()`.

        Raises:
            UnknownDialect: There is no such provider.
        """
        return [
            message
            for turn in self._turns
            for message in (turn.answer or _interrupted_answer(turn)).messages(provider)
        ]

    @property
    def interrupted(self) -> Turn | None:
        """The last turn, where it was interrupted, or failed, and the journal has it."""
        return next((turn for turn in self.unfinished if turn is self._turns[-1]), None)

    @property
    def unfinished(self) -> tuple[Turn, ...]:
        """All turns that were interrupted or failed, and that the journal has, oldest first."""
        return tuple(turn for turn in self._turns if not turn.has_ended and turn.session)

    def ask(self, text: str) -> Answer:
        """
        Take a turn. What it has done when it fails is in its answer, and known to later turns.

        Raises:
            RestwrightError: As `Agent.ask`; the conversation can go on.
        """
        with self._open_turn(text) as turn:
            turn.answer = self.agent.ask(text, journal=self.journal, background=turn.background)
        return turn.answer

    async def ask_async(self, text: str) -> Answer:
        """Do the same as `ask` without blocking the event loop."""
        return await self._take_turn(self.agent, text)

    def stream(self, text: str, *, session: str = "") -> AsyncGenerator[Event]:
        """
        Do the same as `ask_async`, and give what happens as it happens: as `Agent.stream`.

        Args:
            session: That the turn is kept in: one that another agent handed over to, or of a turn
                that is taken again; what is kept there is not done again.
        """
        return stream_run(self.agent, partial(self._take_turn, text=text, session=session))

    def resume_turn(self, session: str = "") -> Answer:
        """
        Go on with a turn that was interrupted, where it was; no finished call is made again.

        It knows what was said and found before it, and nothing of what came later. From then on it
        is the last turn.

        Args:
            session: Of the turn; the last one where empty.

        Raises:
            UnusableSession: It was not interrupted, or cannot be gone on with.
        """
        again = self._interrupted(session)
        with self._open_turn(again.question, again) as turn:
            turn.answer = self.agent.ask(
                journal=self.journal, resume=again.session, background=turn.background
            )
        return turn.answer

    async def resume_turn_async(self, session: str = "") -> Answer:
        """Do the same as `resume_turn` without blocking the event loop."""
        return await self._resume_turn(self.agent, session)

    def stream_resumed_turn(self, session: str = "") -> AsyncGenerator[Event]:
        """Do the same as `resume_turn_async`, and give what happens: as `Agent.stream`."""
        return stream_run(self.agent, partial(self._resume_turn, session=session))

    def undo(self) -> Turn | None:
        """Forget the last turn with all that it found, and return it; what it sent stays sent."""
        if not self._turns:
            return None
        last = self._turns.pop()
        if self.journal is not None and last.session:
            self.journal.mark_turn_undone(last.session)
        return last

    async def _take_turn(self, agent: Agent, text: str, session: str = "") -> Answer:
        again = next((turn for turn in self._turns if session and turn.session == session), None)
        with self._open_turn(text, again) as turn:
            turn.answer = await agent.ask_async(
                "" if session else text,
                journal=self.journal,
                resume=session or None,
                background=turn.background,
            )
        return turn.answer

    async def _resume_turn(self, agent: Agent, session: str) -> Answer:
        again = self._interrupted(session)
        with self._open_turn(again.question, again) as turn:
            turn.answer = await agent.ask_async(
                journal=self.journal, resume=again.session, background=turn.background
            )
        return turn.answer

    def _interrupted(self, session: str) -> Turn:
        if not session:
            if self.interrupted is None:
                raise UnusableSession(self.id, "its last turn was not interrupted")
            return self.interrupted
        found = next((turn for turn in self._turns if turn.session == session), None)
        if found is None:
            latest = len(self._turns)
            why = f"it is none of the latest {latest} turns of this conversation, or was undone"
            raise UnusableSession(session, why)
        if found.has_ended:
            raise UnusableSession(session, "that turn was not interrupted")
        return found

    @contextmanager
    def _open_turn(self, question: str, again: Turn | None = None) -> Generator[_ActiveTurn]:
        """A turn that is under way; it is kept however it ends."""
        agent = self.agent
        found = Found(
            catalog=agent.catalog, policy=agent.policy, price=find_price(agent.model.name)
        )
        place = again.place if again else max((turn.place for turn in self._turns), default=0) + 1
        going = _ActiveTurn(self._background(found, place))
        try:
            yield going
        finally:
            if found.has_begun:
                self.id = self.id or found.session
                turn = found.turn(question, going.answer if going.is_answered else None)
                self._turns = [turn for turn in self._turns if turn is not again]
                self._turns.append(replace(turn, model=agent.model.name, place=place))

    def _background(self, found: Found, place: int) -> Background:
        # A turn that goes on had no others: with what was found later it might go another way.
        before = [turn for turn in self._turns if turn.place < place]
        return Background(
            exchanges=(
                *self._earlier.exchanges,
                *(_exchange_from_turn(turn) for turn in before),
            ),
            done=(*self._earlier.done, *(done for turn in before for done in turn.done))[-KEPT:],
            # What was read since has been read all the same.
            read_from=self._read_before.union(
                self._earlier.read_from, *(turn.read_from for turn in self._turns)
            ),
            instructions=self._earlier.instructions,
            conversation=self.id,
            found=found,
        )


_UNANSWERED = Answer(text="", stopped="error")


@dataclass(slots=True)
class _ActiveTurn:
    background: Background
    answer: Answer = _UNANSWERED

    @property
    def is_answered(self) -> bool:
        return self.answer is not _UNANSWERED


def _interrupted_answer(turn: Turn) -> Answer:
    exchange = _exchange_from_turn(turn)
    return Answer(text=exchange.answer, stopped="error", question=exchange.question)


def _exchange_from_turn(turn: Turn) -> Exchange:
    answer = turn.answer.text if turn.answer else ""
    if turn.writes and not answer:
        # Else a message such as "go on" would have it sent again.
        sent = ", ".join(f"{write.tool} ({WRITE_EFFECTS[write.effect]})" for write in turn.writes)
        answer = f"I was stopped. Until then I sent: {sent}."
    return Exchange(turn.question, answer)
