"""The turns of all agents that a question leads to, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from restwright.agents.events import Event
from restwright.agents.runtime.stream_events import AnswerEvent, answer_event
from restwright.agents.steps import Answer, Usage
from restwright.manifests.own.asking import AskedAgent, stream_agents
from restwright.manifests.own.manifest import Handoff, Manifest
from restwright.manifests.session.session import HandoffRequest


def test_the_next_agent_is_given_what_the_one_before_left(tmp_path: Path) -> None:
    file = tmp_path / "second"
    second = Manifest(name="second", source="second", folder=tmp_path, prompt="Known: {memory}")
    handoff = Handoff(name="second", file=file, known={file: second})
    first = Manifest(name="first", source="first", folder=tmp_path, agents=(handoff,))
    asked: list[AskedAgent] = []

    async def take(
        agent: AskedAgent, on_switch: Callable[[HandoffRequest], None]
    ) -> AsyncGenerator[Event]:
        asked.append(agent)
        if agent.manifest is first:
            on_switch(HandoffRequest(agent="second", message="Go on.", memory={"size": 7}))
        yield Event("note", agent.manifest.name)
        usage = Usage(model_calls=1, input_tokens=1, output_tokens=1, http_calls=0, elapsed_s=0.0)
        yield answer_event(
            Answer(text=agent.manifest.name, calls=(), steps=(), usage=usage, stopped="answered")
        )

    async def run() -> list[Event]:
        return [event async for event in stream_agents(first, "Hello", take)]

    events = asyncio.run(run())
    assert [event.text for event in events[:-1]] == ["first", "second"]
    assert [(one.question, one.memory) for one in asked] == [
        ("Hello", None),
        ("Go on.", {"size": 7}),
    ]
    ended = events[-1]
    assert isinstance(ended, AnswerEvent)
    assert (ended.answer.text, ended.answer.usage.model_calls) == ("second", 2)
