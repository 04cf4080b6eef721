"""The turns of agents of manifests in the journal: each agent that has a say has a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from restwright.errors import UnusableSession

if TYPE_CHECKING:
    from restwright.agents.journal.rows import SessionHeader, SessionSummary
    from restwright.agents.journal.store import Journal, JournalSession
    from restwright.agents.runtime.performer import Performer
    from restwright.manifests.session.driver import RunTurn
    from restwright.manifests.session.session import AgentTurn, SessionAgent


@dataclass(slots=True)
class KeptTurns:
    """
    Keeps what agents do for one message after another, where there is a journal.

    Args:
        conversation: Its id; empty before the first turn.
        session: Of the first agent of the message that goes on; empty where nothing is kept.
        summaries: The turns of a conversation that is taken up, oldest first.
    """

    journal: Journal | None = None
    conversation: str = ""
    session: str = ""
    summaries: Sequence[SessionSummary] = ()
    _question: str = ""
    _before: str = ""
    _again: str = ""
    _is_replay: bool = False
    _agents: dict[str, str] = field(default_factory=dict[str, str])

    def open(self, name: str) -> KeptTurns:
        """
        Take up a conversation, by its id or that of one of its turns.

        Raises:
            UnusableSession: There is none.
        """
        from restwright.agents.journal.conversations import find_turns

        if self.journal is None:
            raise UnusableSession(name, "this chat is not kept, so nothing can be taken up again")
        conversation, sessions = find_turns(self.journal, name)
        known = {summary.id: summary for summary in self.journal.sessions()}
        summaries = [known[session] for session in sessions if session in known]
        agents = {summary.id: summary.header.agent for summary in summaries}
        return KeptTurns(self.journal, conversation, summaries=summaries, _agents=agents)

    def speaker_of(self, session: str) -> str:
        """Which agent a turn was begun with."""
        return self._agents.get(session, "")

    def begin(self, question: str, *, again: str = "", is_replay: bool = False) -> None:
        """
        Begin a message.

        Args:
            again: The session of its first agent, where it is gone on with.
            is_replay: Whether it has ended, and is only to be known again.
        """
        self._question, self._before, self.session = question, "", again
        self._again, self._is_replay = again, is_replay

    def undo(self, session: str) -> None:
        """Keep that a turn was undone."""
        if self.journal is not None and session:
            self.journal.mark_turn_undone(session)

    def take(self, speaker: SessionAgent, performer: Performer, run: RunTurn) -> AgentTurn:
        """
        Take the turn of an agent, and keep it; what is kept of it is not done again.

        Raises:
            UnusableSession: It was of other documents, or goes another way than it did.
        """
        if self.journal is None:
            return run(performer)
        from restwright.agents.journal.replay import Recorder

        session = self._open_session(self.journal, _header(speaker, performer, self._question))
        try:
            turn = run(Recorder(performer, session, asks_again=not self._is_replay))
            # One that failed is not over, and goes on there.
            if not self._is_replay and turn.stopped != "error":
                session.end(turn.stopped, turn.text)
        finally:
            session.release()
        if turn.switch is not None:
            self._question = turn.switch.message or self._question
        return turn

    def _open_session(self, journal: Journal, header: SessionHeader) -> JournalSession:
        from restwright.agents.journal.handoffs import start_handoff

        if self._before:
            session = journal.resume(start_handoff(journal, self._before, header))
        elif self._again:
            session = journal.resume(self._again)
        else:
            session = journal.start(header)
            self.session, self.conversation = session.id, self.conversation or session.id
            self._agents[session.id] = header.agent
            journal.append_turn(self.conversation, session.id)
        self._before = session.id
        if (session.header.apis, session.header.agent) != (header.apis, header.agent):
            session.release()
            raise UnusableSession(
                session.id, "it is of other documents, or they have changed since"
            )
        return session


def _header(speaker: SessionAgent, performer: Performer, question: str) -> SessionHeader:
    from restwright.agents.journal.rows import SessionHeader
    from restwright.agents.runtime.trace_context import current_traceparent

    return SessionHeader(
        question=question,
        agent=speaker.name,
        model=performer.model.name,
        apis={name: api.sha256 for name, api in performer.catalog.apis.items()},
        traceparent=current_traceparent(),
    )
