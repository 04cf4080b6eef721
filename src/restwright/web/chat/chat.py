"""One chat: who can be talked with, what was said, and the run of each turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation, Turn
from restwright.agents.steps import AnyModel
from restwright.jsontypes import JsonObject
from restwright.web.chat.runs import Run

if TYPE_CHECKING:
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.session import HandoffRequest

OnSwitch = Callable[["HandoffRequest"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """
    An agent that can be talked with.

    Args:
        key: By which it is chosen.
        title: Its name for people.
        samples: What one could say to it.
        make: The agent with a model; told where it hands over, and given what agents before it
            left.
        manifest: None of an agent over documents.
    """

    key: str
    title: str
    description: str = ""
    samples: tuple[str, ...] = ()
    make: Callable[[AnyModel, OnSwitch, JsonObject | None], Agent] = field(repr=False)
    manifest: Manifest | None = field(default=None, repr=False)


@dataclass(slots=True, kw_only=True)
class ChatTurn:
    """
    What the user said, and what came of it.

    Args:
        speaker: The key of who was asked.
        run: None where the run is no longer in memory.
        turn: None until it has ended.
        parts: Of one that was read from the journal, what each agent did for it, with its key.
    """

    question: str
    speaker: str
    run: Run | None = None
    turn: Turn | None = None
    parts: tuple[tuple[Turn, str], ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether more comes."""
        return self.run is not None and not self.run.has_ended

    @property
    def session(self) -> str:
        """Its session in the journal; empty where none is kept, or none is known yet."""
        return self.turn.session if self.turn is not None else ""

    @property
    def can_resume(self) -> bool:
        """Whether it was interrupted, and can be taken up."""
        is_over = not self.is_running and self.turn is not None
        return is_over and bool(self.session) and not (self.turn and self.turn.has_ended)


@dataclass(slots=True, kw_only=True)
class Chat:
    """
    A chat with one agent, or with those of a manifest.

    Args:
        id: Of its address, and of its conversation in the journal.
        speaker: The key of who listens.
        model: The name of who is asked; empty for that of the server.
        kind: How it goes about a message; empty for what suits the model.
    """

    id: str
    owner: str
    speaker: str
    model: str = ""
    kind: str = ""
    turns: list[ChatTurn] = field(default_factory=list[ChatTurn])
    conversations: dict[str, Conversation] = field(default_factory=dict[str, Conversation])

    @property
    def running(self) -> Run | None:
        """The run that goes on."""
        last = self.turns[-1] if self.turns else None
        return last.run if last is not None and last.is_running else None
