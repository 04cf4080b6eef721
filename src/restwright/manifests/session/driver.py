"""Performs the turns of agents that come from manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from restwright.agents.events import Listener
from restwright.agents.runtime.budget import Budget, Limits, find_price
from restwright.agents.runtime.driver import run_steps
from restwright.agents.runtime.human_input import Human, no_human
from restwright.agents.runtime.metrics import STOPPED
from restwright.agents.runtime.performer import Performer
from restwright.agents.runtime.streaming import DeltaListener
from restwright.agents.runtime.telemetry import make_tracer
from restwright.agents.runtime.write_guard import WriteRecord
from restwright.agents.steps import CallRecord, Model, Outcome, Step, Steps, Usage
from restwright.calls.approval.approval import Approve, refuse_all
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.jsontypes import JsonObject
from restwright.manifests.session.session import AgentTurn, SessionAgent
from restwright.net.callbacks import refuse_async
from restwright.net.http.transport import Transport
from restwright.net.messages import Send
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import build_function_catalog

RunTurn: TypeAlias = Callable[[Callable[[Step], Outcome]], AgentTurn]
"""Runs a turn, each step of which is performed by what it is given."""

TakeTurn: TypeAlias = Callable[[SessionAgent, Performer, RunTurn], AgentTurn]
"""Takes a turn of an agent: with that performer, or with one that keeps what it does."""


def take_turn(speaker: SessionAgent, performer: Performer, run: RunTurn) -> AgentTurn:
    """Take a turn that nobody keeps."""
    del speaker
    return run(performer)


@dataclass(slots=True, kw_only=True)
class SessionDriver:
    """
    Performs the steps of each turn: its model is asked, its tools are called.

    An agent with a method `performer` says itself how its steps are performed.

    Args:
        model: For agents that are not in `models`.
        models: `{key of an agent: the model that its manifest asks for}`.
        send: Carries requests; a `Transport` for each turn where None.
        approve: Asked before each write; nothing is written without it.
        limits: Of each turn.
        connections: Of the APIs that agents have beside their functions.
        on_words: Told the words of an answer as the model writes them, where it can tell.
        take: Takes each turn.
        usage: Of each turn so far.
        trace: What happened so far, as JSON objects.
        calls: What was called so far.
        writes: What was sent so far that changes something.
        read_from: The APIs whose responses were read so far.
    """

    model: Model
    models: Mapping[str, Model] = field(default_factory=dict[str, Model])
    send: Send | None = None
    approve: Approve = refuse_all
    policy: Policy = CONFIRM
    human: Human = no_human
    limits: Limits = field(default_factory=Limits)
    connections: Mapping[str, Connection] = field(default_factory=dict[str, Connection])
    on_event: Listener | None = None
    on_words: DeltaListener | None = None
    take: TakeTurn = take_turn
    usage: list[Usage] = field(default_factory=list[Usage])
    trace: list[JsonObject] = field(default_factory=list[JsonObject])
    calls: list[CallRecord] = field(default_factory=list[CallRecord])
    writes: list[WriteRecord] = field(default_factory=list[WriteRecord])
    read_from: frozenset[str] = frozenset()

    def __call__(self, speaker: SessionAgent, steps: Steps[AgentTurn]) -> AgentTurn:
        """Perform one turn."""
        refuse_async(
            approve=self.approve,
            human=self.human,
            on_event=self.on_event,
            on_words=self.on_words,
        )
        with ExitStack() as ending:
            send = self.send or ending.enter_context(Transport())
            performer = self._performer(speaker, send)
            ending.callback(performer.cancel)
            # What an earlier turn has read stands in what is said, and may speak in this one.
            performer.read_before |= self.read_from
            add = ending.enter_context(performer.tracing.agent())
            try:
                turn = self.take(speaker, performer, partial(run_steps, steps))
                add({STOPPED: turn.stopped})
                return turn
            finally:
                self.read_from = performer.read_from
                self.usage.append(performer.budget.usage())
                self.trace.extend(performer.trace)
                self.calls.extend(performer.calls)
                self.writes.extend(performer.writes)

    def _performer(self, speaker: SessionAgent, send: Send) -> Performer:
        own = getattr(speaker, "performer", None)
        if own is not None:
            return own(send)
        model = self.models.get(speaker.name, self.model)
        catalog = _agent_catalog(speaker)
        return Performer(
            catalog=catalog,
            model=model,
            send=send,
            approve=self.approve,
            policy=self.policy,
            human=self.human,
            connections=self.connections,
            budget=Budget(limits=self.limits, price=find_price(model.name)),
            on_event=self.on_event,
            on_words=self.on_words,
            tracing=make_tracer(
                model, is_heard=self.on_words is not None, catalog=catalog, name=speaker.name
            ),
        )


def _agent_catalog(speaker: SessionAgent) -> Catalog:
    found = getattr(speaker, "catalog", None)
    return found if isinstance(found, Catalog) else build_function_catalog("none", ())
