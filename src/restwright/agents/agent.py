"""Binds a catalog, its connections and a model to a loop."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from restwright.agents.budget import Budget, Limits, price_of
from restwright.agents.calling import Calling, calling
from restwright.agents.driver import run, run_async
from restwright.agents.events import Listener
from restwright.agents.human import Human, nobody
from restwright.agents.performing import Performer
from restwright.agents.rest import LISTED, SHORT_LIST, rest
from restwright.agents.steps import Answer, Conclusion, Steps
from restwright.agents.turns import limits_for
from restwright.calls.consent import Approve, never_approve
from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.security import Connection
from restwright.net.transport import Transport
from restwright.tools.catalog import Catalog
from restwright.tools.index import LOGGER, of_all
from restwright.tools.usage import Counter
from restwright.typing import Model, Send

__all__ = ["Agent", "Limits"]


@dataclass(frozen=True, slots=True)
class Agent:
    """
    Answers questions over the APIs of a catalog.

    Args:
        catalog: The tools it may use.
        model: Who decides; `model_named()` finds one.
        connections: `{namespace: Connection}`; an API without one uses its document's own server.
        send: Carries requests; a `Transport` of its own where None.
        approve: Asked before each write; nothing is written without it.
        policy: What may be called at once, what `approve` is asked about, and what is refused.
        human: Answers what nobody else can know, and fills in what tools leave to a human.
        limits: Of each run.
        kind: How it goes about a question: a name in `KINDS`, or a loop of your own.
        expands: Whether the model words what to search for, where a catalog is too large to list.
        on_event: Called with each `Event` as it happens, in the thread of the run.
        counter: Counts which tools are offered, called, failed and repaired; None to count nothing.
    """

    catalog: Catalog
    model: Model = field(kw_only=True)
    connections: Mapping[str, Connection] = field(
        default_factory=dict[str, Connection], kw_only=True
    )
    send: Send | None = field(default=None, kw_only=True)
    approve: Approve = field(default=never_approve, kw_only=True)
    policy: Policy = field(default=CONFIRM, kw_only=True)
    human: Human = field(default=nobody, kw_only=True)
    limits: Limits = field(default_factory=Limits, kw_only=True)
    kind: str | Loop = field(default="rest", kw_only=True)
    expands: bool = field(default=False, kw_only=True)
    on_event: Listener | None = field(default=None, kw_only=True)
    counter: Counter | None = field(default=None, kw_only=True)

    def ask(self, question: str) -> Answer:
        """
        Plan, call and answer.

        Returns:
            The answer with its trace. A limit, a refused write or a failing API is in `stopped`
            and `reason`, not an exception.

        Raises:
            ModelUnavailable: The model cannot be reached or loaded.
        """
        if self.send is not None:
            performer = self._performer(self.send)
            return _answer(run(self._steps(question), performer), performer)
        with Transport() as transport:
            performer = self._performer(transport)
            return _answer(run(self._steps(question), performer), performer)

    async def ask_async(self, question: str) -> Answer:
        """Do the same as `ask` without blocking the event loop."""
        if self.send is not None:
            performer = self._performer(self.send)
            return _answer(await run_async(self._steps(question), performer), performer)
        with Transport() as transport:
            performer = self._performer(transport)
            return _answer(await run_async(self._steps(question), performer), performer)

    def _steps(self, question: str) -> Steps[Conclusion]:
        _log_selected(self.catalog, self.model)
        loop = KINDS[self.kind] if isinstance(self.kind, str) else self.kind
        return loop(self, question)

    def _performer(self, send: Send) -> Performer:
        return Performer(
            catalog=self.catalog,
            model=self.model,
            send=send,
            approve=self.approve,
            policy=self.policy,
            connections=self.connections,
            budget=Budget(limits=self.limits, price=price_of(self.model.name)),
            human=self.human,
            on_event=self.on_event,
            counter=self.counter,
        )


Loop: TypeAlias = Callable[[Agent, str], Steps[Conclusion]]
"""Makes the steps that answer a question with what an agent has."""


def _rest(agent: Agent, question: str) -> Steps[Conclusion]:
    return rest(question, agent.catalog, policy=agent.policy, expands=agent.expands)


def _calling(agent: Agent, question: str) -> Steps[Conclusion]:
    native = bool(getattr(agent.model, "calls_tools", False))
    options = Calling(native=native, limits=limits_for(agent.model.name))
    return calling(question, agent.catalog, policy=agent.policy, options=options)


KINDS: Mapping[str, Loop] = {
    "rest": _rest,
    "calling": _calling,
}
"""The loops that `Agent.kind` names."""


def _log_selected(catalog: Catalog, model: Model) -> None:
    """Log which tools a run is given, as one record."""
    log = logging.getLogger(LOGGER)
    if not log.isEnabledFor(logging.DEBUG):
        return
    given = of_all(catalog, agent="rest", provider=model.name.partition(":")[0])
    if len(catalog) > LISTED:
        reason = f"{len(catalog):,} tools, more than {LISTED}; {SHORT_LIST} are found for each task"
        given = replace(given, reason=reason)
    log.debug("%s", given, extra={"selected": given.record()})


def _answer(conclusion: Conclusion, performer: Performer) -> Answer:
    return Answer(
        text=conclusion.text,
        stopped=conclusion.stopped,
        reason=conclusion.reason,
        steps=tuple(performer.trace),
        calls=tuple(performer.calls),
        usage=performer.budget.usage(),
    )
