"""What comes of one turn of a conversation, read off its steps as they are performed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from restwright.agents.memory.transcript import Done, done_by
from restwright.agents.runtime.budget import Budget, Price, no_price
from restwright.agents.runtime.trace import make_call_exchange, make_call_record
from restwright.agents.runtime.write_guard import WriteRecord, write_effect
from restwright.agents.steps import (
    Answer,
    Call,
    CallExchange,
    CallRecord,
    Complete,
    Completion,
    Gather,
    Outcome,
    RoleUsage,
    Step,
    Usage,
    add_tokens,
)
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    One turn of a conversation.

    Args:
        answer: None where it was interrupted, or the model could not be asked.
        done: What its calls gave.
        writes: Those that were sent; nothing takes them back.
        read_from: The APIs whose responses it read.
        usage: Of the model and the APIs.
        model: Who was asked.
        session: By which the journal knows it; empty where none is kept.
        place: Of the turns of a conversation, in the order in which they were asked.
    """

    question: str
    answer: Answer | None
    done: tuple[Done, ...] = ()
    writes: tuple[WriteRecord, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    read_from: frozenset[str] = frozenset()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    session: str = ""
    place: int = 0

    @property
    def has_ended(self) -> bool:
        """Whether it has an answer that no failure cut short."""
        return self.answer is not None and self.answer.error is None


@dataclass(slots=True, kw_only=True)
class Found:
    """
    Collects what a turn finds, one step after another.

    Args:
        catalog: Of the tools that are called.
        policy: Says which of them are reads.
        price: Of the model's replies.
    """

    catalog: Catalog
    policy: Policy = CONFIRM
    price: Price = no_price
    session: str = ""
    has_begun: bool = False
    done: list[Done] = field(default_factory=list[Done])
    calls: list[CallRecord] = field(default_factory=list[CallRecord])
    exchanges: list[CallExchange] = field(default_factory=list[CallExchange])
    read_from: set[str] = field(default_factory=set[str])
    _writes: list[WriteRecord] = field(default_factory=list[WriteRecord])
    _going: list[WriteRecord] = field(default_factory=list[WriteRecord])
    _budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = Budget(price=self.price)

    def begun(self) -> None:
        """Note that a step is going to be performed; one before it may have ended by an error."""
        self.has_begun = True
        self._writes += self._going
        self._going = []

    def sending(self, tool: Tool, arguments: JsonObject) -> None:
        """Note that a write is about to be sent."""
        self._going.append(WriteRecord(tool=tool.name, arguments=arguments, effect="unknown"))

    def ended(self, step: Step, outcome: Outcome) -> None:
        """Note what came of it; of several steps perhaps of some."""
        if isinstance(step, Gather) and isinstance(outcome, tuple):
            for each, own in zip(step.steps, outcome, strict=True):
                self._is_over(each, own)
        else:
            self._is_over(step, outcome)

    def _is_over(self, step: Step, outcome: Outcome) -> None:
        if outcome is not None:
            self._going = [each for each in self._going if not self._is_of(each, step)]
        self._noted(step, outcome)

    def _is_of(self, going: WriteRecord, step: Step) -> bool:
        """Whether a write that was sent is that of a step; an idempotency key was added to it."""
        if not isinstance(step, Call) or (tool := self._tool(step)) is None:
            return False
        is_within = {**going.arguments, **step.arguments} == going.arguments
        return tool.name == going.tool and is_within

    def failed(self) -> None:
        """Note that a step ended by an exception; what it sent may have taken effect."""
        self._writes += self._going
        self._going = []

    def writes(self) -> tuple[WriteRecord, ...]:
        """The writes that were sent, and those that are under way."""
        return (*self._writes, *self._going)

    def turn(self, question: str, answer: Answer | None) -> Turn:
        """The turn, of which this is what it found."""
        return Turn(
            question=question,
            answer=answer,
            done=tuple(self.done),
            writes=self.writes(),
            calls=answer.calls if answer and answer.calls else tuple(self.calls),
            read_from=frozenset(self.read_from),
            usage=answer.usage if answer and answer.steps else self._budget.usage(),
            session=self.session,
        )

    def _noted(self, step: Step, outcome: Outcome) -> None:
        if isinstance(step, Complete) and isinstance(outcome, Completion):
            self._budget.record_completion(step.role, outcome)
        if isinstance(step, Call) and isinstance(outcome, Result) and (tool := self._tool(step)):
            self._called(step, tool, outcome)

    def _called(self, step: Call, tool: Tool, result: Result) -> None:
        is_write = self.policy.class_of(tool) != "read"
        if result.was_attempted:
            self.calls.append(make_call_record(step, tool, result))
            self.exchanges.append(make_call_exchange(tool, step, result, self.policy))
        if result.was_sent:
            self._budget.record_request(tool.namespace)
        # One that took effect as the user says has no response.
        if is_write and (result.was_sent or result.ok):
            effect = write_effect(result)
            self._writes.append(
                WriteRecord(tool=tool.name, arguments=step.arguments, effect=effect)
            )
        if result.has_server_text:
            self.read_from.add(tool.namespace)
        if result.ok:
            self.done.append(done_by(tool, step.arguments, result, is_write=is_write))

    def _tool(self, call: Call) -> Tool | None:
        return self.catalog.dispatch(call.tool).tool


def total(usages: Sequence[Usage]) -> Usage:
    """What several turns used together; the cost of those whose price is known."""
    costs = [each.cost for each in usages if each.cost is not None]
    apis: Counter[str] = Counter()
    roles: dict[str, RoleUsage] = {}
    for each in usages:
        apis.update(each.apis)
        for role, own in each.roles.items():
            roles[role] = _sum(roles.get(role, RoleUsage()), own)
    return Usage(
        model_calls=sum(each.model_calls for each in usages),
        http_calls=sum(each.http_calls for each in usages),
        elapsed_s=round(sum(each.elapsed_s for each in usages), 3),
        cost=sum(costs) if costs else None,
        roles=roles,
        apis=dict(apis),
        **add_tokens(*usages),
    )


def _sum(one: RoleUsage, other: RoleUsage) -> RoleUsage:
    return RoleUsage(
        model_calls=one.model_calls + other.model_calls,
        elapsed_s=round(one.elapsed_s + other.elapsed_s, 3),
        **add_tokens(one, other),
    )
