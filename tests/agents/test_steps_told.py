"""Each entry of the trace is told as it is made, with what came of its step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import restwright as rw
from restwright.agents.journal.conversations import list_steps
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Call, Complete, Completion, Conclusion, Message, Say, Steps
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.testing import RecordingTransport, ScriptedModel, document, reply

PATHS: JsonObject = {"/films": {"get": {"operationId": "list_films"}}}
TOOLS = rw.catalog(rw.load(document(PATHS), alias="tv"))


def look(agent: rw.Agent, question: str) -> Steps[Conclusion]:
    """Call a tool, and answer."""
    yield Say(rw.Event("plan", "1. look"))
    yield Call(tool="tv__list_films", arguments={})
    said = yield Complete(role="answer", messages=(Message("user", question),))
    assert isinstance(said, Completion)
    return Conclusion(text=said.text)


def agent_of(**settings: Any) -> rw.Agent:
    send = RecordingTransport(lambda _: reply(200, ["Metropolis"]))
    return rw.Agent(TOOLS, model=ScriptedModel(["There is one."]), send=send, kind=look, **settings)


def test_what_is_told_is_the_trace_of_the_answer() -> None:
    told: list[tuple[JsonObject, object]] = []

    def hear(entry: JsonObject, outcome: object) -> None:
        told.append((entry, outcome))

    answer = agent_of(on_step=hear).ask("Which?")
    assert [entry for entry, _ in told] == [*answer.steps]
    results = [outcome for _, outcome in told if isinstance(outcome, Result)]
    assert [result.value for result in results] == [["Metropolis"]]
    assert sum(isinstance(outcome, Completion) for _, outcome in told) == 1


def test_an_asynchronous_listener_is_awaited_between_the_events_of_a_stream() -> None:
    told: list[str] = []

    async def hear(entry: JsonObject, outcome: object) -> None:
        told.append(f"step {entry['step']}")

    async def stream() -> None:
        async for event in agent_of(on_step=hear).stream("Which?"):
            told.append(event.kind)  # noqa: PERF401 - in the order in which both are told

    asyncio.run(stream())
    assert told[:2] == ["plan", "step plan"]
    assert told[-2:] == ["step complete", "answer"]


def test_what_a_listener_raises_ends_the_run() -> None:
    def fail(entry: JsonObject, outcome: object) -> None:
        raise ValueError("no")

    answer = agent_of(on_step=fail).ask("Which?")
    assert answer.stopped == "error"
    assert "on_step" in answer.reason


def test_a_journal_gives_the_steps_again_with_what_came_of_them(tmp_path: Path) -> None:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        answer = agent_of().ask("Which?", journal=journal)
        steps = list_steps(journal, answer.session)
    assert [type(step).__name__ for step, _ in steps] == ["Say", "Call", "Complete"]
    (_, result), (asked, said) = steps[1:]
    assert isinstance(result, Result)
    assert result.value == ["Metropolis"]
    assert isinstance(asked, Complete)
    assert asked.messages[-1].text == "Which?"
    assert isinstance(said, Completion)
    assert said.text == "There is one."
