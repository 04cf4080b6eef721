"""Runs that are interrupted anywhere and taken up again, and what is kept of them."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.journaled import Died, agent_of, died_while_paying, paying, shop

from restwright.agents.agent import Agent
from restwright.agents.journal.codec import (
    is_same_step,
    json_from_outcome,
    json_from_step,
    outcome_from_json,
)
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import SessionHeader
from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    Complete,
    Completion,
    Conclusion,
    Extract,
    ExtractionResult,
    Message,
    NoAnswer,
    Question,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.policy import CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import PageProgress, Result
from restwright.errors import LimitReached, UnusableSession
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset import ToolCall

RUN = Path(__file__).parents[2] / "support" / "programs" / "journaled_run.py"


CART = Call(tool="shop__cart", arguments={})


def asking(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    result = yield CART
    assert isinstance(result, Result)
    said = yield Question("Which?", name="which", schema={"enum": ["a", "b"]})
    if isinstance(said, NoAnswer):
        return Conclusion(text="", stopped="question", reason=said.why)
    assert isinstance(said, UserAnswer)
    return Conclusion(text=f"{result.value} {said.value}")


def test_a_question_that_nobody_answered_is_asked_again_when_a_run_is_taken_up() -> None:
    with SQLiteJournal() as journal:
        first = agent_of(asking).ask("What?", journal=journal)
        assert (first.stopped, first.text) == ("question", "")
        again = agent_of(asking, send=never)
        assert again.ask(journal=journal, resume=first.session).stopped == "question"
        last = agent_of(asking, send=never, human=human_from_answers({"which": "b"})).ask(
            journal=journal, resume=first.session
        )
        assert (last.text, last.stopped) == ("[1] b", "answered")
        assert [each.stopped for each in journal.sessions()] == ["answered"]


def test_a_run_that_a_limit_stopped_goes_on_under_a_higher_one() -> None:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        found = []
        try:
            for number in "123":
                result = yield Call(tool="shop__cart", arguments={"key": number})
                assert isinstance(result, Result)
                found.append(result.value)
        except LimitReached as limit:
            return Conclusion(text=str(found), stopped="limit", reason=limit.message)
        return Conclusion(text=str(found))

    with SQLiteJournal() as journal:
        first = agent_of(loop, limits=Limits(calls=2)).ask("?", journal=journal)
        assert (first.stopped, first.text) == ("limit", "[[1], [1]]")
        assert first.reason == "stopped by the limit on HTTP calls (2 used)"
        more = agent_of(loop, limits=Limits(calls=3))
        last = more.ask(journal=journal, resume=first.session)
        assert (last.stopped, last.text) == ("answered", "[[1], [1], [1]]")
        assert len(more.send.sent) == 1  # type: ignore[union-attr]
        assert (last.usage.http_calls, last.usage.apis) == (3, {"shop": 3})
        assert [each.arguments["key"] for each in last.calls] == ["1", "2", "3"]


@pytest.mark.parametrize(("said", "sent"), [("yes", 0), ("no", 1)])
def test_the_user_says_whether_a_doubtful_write_took_effect(said: str, sent: int) -> None:
    with SQLiteJournal() as journal:
        session = died_while_paying(journal)
        send = RecordingTransport(lambda _: reply(200, [1]))
        agent = agent_of(paying, send=send, human=human_from_answers({"took_effect": said}))
        answer = agent.ask(journal=journal, resume=session)
        assert answer.stopped == "answered"
        assert len(send.sent) == sent


def test_a_doubtful_write_is_never_sent_again_unasked() -> None:
    with SQLiteJournal() as journal:
        session = died_while_paying(journal)
        for _ in range(2):
            answer = agent_of(paying, send=never).ask(journal=journal, resume=session)
            assert "whether it took effect is unknown: look before" in answer.reason


def test_a_doubtful_write_with_a_key_stays_doubtful_where_it_may_not_be_sent_again() -> None:
    key = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
    paid = {"/pay": {"post": {"operationId": "pay", "parameters": [key]}}}
    tools = catalog(load(document(paid), alias="shop"))
    keys: list[str] = []

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        result = yield Call(tool="shop__pay", arguments={})
        assert isinstance(result, Result)
        return Conclusion(text="", reason=result.text)

    def send(request: Request) -> Response:
        keys.append(request.header("idempotency-key"))
        if len(keys) == 1:
            raise Died
        return reply(200)

    with SQLiteJournal() as journal:
        with pytest.raises(Died):
            agent_of(loop, catalog=tools, send=send).ask("?", journal=journal)
        session = journal.sessions()[0].id
        refused = agent_of(loop, catalog=tools, send=never, policy=CONFIRM)
        answer = refused.ask(journal=journal, resume=session)
        assert "whether it took effect is unknown" in answer.reason
        allowed = agent_of(loop, catalog=tools, send=send)
        assert allowed.ask(journal=journal, resume=session).reason == ""
        assert keys[0] == keys[1] != ""


def test_no_secret_is_kept() -> None:
    """Neither what a connection sends, nor what a human fills in, nor a cookie that comes back."""
    canary = "canary-4f2a9c71"

    asked: list[bytes] = []

    def send(request: Request) -> Response:
        asked.append(request.body)
        said = json.loads(request.body or "{}")
        told = {"echo": f"Bearer {canary}", **said}
        answered = reply(200, told, {"set-cookie": "sid=canary-5"})
        return replace(answered, url=f"{request.url}/{said.get('pin', '')}")

    connection = Connection(
        "https://api.example.test", headers={"Authorization": f"Bearer {canary}"}
    )

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        yield CART
        yield Call(tool="shop__pay", arguments={})
        return Conclusion(text="")

    human = human_from_answers({"pay": {"pin": "canary-pin"}})
    agent = agent_of(
        loop,
        catalog=shop(human_pin=True),
        send=send,
        connections={"shop": connection},
        human=human,
    )
    with SQLiteJournal() as journal:
        answer = agent.ask("What?", journal=journal)
        assert [each.status for each in answer.calls] == [200, 200]
        assert any(b"canary-pin" in each for each in asked)
        assert "canary" not in json.dumps(answer.steps)
        exported = json.dumps([*journal.export(answer.session)])
        assert "***" in exported
        kept = b"".join(each.read_bytes() for each in journal.path.parent.rglob("*.sqlite3*"))
    assert b"shop__pay" in kept
    assert b"canary" not in kept


def test_only_this_user_can_read_it() -> None:
    with SQLiteJournal() as journal:
        agent_of(paying).ask("Pay.", journal=journal)
        files = [*journal.path.parent.glob("sessions.sqlite3*")]
        assert len(files) == 3
        assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
        assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


def test_the_python_of_the_page_on_sessions_runs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sessions.md").read_text("utf-8")
    first, people = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    told: dict[str, object] = {"agent": agent_of(asking)}
    exec(compile(first, "sessions.md", "exec"), told)  # noqa: S102
    assert getattr(told["answer"], "stopped", "") == "question"
    with SQLiteJournal() as journal:
        assert len(journal.sessions()) == 1
        agent_of(paying, send=never, policy=CONFIRM, waits=True).ask("?", journal=journal)
        exec(compile(people, "sessions.md", "exec"), {"journal": journal})  # noqa: S102
        assert [asked.by for asked in journal.questions(is_all=True)] == ["Mira"]


def test_a_question_may_hold_what_no_file_can() -> None:
    with SQLiteJournal() as journal:
        answer = agent_of(paying).ask("half \ud800", journal=journal)
        assert journal.sessions()[0].header.question == "half \ud800"
        assert agent_of(paying, send=never).ask(journal=journal, resume=answer.session).text


def test_a_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.touch(0o644)
    SQLiteJournal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sessions_are_listed_exported_and_deleted() -> None:
    with SQLiteJournal() as journal:
        answer = agent_of(paying).ask("Pay.", journal=journal)
        (listed,) = journal.sessions()
        assert (listed.id, listed.stopped, listed.events) == (answer.session, "answered", 3)
        assert listed.header.question == "Pay."
        head, *events = journal.export(answer.session)
        assert head["answer"] == "[1]"
        assert [each["event"] for each in events] == ["step", "sent", "outcome"]
        assert journal.delete([answer.session, "none"]) == 1
        assert journal.sessions() == ()
        with pytest.raises(UnusableSession, match="there is no session"):
            next(journal.export(answer.session))


def test_nothing_of_a_deleted_session_is_left_in_the_file() -> None:
    with SQLiteJournal() as journal:
        answer = agent_of(paying).ask("canary-question", journal=journal)
        journal.delete([answer.session])
        files = journal.path.parent.glob("sessions.sqlite3*")
        assert not any(b"canary" in each.read_bytes() for each in files)


def test_one_process_at_a_time_is_at_a_session() -> None:
    with SQLiteJournal() as journal:
        opening = SessionHeader(question="?", agent="rest", model="m", apis={})
        session = journal.start(opening)
        with pytest.raises(UnusableSession, match="another process is at it"):
            journal.resume(session.id)
        session.release()
        journal.resume(session.id).release()


def test_a_session_of_other_documents_is_not_taken_up() -> None:
    with SQLiteJournal() as journal:
        first = agent_of(paying).ask("Pay.", journal=journal)
        other = agent_of(paying, catalog=catalog(load(document({}), alias="shop")))
        with pytest.raises(UnusableSession, match="of other documents"):
            other.ask(journal=journal, resume=first.session)


def test_a_loop_that_goes_another_way_is_not_given_old_outcomes() -> None:
    def other(agent: Agent, question: str) -> Steps[Conclusion]:
        yield Call(tool="shop__pay", arguments={"pin": "2"})
        return Conclusion(text="")

    with SQLiteJournal() as journal:
        first = agent_of(paying).ask("Pay.", journal=journal)
        with pytest.raises(UnusableSession, match="goes another way than before, from step 1 on"):
            agent_of(other, send=never).ask(journal=journal, resume=first.session)


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_text("something else" * 99, "utf-8")
    with pytest.raises(OSError, match="not a database"):
        SQLiteJournal(path)


def test_a_write_is_kept_before_it_is_sent() -> None:
    kept: list[list[str]] = []

    with SQLiteJournal() as journal:

        def send(_: object) -> Response:
            base = sqlite3.connect(journal.path)
            kept.append([event for (event,) in base.execute("select event from events")])
            base.close()
            return reply(200)

        agent_of(paying, send=send).ask("Pay.", journal=journal)
    assert kept == [["step", "sent"]]


RESPONSE = Response(status=200, headers=(("link", "<x>"),), body=b"[1, 2]", url="https://h/x")


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (
            Complete(role="r", messages=(Message("user", "?"),)),
            Completion(text="x", finish="length", calls=(ToolCall("a__b", '{"c": 1}'),)),
        ),
        (CART, Result(kind="ok", value=[1, 2], response=RESPONSE)),
        (CART, Result(kind="ok", value=[1, 2, 3], response=RESPONSE, warnings=("w",))),
        (CART, Result(kind="no_response", text="gone", retry_after_s=2.0)),
        (
            CART,
            Result(
                kind="ok",
                value="\ufffd",
                response=Response(status=200, body=b"\xff"),
                pages=PageProgress(read=1, items=2, stopped="end"),
            ),
        ),
        (Extract(code="x", body="1"), ExtractionResult(value={"a": [None]}, error="e")),
        (
            Approve(tool="t", arguments={}),
            ApprovalDecision(is_allowed=False, arguments={}, why="no"),
        ),
        (Question("?"), UserAnswer({"a": 1})),
        (Question("?"), NoAnswer("nobody")),
    ],
)
def test_what_is_kept_of_an_outcome_is_the_outcome(step, outcome) -> None:
    kept = json.loads(json.dumps(json_from_outcome(outcome)))
    assert outcome_from_json(step, kept) == outcome
    assert is_same_step(step, json.loads(json.dumps(json_from_step(step))))


@pytest.mark.parametrize("is_next", [False, True])
def test_nobody_takes_up_a_session_before_who_begins_it(tmp_path: Path, is_next: bool) -> None:
    class Watched(SQLiteJournal):
        def add(self, name: str, opening: SessionHeader, *, before: str | None = None) -> bool:
            is_added = super().add(name, opening, before=before)
            with SQLiteJournal(self.path) as other:
                with pytest.raises(UnusableSession, match="another process is at it"):
                    other.resume(name)
                with pytest.raises(UnusableSession, match="another process is at it"):
                    other.delete([name])
            return is_added

    with Watched(tmp_path / "runs.sqlite3") as journal:
        before = None
        if is_next:
            SQLiteJournal.add(journal, "first", SessionHeader(question="?", model="m"))
            before = "first"
        session = journal.start(SessionHeader(question="?", model="m"), before=before)
        session.append("1", "step", {"step": "call"})
        session.release()


def test_a_session_that_cannot_begin_leaves_no_lock(tmp_path: Path) -> None:
    with SQLiteJournal(tmp_path / "runs.sqlite3") as journal:
        with pytest.raises(OSError, match="FOREIGN KEY"):
            journal.start(SessionHeader(question="?", model="m"), before="nobody")
        assert not [*(tmp_path / "runs.locks").iterdir()]
