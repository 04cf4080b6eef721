"""
A conversation with the agents of one or more manifests: whose turn it is, what each has heard, what
is remembered from one to the next, and how one hands over to another.

A session does no I/O. A turn of an agent is a generator of steps; who made the session says how
they are performed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol, TypeAlias

from restwright.agents.steps import Message, Steps, StopReason
from restwright.jsontypes import Json, JsonObject
from restwright.stepping import drive
from restwright.tools.toolset.meta_tools import ToolCall

MAX_HANDOFFS = 8
"""As often one turn of the user may go from one agent to another."""

_NEAR = 3
_SHOWN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    Something to say to an agent, as its manifest proposes it.

    Args:
        name: By which it is called; `sample` for the one without a name of its own.
        text: What the user would say.
        more: What they would say next, one after another.
        expects: The calls that it is to lead to, `{"tool": name, "arguments": {...}}` each; empty
            where the manifest says nothing about them.
    """

    name: str
    text: str
    more: tuple[str, ...] = ()
    expects: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffRequest:
    """
    Hand the conversation over to another agent.

    Args:
        agent: Its key.
        message: Said to it in the user's place; empty for nothing.
        memory: What it is given to remember.
        merge: Whether that is put over what is remembered so far, in place of it.
        initiate: Whether it speaks first, where there is no message.
        restarts: Whether it begins anew, as SlashGPT's agents do.
    """

    agent: str
    message: str = ""
    memory: JsonObject | None = None
    merge: bool = False
    initiate: bool = False
    restarts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """
    What a turn starts from.

    Args:
        history: What was said and called before with this agent, oldest first; no system message.
        memory: What earlier agents left; None where none did.
        agents: `{key: description}` of all agents of the session.
    """

    history: tuple[Message, ...] = ()
    memory: JsonObject | None = None
    agents: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """
    What one turn of an agent came to.

    Args:
        text: Its words for the user; empty where it has none.
        history: Of the agent, this turn included.
        switch: Who goes on; None for the user.
        data: What it gave besides words: emitted values, images, files.
        calls: The functions that it called, in order.
        stopped: Why it ended.
        reason: One line more about it; empty after `answered`.
    """

    text: str
    history: tuple[Message, ...] = ()
    switch: HandoffRequest | None = None
    data: tuple[Json, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    stopped: StopReason = "answered"
    reason: str = ""


class SessionAgent(Protocol):
    """One configured agent that can take a turn."""

    @property
    def name(self) -> str:
        """Its key, by which it is switched to."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What its manifest proposes to say to it."""
        ...

    def turn(self, text: str, context: TurnContext) -> Steps[AgentTurn]:
        """
        Answer `text`.

        What goes wrong on the way is told to the model, or is in `Turn.stopped` and `reason`.

        Args:
            text: What the user says; empty where the agent is to speak first.
        """
        ...


DriveTurn: TypeAlias = Callable[[SessionAgent, Steps[AgentTurn]], AgentTurn]
"""Performs the steps of a turn of that agent."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn, and whose it was."""

    agent: str
    turn: AgentTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReply:
    """
    What one message of the user led to.

    Args:
        turns: The turns of all agents that had a say, in order.
    """

    turns: tuple[TurnRecord, ...]

    @property
    def text(self) -> str:
        """The words for the user, of all turns."""
        return "\n".join(
            turn_record.turn.text for turn_record in self.turns if turn_record.turn.text
        )

    @property
    def agent(self) -> str:
        """Who spoke last."""
        return self.turns[-1].agent

    @property
    def stopped(self) -> StopReason:
        """Why the last turn ended."""
        return self.turns[-1].turn.stopped

    @property
    def reason(self) -> str:
        """One line more about it."""
        return self.turns[-1].turn.reason


TurnSequence: TypeAlias = Generator[tuple[SessionAgent, Steps[AgentTurn]], AgentTurn, SessionReply]
"""The turns that one message leads to: each is to be driven, and what came of it sent in."""


@dataclass(slots=True, kw_only=True)
class ManifestSession:
    """
    A conversation with several agents, of whom one at a time listens.

    Args:
        speakers: `{key: agent}`.
        current: Who listens.
        drive_turn: Performs the steps of a turn.
        memory: What agents left for the next; None where none did.
        restarts: Whether an agent that is switched to begins anew, as those of SlashGPT do.
        histories: `{key: what was said and called}`.
    """

    speakers: Mapping[str, SessionAgent]
    current: str
    drive_turn: DriveTurn
    memory: JsonObject | None = None
    restarts: bool = True
    histories: dict[str, tuple[Message, ...]] = field(
        default_factory=dict[str, tuple[Message, ...]]
    )

    @property
    def speaker(self) -> SessionAgent:
        """Who listens."""
        return self.speakers[self.current]

    @property
    def history(self) -> tuple[Message, ...]:
        """What was said and called with who listens."""
        return self.histories.get(self.current, ())

    def ask(self, text: str) -> SessionReply:
        """
        Say `text` to who listens; others may go on from there.

        Raises:
            ModelUnavailable: There is no model to ask. The conversation stays as it was before the
                turn that needed it.
        """
        return drive(self.turns(text), lambda turn: self.drive_turn(*turn))

    def turns(self, text: str) -> TurnSequence:
        """The turns that `text` leads to, for a driver of your own, such as an asynchronous one."""
        spoken: list[TurnRecord] = []
        for switches in range(MAX_HANDOFFS + 1):
            speaker = self.speaker
            turn = yield speaker, speaker.turn(text, self.context())
            spoken.append(TurnRecord(speaker.name, turn))
            self.histories[self.current] = turn.history
            if (switch := turn.switch) is None:
                break
            if switches == MAX_HANDOFFS:
                spoken.append(TurnRecord(speaker.name, _stop_turn(turn)))
                break
            if (unknown := self.describe_unknown_agent(switch.agent)) is not None:
                # Told to who wanted it, whose next turn may be another.
                text = unknown
                continue
            self.enter(switch)
            if not (switch.message or switch.initiate):
                break
            text = switch.message
        return SessionReply(turns=tuple(spoken))

    def context(self) -> TurnContext:
        """What the next turn starts from."""
        agents = {key: describe_agent(each) for key, each in self.speakers.items()}
        return TurnContext(history=self.history, memory=self.memory, agents=agents)

    def describe_unknown_agent(self, agent: str) -> str | None:
        """What a model is told that wants to hand over to nobody; None for an agent there is."""
        return None if agent in self.speakers else describe_unknown_agent(agent, [*self.speakers])

    def enter(self, switch: HandoffRequest) -> None:
        """Let another agent listen; it must be one of the session."""
        memory = switch.memory
        self.memory = {**(self.memory or {}), **(memory or {})} if switch.merge else memory
        self.current = switch.agent
        if self.restarts or switch.restarts:
            self.restart()

    def greet(self) -> str:
        """What who listens says first, which is from then on a part of what was said."""
        said = getattr(self.speaker, "greeting", "")
        if not isinstance(said, str) or not said or self.history:
            return ""
        self.histories[self.current] = (Message("assistant", said),)
        return said

    def restart(self) -> None:
        """Forget what was said with who listens."""
        self.histories.pop(self.current, None)


def describe_agent(speaker: SessionAgent) -> str:
    """What an agent is for, in a line; its title where its manifest says nothing more."""
    said = getattr(speaker, "description", "")
    return said if isinstance(said, str) and said else speaker.title


def describe_unknown_agent(agent: str, known: list[str]) -> str:
    """What a model is told that names no agent there is."""
    shown = " ".join(str(agent).split())[:_SHOWN]
    near = get_close_matches(agent, known, n=_NEAR, cutoff=0.6)
    listed = ", ".join(near or known)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {listed}."
    return f"There is no agent {shown!r}, and nothing was handed over. {hint}"


def _stop_turn(turn: AgentTurn) -> AgentTurn:
    return AgentTurn(
        text="",
        history=turn.history,
        stopped="limit",
        reason=f"the agents handed over {MAX_HANDOFFS} times without an answer",
    )
