"""One question to a manifest: its agent is asked, then those that it hands over to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass, replace
from typing import TypeAlias

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.journal.handoffs import first_session, start_handoff
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.stream_events import AnswerEvent, answer_event
from restwright.agents.steps import Answer, Usage
from restwright.jsontypes import JsonObject
from restwright.manifests.own.conversation import MEMORY
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.session.session import HandoffRequest
from restwright.stepping import drive

MAX_HANDOVERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgent:
    """
    An agent that is to be asked; what it answers, and to whom it hands over, is sent back.

    Args:
        before: The answer of the one that handed over to it; None for the first.
        memory: What the agents before it left, where its prompt has a place for it.
    """

    manifest: Manifest
    question: str
    before: Answer | None = None
    memory: JsonObject | None = None


def ask_agents(
    first: Manifest, question: str
) -> Generator[AskedAgent, tuple[Answer, HandoffRequest | None], Answer]:
    """Yield the agents that are to be asked one after another; return their answers as one."""
    manifest, said, memory = first, list[Answer](), None
    for _ in range(MAX_HANDOVERS + 1):
        before = said[-1] if said else None
        told = memory if MEMORY in manifest.prompt else None
        answer, handoff = yield AskedAgent(
            manifest=manifest, question=question, before=before, memory=told
        )
        said.append(answer)
        if handoff is None:
            return _join_answers(said)
        memory = {**(memory or {}), **(handoff.memory or {})} if handoff.merge else handoff.memory
        others = {other.name: other.manifest for other in manifest.agents}
        manifest = others[handoff.agent]
        if not (handoff.message or handoff.initiate):
            # It waits for what the user says next.
            return _join_answers(said)
        question = _write_handed(handoff, manifest)
    reason = f"the agents handed over {MAX_HANDOVERS} times without an answer"
    return replace(_join_answers(said), stopped="limit", reason=reason)


MakeAgent: TypeAlias = Callable[[AskedAgent, Callable[[HandoffRequest], None]], Agent]
"""Makes an agent, which tells where it hands over."""


def ask_manifest(
    first: Manifest,
    question: str,
    make_agent: MakeAgent,
    *,
    journal: Journal | None = None,
    resume: str | None = None,
) -> Answer:
    """
    Ask the first agent, then those that it hands over to.

    Args:
        question: Empty where a run is taken up again.
        resume: Any session of a run. All agents of it are asked again, the first one first: what
            they did is taken from the journal.
    """
    if journal is not None and resume is not None:
        resume = first_session(journal.handoffs(resume), resume)

    def perform(asked: AskedAgent) -> tuple[Answer, HandoffRequest | None]:
        switches: list[HandoffRequest] = []
        agent, name = make_agent(asked, switches.append), resume
        if journal is not None and asked.before is not None:
            header = agent.session_header(asked.question)
            name = start_handoff(journal, asked.before.session, header)
        answer = agent.ask(asked.question, journal=journal, resume=name)
        return answer, switches[0] if switches else None

    return drive(ask_agents(first, question), perform)


StreamTurn: TypeAlias = Callable[
    [AskedAgent, Callable[[HandoffRequest], None]], AsyncGenerator[Event]
]
"""Takes the turn of an agent, which tells where it hands over; ends with its `AnswerEvent`."""


async def stream_agents(first: Manifest, question: str, take: StreamTurn) -> AsyncGenerator[Event]:
    """Yield the events of all agents that a question leads to; their answers are given as one."""
    with closing(ask_agents(first, question)) as steps:
        asked = next(steps)
        while True:
            switches: list[HandoffRequest] = []
            ended: AnswerEvent | None = None
            async with aclosing(take(asked, switches.append)) as events:
                async for event in events:
                    if isinstance(event, AnswerEvent):
                        ended = event
                    else:
                        yield event
            assert ended is not None  # noqa: S101  (the end of every stream)
            try:
                asked = steps.send((ended.answer, switches[0] if switches else None))
            except StopIteration as stop:
                yield answer_event(stop.value)
                return


def _write_handed(handoff: HandoffRequest, manifest: Manifest) -> str:
    """What the next agent is asked, with what it is told beside where its prompt has no place."""
    from restwright.calls.truncate import compact_json

    if not handoff.memory or MEMORY in manifest.prompt:
        return handoff.message
    told = f"\n\nWhat is known: {compact_json(handoff.memory)}"
    return f"{handoff.message}{told}"


def _join_answers(answers: list[Answer]) -> Answer:
    """One answer of several agents: the words of the last, and all that was done."""
    if len(answers) == 1:
        return answers[0]
    return replace(
        answers[-1],
        steps=tuple(step for answer in answers for step in answer.steps),
        calls=tuple(call for answer in answers for call in answer.calls),
        usage=sum_usages([answer.usage for answer in answers]),
    )


def sum_usages(usages: Sequence[Usage]) -> Usage:
    """What several runs used together."""
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return Usage(
        model_calls=sum(usage.model_calls for usage in usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        http_calls=sum(usage.http_calls for usage in usages),
        elapsed_s=sum(usage.elapsed_s for usage in usages),
        cost=sum(costs) if costs else None,
    )
