"""The agents behind the doors: over documents, or of manifests, which hand over to each other."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event
from restwright.agents.journal.handoffs import start_handoff
from restwright.agents.journal.store import Journal
from restwright.errors import UnusableSession
from restwright.manifests.own.asking import AskedAgent, stream_agents
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.session.session import HandoffRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    What an agent is asked.

    Args:
        user: Who asks; empty where nobody had to say who they are.
        question: Empty where an interrupted turn goes on.
        history: Messages before it, which the client keeps.
        journal: Keeps the turn in `thread`; None for a turn with a history, or kept nowhere.
        thread: By which the journal knows the conversation.
    """

    user: str = ""
    question: str = ""
    history: Sequence[object] = ()
    journal: Journal | None = None
    thread: str = ""


class DoorAgent(Protocol):
    """An agent that programs can ask."""

    @property
    def name(self) -> str:
        """By which it is asked."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def description(self) -> str:
        """What it is for."""
        ...

    def stream(self, turn: Turn) -> AsyncGenerator[Event]:
        """As `Agent.stream`; who leaves it ends the run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAgent:
    """
    One agent over documents.

    Args:
        make: The agent of a user, with how the APIs are reached for them.
    """

    name: str
    make: Callable[[str], Agent] = field(repr=False)
    title: str = ""
    description: str = ""

    def stream(self, turn: Turn) -> AsyncGenerator[Event]:
        """Take a turn."""
        return _stream_turn(self.make(turn.user), turn)


OnSwitch = Callable[[HandoffRequest], None]
MakeManifestAgent = Callable[[AskedAgent, str, OnSwitch], Agent]
"""The agent of a manifest for a user; told where it hands over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestAgent:
    """The agent of a manifest; another one may go on with its turn."""

    name: str
    manifest: Manifest = field(repr=False)
    make: MakeManifestAgent = field(repr=False)

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.manifest.title or self.manifest.name

    @property
    def description(self) -> str:
        """What it is for."""
        return self.manifest.description

    def stream(self, turn: Turn) -> AsyncGenerator[Event]:
        """Take a turn; the answers of all agents are given as one."""

        def take(asked: AskedAgent, on_switch: OnSwitch) -> AsyncGenerator[Event]:
            agent = self.make(asked, turn.user, on_switch)
            if asked.before is None:
                return _stream_turn(agent, turn)
            return _stream_handoff(agent, asked, turn.journal)

        return stream_agents(self.manifest, turn.question, take)


def _stream_turn(agent: Agent, turn: Turn) -> AsyncGenerator[Event]:
    if turn.journal is None:
        return agent.stream(turn.question, history=turn.history)
    conversation = _open_conversation(agent, turn.journal, turn.thread)
    return (
        conversation.stream(turn.question) if turn.question else conversation.stream_resumed_turn()
    )


def _stream_handoff(
    agent: Agent, asked: AskedAgent, journal: Journal | None
) -> AsyncGenerator[Event]:
    resume = None
    if journal is not None and asked.before is not None:
        header = agent.session_header(asked.question)
        resume = start_handoff(journal, asked.before.session, header)
    return agent.stream("" if resume else asked.question, journal=journal, resume=resume)


def _open_conversation(agent: Agent, journal: Journal, thread: str) -> Conversation:
    """The conversation of a thread: its turns until now, or none."""
    if not has_turns(journal, thread):
        return Conversation(agent, journal, thread)
    return Conversation.resume(agent, journal, thread)


def has_turns(journal: Journal, thread: str) -> bool:
    """Whether the journal knows a thread."""
    from restwright.agents.journal.conversations import find_turns

    try:
        return bool(find_turns(journal, thread)[1])
    except UnusableSession:
        return False


def name_thread(*parts: str) -> str:
    """
    Name a conversation of a client, so that nobody else's has the same name in a journal.

    Args:
        parts: Who asks, which agent, and what the client calls it.
    """
    whole = "\0".join((",".join(str(len(part)) for part in parts), *parts))
    return f"door-{sha256(whole.encode()).hexdigest()[:24]}"
