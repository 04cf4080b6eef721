"""A run that is taken up again goes on in its trace; APIs are told of it where that is asked."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry import trace
from tests.support.journaled import Died, agent_of, dying
from tests.support.telemetry import Recorded, recording

from restwright.agents.agent import Agent
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.runtime.trace_context import current_traceparent, place_span
from restwright.agents.steps import Call, Conclusion, Gather, Steps
from restwright.calls.auth.connection import Connection
from restwright.testing import RecordingTransport, reply

CART = Call(tool="shop__cart", arguments={})


@pytest.fixture
def recorded() -> Generator[Recorded]:
    with recording() as found:
        yield found


def looking(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    yield CART
    yield Gather((CART, CART))
    return Conclusion(text="done")


def interrupted(journal: SQLiteJournal) -> str:
    """A session whose run was ended in the middle of its first call."""
    with pytest.raises(Died):
        agent_of(looking, send=dying).ask("?", journal=journal)
    return journal.last_id


def test_a_run_that_is_taken_up_again_goes_on_in_its_trace(
    recorded: Recorded, tmp_path: Path
) -> None:
    path = tmp_path / "sessions.sqlite3"
    with SQLiteJournal(path) as journal:
        session = interrupted(journal)
    with SQLiteJournal(path) as journal:
        agent_of(looking).ask(journal=journal, resume=session)
    assert len({span.trace_id for span in recorded.spans}) == 1
    first, second = recorded.named("invoke_agent")
    assert (first.parent, second.parent) == ("", first.name)
    assert {span.parent for span in recorded.named("execute_tool")} == {second.name}
    assert [span.attributes["gen_ai.conversation.id"] for span in (first, second)] == [session] * 2


def test_who_takes_a_run_up_in_a_trace_of_his_own_is_linked(
    recorded: Recorded, tmp_path: Path
) -> None:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        session = interrupted(journal)
        with trace.get_tracer("test").start_as_current_span("work"):
            agent_of(looking).ask(journal=journal, resume=session)
    first, second = recorded.named("invoke_agent")
    (work,) = recorded.named("work")
    assert second.trace_id == first.trace_id != work.trace_id
    assert (second.parent, second.links) == (first.name, [work.id])


def test_what_goes_on_within_the_same_trace_stays_where_it_is(recorded: Recorded) -> None:
    tracer = trace.get_tracer("test")
    with tracer.start_as_current_span("request"):
        begun = current_traceparent()
        with tracer.start_as_current_span("work"):
            assert place_span(begun) == {}
    assert len(begun) == 55


@pytest.mark.parametrize("kept", ["", "canary", f"00-{'0' * 32}-{'0' * 16}-01", "x" * 10_000])
def test_what_is_no_traceparent_is_left_aside(kept: str) -> None:
    assert place_span(kept) == {}


def test_in_a_process_that_does_not_trace_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    assert current_traceparent() == ""


@pytest.mark.parametrize("is_asked", [False, True])
def test_an_api_is_told_of_the_trace_where_its_connection_says_so(
    recorded: Recorded, *, is_asked: bool
) -> None:
    send = RecordingTransport(lambda _: reply(200, [1]))
    connections = {"shop": Connection(propagates_trace=True)} if is_asked else {}
    agent_of(looking, send=send, connections=connections).ask("?")
    told = [request.header("traceparent")[:-2] for request in send.sent]
    spans = [f"00-{span.trace_id:032x}-{span.id:016x}-" for span in recorded.named("GET")]
    assert sorted(told) == (sorted(spans) if is_asked else ["", "", ""])
