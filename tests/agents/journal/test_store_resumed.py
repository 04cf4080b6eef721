"""Runs that limits stop, and how they are taken up again: what is counted, told and let go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.journaled import Died, dying

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.budget import Limits
from restwright.agents.steps import Call, Complete, Conclusion, Gather, Message, Say, Steps
from restwright.calls.approval.policy import ALLOW
from restwright.calls.response.result import Result
from restwright.errors import LimitReached, UnusableReply, UnusableSession
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response, Send
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

KEY: JsonObject = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
NUMBER: JsonObject = {"name": "n", "in": "query", "schema": {"type": "integer"}}


def tools() -> Catalog:
    paid = {"operationId": "pay_bill", "summary": "Pay the bill.", "parameters": [KEY]}
    read = {"operationId": "read", "parameters": [NUMBER]}
    return catalog(load(document({"/pay": {"post": paid}, "/a": {"get": read}}), alias="one"))


def agent_of(
    kind: str | Callable[[Agent, str], Steps[Conclusion]],
    *script: Reply,
    send: Send | None = None,
    **limits: float,
) -> Agent:
    return Agent(
        tools(),
        model=ScriptedModel(script),
        send=send or RecordingTransport(lambda _: reply(200, {"id": 1})),
        kind=kind,
        policy=ALLOW,
        limits=Limits(**limits),  # type: ignore[arg-type]
    )


def read(number: int) -> Call:
    return Call(tool="one__read", arguments={"n": number})


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def gathering(agent: Agent, question: str) -> Steps[Conclusion]:
    try:
        found = yield Gather(tuple(read(number) for number in range(8)))
    except LimitReached as limit:
        for _ in range(6):
            yield Say(Event("note", "stopped early"))
        known = [each for each in limit.outcomes if isinstance(each, Result) and each.ok]
        return Conclusion(text=f"{len(known)} known", stopped="limit", reason=limit.message)
    assert isinstance(found, tuple)
    return Conclusion(text=f"{len(found)} read")


def test_a_limit_within_several_reads_leaves_those_that_ended(journal: Journal) -> None:
    first = agent_of(gathering, calls=2).ask("?", journal=journal)
    assert (first.text, first.stopped) == ("2 known", "limit")
    # What the loop did after the limit is cut by whichever of the parts comes first.
    again = agent_of(gathering, calls=50)
    assert again.ask(journal=journal, resume=first.session).text == "8 read"
    assert len(again.send.sent) == 6  # type: ignore[union-attr]


def stepping(agent: Agent, question: str) -> Steps[Conclusion]:
    done = 0
    try:
        for number in range(4):
            yield read(number)
            yield Gather((read(10 + number), read(20 + number)))
            done += 4
    except LimitReached as limit:
        return Conclusion(text=str(done), stopped="limit", reason=limit.message)
    return Conclusion(text=str(done))


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_limit_on_steps_counts_those_before_the_interruption(
    journal: Journal, *, is_kept: bool
) -> None:
    first = agent_of(stepping, steps=5).ask("?", journal=journal if is_kept else None)
    assert (first.text, first.reason) == ("4", "stopped by the limit on steps (5 used)")
    if is_kept:
        again = agent_of(stepping, steps=5).ask(journal=journal, resume=first.session)
        assert (again.text, again.reason) == (first.text, first.reason)
        more = agent_of(stepping, steps=8).ask(journal=journal, resume=first.session)
        assert more.text == "8"


PAYING: dict[str, tuple[Reply, ...]] = {
    "plan": (
        ("planner", {"steps": [{"operation": "pay_bill", "task": "pay the bill"}]}),
        ("caller", {"Idempotency_Key": None}),
    ),
    "react": (
        ("reactor", {"thought": "So.", "operation": "pay_bill", "task": "pay the bill"}),
        ("caller", {"Idempotency_Key": None}),
    ),
}


@pytest.mark.parametrize("kind", PAYING)
def test_a_write_in_doubt_is_told_as_that_where_no_time_is_left_to_send_it_again(
    journal: Journal, kind: str
) -> None:
    with pytest.raises(Died):
        agent_of(kind, *PAYING[kind], send=dying).ask("Pay the bill", journal=journal)
    late = agent_of(kind, seconds=0.0).ask(journal=journal, resume=journal.last_id)
    assert late.stopped != "answered"
    assert "whether it took effect is unknown" in late.text
    keys: list[str] = []

    def sending(request: Request) -> Response:
        keys.append(request.header("Idempotency-Key"))
        return reply(200, {"id": 1})

    done = ("reactor", {"thought": "So.", "operation": "finish", "task": ""})
    script: tuple[Reply, ...] = (done, ("answer", {"answer": "It is paid."}))
    again = agent_of(kind, *(script if kind == "react" else script[1:]), send=sending)
    assert again.ask(journal=journal, resume=late.session).text == "It is paid."
    assert len(keys) == 1
    assert keys[0]


def test_a_session_at_work_is_not_deleted(journal: Journal) -> None:
    seen: list[str] = []

    def send(_: Request) -> Response:
        with pytest.raises(UnusableSession, match="another process is at it"):
            journal.delete([journal.last_id])
        seen.append(journal.last_id)
        return reply(200, [])

    answer = agent_of(gathering, send=send).ask("?", journal=journal)
    assert (len(seen), answer.text) == (8, "8 read")
    assert journal.delete([answer.session]) == 1


def test_a_run_whose_session_is_gone_says_so(journal: Journal) -> None:
    def send(_: Request) -> Response:
        journal.change("delete from sessions", ())
        return reply(200, [])

    answer = agent_of(gathering, send=send).ask("?", journal=journal)
    assert (answer.stopped, bool(answer.calls)) == ("error", True)
    assert "it was deleted" in answer.reason


def asking(agent: Agent, question: str) -> Steps[Conclusion]:
    """A loop that catches nothing."""
    yield read(1)
    yield Complete(role="answer", messages=(Message("user", question),))
    return Conclusion(text="Done.")


def test_a_limit_ends_a_loop_of_your_own_that_knows_of_none(journal: Journal) -> None:
    answer = agent_of(asking, calls=0).ask("?", journal=journal)
    assert (answer.text, answer.stopped) == ("", "limit")
    assert [each.stopped for each in journal.sessions()] == ["limit"]


class Unreadable(ScriptedModel):
    """A model whose provider answers with something else."""

    def complete(self, request: Complete, *, deadline_s: float):
        raise UnusableReply(request.role, "the server's answer has another form")


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("kind", [asking, "plan", "react", "rest", "calling"])
def test_what_a_provider_cannot_say_ends_a_run_as_a_value(
    kind: str | Callable[[Agent, str], Steps[Conclusion]], *, is_async: bool
) -> None:
    agent = Agent(
        tools(),
        model=Unreadable([]),
        send=RecordingTransport(lambda _: reply(200, {"id": 1})),
        kind=kind,
    )
    answer = asyncio.run(agent.ask_async("Pay")) if is_async else agent.ask("Pay")
    assert answer.stopped == "error"
    assert "the server's answer has another form" in answer.reason
    assert len(answer.calls) == (1 if kind is asking else 0)
