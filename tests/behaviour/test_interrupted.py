"""Ctrl-C while several reads go on: nobody waits for them, and nothing is lost by that."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal, SessionHeader
from restwright.agents.runtime.concurrency import run_concurrently, run_in_thread
from restwright.agents.steps import Call, Conclusion, Gather, Steps
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import Connection
from restwright.errors import LimitReached, UnusableSession
from restwright.net.http.cancellation import OperationCanceled
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

if sys.platform == "win32":
    pytest.skip("there a process cannot press Ctrl-C itself", allow_module_level=True)

FILM = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
AT_ONCE_S = 8
SLOW = 100
"""Films from this id on are not answered before the server is told to."""


def films() -> Catalog:
    paths = {"/films/{id}": {"get": {"operationId": "get_film", "parameters": [FILM]}}}
    return catalog(load(document(paths), alias="tv"))


def film(number: int) -> Call:
    return Call(tool="tv__get_film", arguments={"id": number})


class Server:
    """Answers with what was asked for, some of it late; `waiting` are those that wait for that."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.answering = threading.Event()
        self.press_at = 0
        """Ctrl-C is pressed once as many films were asked for."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                number = int(self.path.rpartition("/")[2])
                outer.asked.append(number)
                if len(outer.asked) == outer.press_at:
                    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
                if number >= SLOW:
                    outer.answering.wait(20)
                body = str(number).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.answering.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Generator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as kept:
        yield kept


def gathering(agent: Agent, question: str) -> Steps[Conclusion]:
    """Read the films whose ids are asked for at the same time."""
    del agent
    outcomes = yield Gather(tuple(film(int(each)) for each in question.split()))
    assert isinstance(outcomes, tuple)
    return Conclusion(text=" ".join(str(each.value) for each in outcomes))  # type: ignore[union-attr]


def agent_at(server: Server, **settings: Any) -> Agent:
    given = {"connections": {"tv": Connection(server=server.url)}, "kind": gathering, **settings}
    return Agent(films(), model=ScriptedModel([]), **given)


def blocking(agent: Agent, question: str, **more: Any) -> str:
    return agent.ask(question, **more).text


def from_a_loop(agent: Agent, question: str, **more: Any) -> str:
    return asyncio.run(agent.ask_async(question, **more)).text


DRIVEN = pytest.mark.parametrize("ask", [blocking, from_a_loop])
Ask = Callable[..., str]


def interrupted_s(ask: Ask, server: Server, agent: Agent, question: str, **more: Any) -> float:
    """Press Ctrl-C once all of it was asked for, and return how long that took to be heard."""
    server.press_at = len(server.asked) + len(question.split())
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ask(agent, question, **more)
    return time.monotonic() - begun


@DRIVEN
def test_nobody_waits_for_reads_that_go_on(ask: Ask, server: Server) -> None:
    agent = agent_at(server)
    assert interrupted_s(ask, server, agent, "1 100 101") < AT_ONCE_S
    assert ask(agent, "2 3") == "2 3"


@DRIVEN
def test_what_was_left_behind_takes_no_place_of_what_comes_next(ask: Ask, server: Server) -> None:
    with Transport() as send:
        agent = agent_at(server, send=send)
        for _ in range(3):
            assert interrupted_s(ask, server, agent, "100 101 102 103") < AT_ONCE_S
        begun = time.monotonic()
        assert ask(agent, "1 2 3 4") == "1 2 3 4"
        assert time.monotonic() - begun < AT_ONCE_S


@DRIVEN
def test_a_read_without_an_outcome_is_asked_again(
    ask: Ask, server: Server, journal: Journal
) -> None:
    agent = agent_at(server)
    interrupted_s(ask, server, agent, "1 100 101", journal=journal)
    session = journal.last_id
    before = [*journal.export(session)]
    assert [each["place"] for each in before[1:] if each["event"] == "outcome"] == ["1.0"]
    server.answering.set()
    time.sleep(0.2)
    assert [*journal.export(session)] == before
    server.press_at, server.asked = 0, []
    assert ask(agent, "", journal=journal, resume=session) == "1 100 101"
    assert sorted(server.asked) == [100, 101]


def test_a_single_read_in_a_loop_is_not_waited_for_either(server: Server) -> None:
    def reading(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent
        yield film(int(question))
        return Conclusion(text="read")

    agent = agent_at(server, kind=reading)
    assert interrupted_s(from_a_loop, server, agent, "100") < AT_ONCE_S


def test_a_conversation_goes_on_behind_it(server: Server, journal: Journal) -> None:
    conversation = Conversation(agent_at(server), journal)
    server.press_at = 2
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("100 101")
    assert conversation.interrupted is not None
    server.answering.set()
    assert conversation.resume_turn().text == "100 101"


def test_nothing_is_told_of_what_was_left_behind() -> None:
    """With a `send` that cannot be stopped, as one of somebody else may be."""
    events: list[Event] = []
    begun, goes_on, is_over = threading.Barrier(3), threading.Event(), threading.Barrier(3)

    def send(request: Request) -> Response:
        begun.wait(5)
        goes_on.wait(5)
        try:
            return reply(200, request.url)
        finally:
            is_over.wait(5)

    def press() -> None:
        begun.wait(5)
        os.kill(os.getpid(), signal.SIGINT)

    agent = Agent(
        films(), model=ScriptedModel([]), send=send, kind=gathering, on_event=events.append
    )
    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        agent.ask("1 2")
    told = len(events)
    goes_on.set()
    is_over.wait(5)
    time.sleep(0.1)
    assert [each.kind for each in events] == ["call", "call"]
    assert len(events) == told


def test_nothing_is_sent_once_a_run_has_ended() -> None:
    send = RecordingTransport(lambda _: reply(200))
    performer = Agent(films(), model=ScriptedModel([])).performer(send)
    performer.cancel()
    with pytest.raises(OperationCanceled):
        performer(film(1))
    assert send.sent == []


def test_a_read_that_asks_the_user_is_made_where_the_answer_can_be_interrupted() -> None:
    threads: set[int] = set()

    def approve(*_: object) -> bool:
        threads.add(threading.get_ident())
        return True

    send = RecordingTransport(lambda _: reply(200, 1))
    policy = Policy(tools={"get_film": "ask"})
    model = ScriptedModel([])
    agent = Agent(films(), model=model, send=send, approve=approve, policy=policy, kind=gathering)
    assert agent.ask("1 2").text == "1 1"
    assert threads == {threading.get_ident()}


def test_a_session_that_was_released_keeps_nothing_more(journal: Journal) -> None:
    session = journal.start(SessionHeader(question="?", agent="rest", model="m", apis={}))
    session.append("1", "step", {"step": "call"})
    session.release()
    with pytest.raises(UnusableSession, match="has ended"):
        session.append("1", "outcome", None)
    assert len([*journal.export(session.id)]) == 2


def test_an_error_keeps_others_from_beginning_and_is_raised_behind_those_that_go_on() -> None:
    done: list[int] = []

    def task(number: int) -> int:
        if number == 1:
            raise LimitReached("steps", 1)
        time.sleep(0.1)
        done.append(number)
        return number

    tasks = [lambda each=each: task(each) for each in range(6)]
    with pytest.raises(LimitReached):
        run_concurrently(tasks, at_once=2)
    assert 0 in done
    assert 5 not in done
    assert run_concurrently([], at_once=2) == ()


def test_what_is_done_aside_gives_and_raises_what_it_does_here() -> None:
    def fails() -> int:
        raise LimitReached("steps", 1)

    assert asyncio.run(run_in_thread(lambda: 7)) == 7
    with pytest.raises(LimitReached):
        asyncio.run(run_in_thread(fails))


def test_who_is_cancelled_leaves_it_behind() -> None:
    going = threading.Event()

    async def cancelled() -> None:
        task = asyncio.create_task(run_in_thread(lambda: going.wait(20)))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    begun = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - begun < AT_ONCE_S
    going.set()
