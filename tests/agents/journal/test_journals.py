"""What every kind of journal keeps, and how runs, conversations and people go by it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.journaled import Died, agent_of, died_while_paying, dying, paying, shop

import restwright as rw
from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.journal.conversations import find_turns, load_conversations, restore_turn
from restwright.agents.journal.handoffs import start_handoff
from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.questions import APPROVAL_LIFETIME_S, answer_question
from restwright.agents.journal.replay import Recorder
from restwright.agents.journal.rows import SessionHeader
from restwright.agents.journal.store import Journal, RunInterrupted
from restwright.agents.journal.waiting import RunSuspended
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import Call, Conclusion, NoAnswer, Question, Steps, UserAnswer
from restwright.calls.approval.policy import ALLOW, CONFIRM
from restwright.calls.response.result import Result
from restwright.errors import MissingCredential, SessionInUse, UnusableSession, UsageError
from restwright.jsontypes import Json
from restwright.net.messages import Response
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.catalog.catalog import catalog

OPENING = SessionHeader(
    question="half \ud800 \0",
    agent="",
    model="m",
    apis={"a": "1"},
    now="today",
    traceparent=f"00-{'1' * 32}-{'2' * 16}-01",
)
ODD: Json = {"nul": "\0", "half": "\ud800", "float": 100000.0, "large": 10**30, "small": 1e-320}
KEY = Secret(b64encode(bytes(range(32))).decode())


def begun(journal: Journal, *, ends: str = "") -> str:
    session = journal.start(OPENING)
    if ends:
        session.end(ends, "text")
    session.release()
    return session.id


def ids(journal: Journal) -> set[str]:
    return {summary.id for summary in journal.sessions()}


def test_what_is_kept_is_read_as_it_was(store: Journal) -> None:
    assert isinstance(store, Journal)
    session = store.start(OPENING)
    session.append("1", "step", {"step": "call", **ODD})
    session.append("1", "outcome", [math.inf, ODD])
    session.end("answered", "text \0")
    session.release()
    again = store.resume(session.id)
    assert again.header == OPENING
    record = again.record_at("1")
    assert record is not None
    assert record.step == {"step": "call", **ODD}
    assert repr(record.outcome) == repr([math.inf, ODD])
    again.release()
    head, *events = store.export(session.id)
    assert (head["question"], head["answer"]) == (OPENING.question, "text \0")
    assert [(event["number"], event["place"]) for event in events] == [(1, "1"), (2, "1")]
    assert store.sessions()[0].events == 2
    assert abs(events[0]["at"] - head["started"]) < 60


def test_a_run_that_was_added_keeps_its_trace_until_it_has_one_of_its_own(store: Journal) -> None:
    store.add("run", SessionHeader(question="?", traceparent=OPENING.traceparent))
    for traceparent in ("", "00-own"):
        session = store.resume("run")
        session.begin(SessionHeader(question="", model="m", traceparent=traceparent))
        session.release()
        kept = store.find("run").header
        assert (kept.question, kept.traceparent) == ("?", traceparent or OPENING.traceparent)


def test_sessions_come_latest_first(store: Journal) -> None:
    made = [begun(store) for _ in range(3)]
    assert [summary.id for summary in store.sessions()] == made[::-1]


def test_only_one_is_at_a_session(store: Journal, place: Callable[[str], str]) -> None:
    with open_journal(place("runs")) as other:
        first = store.start(OPENING)
        for journal in (store, other):
            with pytest.raises(UnusableSession, match="another process is at it"):
                journal.resume(first.id)
            with pytest.raises(UnusableSession, match="another process is at it"):
                journal.delete([first.id])
        first.release()
        second = other.resume(first.id)
        with pytest.raises(UnusableSession, match="has ended"):
            first.append("1", "step", {"step": "call"})
        second.append("1", "step", {"step": "call"})
        second.release()
        assert other.delete([first.id]) == 1
    with pytest.raises(UnusableSession, match="there is no session"):
        store.resume(first.id)


def test_who_lost_a_session_keeps_and_sends_nothing_more(store: Journal) -> None:
    """As where a process was stopped for longer than its lease, or its lock file was deleted."""

    def approve(*_: object) -> bool:
        hold = store.claim  # Another process takes it, whatever kept it from that.
        taken = store.sessions()[0].id
        release(store, taken)
        hold(taken, "other").close()
        return True

    agent = agent_of(paying, send=never, policy=CONFIRM, approve=approve)
    with pytest.raises(UnusableSession, match="another process has taken it up since"):
        agent.ask("Pay.", journal=store)


def test_who_lost_a_session_does_not_end_it(store: Journal) -> None:
    session = store.start(OPENING)
    session.append("1", "step", {"step": "call"})
    release(store, session.id)
    with closing(store.claim(session.id, "other")), pytest.raises(SessionInUse, match="up since"):
        session.end("answered", "text")
    session.release()
    assert store.find(session.id).stopped == ""


def test_how_a_run_ended_may_be_said_twice(store: Journal) -> None:
    """As where the database was lost before it said that it is kept."""
    session = store.start(OPENING)
    said = (session.id, session.token, "answered", '"text"')
    assert [store.end_session(*said), store.end_session(*said)] == [True, True]
    session.release()


def release(journal: Journal, session: str) -> None:
    """Have a session be free though its process lives."""
    if hasattr(journal, "lock_file"):
        journal.lock_file(session).unlink()  # type: ignore[attr-defined]
    else:
        journal._database.change(  # type: ignore[attr-defined]
            "update restwright.leases set until = now() - interval '1 minute'"
            " where session = %(name)s",
            {"name": session},
        )


def test_what_was_forgotten_is_gone_and_noticed_by_nobody(store: Journal) -> None:
    session = store.start(OPENING)
    for where in ("1", "2", "3"):
        session.append(where, "step", {"step": "say", "text": f"canary-{where}"})
    session.forget_after("1")
    session.append("2", "step", {"step": "say"})
    session.release()
    assert [(event.number, event.place) for event in store.events(session.id)] == [
        (1, "1"),
        (4, "2"),
    ]
    assert "canary-2" not in json.dumps([*store.export(session.id)])
    again = store.resume(session.id)
    again.append("3", "step", {"step": "say"})
    again.forget_after("2")
    again.release()
    assert [event.place for event in store.events(session.id)] == ["1", "2"]


def test_a_write_that_was_sent_is_never_sent_again_unasked(store: Journal) -> None:
    session = died_while_paying(store)
    for _ in range(2):
        answer = agent_of(paying, send=never).ask(journal=store, resume=session)
        assert "whether it took effect is unknown: look before" in answer.reason
    (write,) = restore_turn(store, session, shop(), policy=ALLOW).writes
    assert write.effect == "unknown"


def test_turns_are_those_of_their_conversation(store: Journal) -> None:
    talk, other = Conversation(agent_of(paying), store), Conversation(agent_of(paying), store)
    for number in "12":
        talk.ask(number)
        other.ask(number)
    first, second = find_turns(store, talk.id)[1]
    assert find_turns(store, second) == (talk.id, (first, second))
    assert {one.id for one in load_conversations(store)} == {talk.id, other.id}
    assert len(store.turns()) == 4
    assert {row.session for row in store.turns(second)} == {first, second}
    store.mark_turn_undone(second)
    assert find_turns(store, talk.id)[1] == (first,)
    again = Conversation.resume(agent_of(paying), store, talk.id)
    assert len(again.turns) == 1
    with pytest.raises(UnusableSession, match="turn of a chat"):
        agent_of(paying, send=never).ask(journal=store, resume=second)


def test_sessions_that_were_handed_over_go_together(store: Journal) -> None:
    first, alone = begun(store, ends="answered"), begun(store)
    second = start_handoff(store, first, OPENING)
    assert start_handoff(store, first, OPENING) == second
    assert store.handoffs() == store.handoffs(first) == store.handoffs(second) == {second: first}
    assert store.handoffs(alone) == {}
    held = store.resume(second)
    with pytest.raises(UnusableSession, match="another process is at it"):
        store.delete([first])
    assert ids(store) == {first, second, alone}
    held.release()
    assert store.delete([second, "none"]) == 2
    assert ids(store) == {alone}


def test_what_has_not_ended_is_never_pruned(store: Journal) -> None:
    interrupted, ended = died_while_paying(store), begun(store, ends="answered")
    wanting = waiting().ask("?", journal=store).session
    talk = Conversation(agent_of(paying), store)
    talk.ask("One.")
    handing = begun(store, ends="answered")
    start_handoff(store, handing, OPENING)
    late = Conversation(agent_of(paying, send=dying), store)
    late.agent = agent_of(paying)
    late.ask("One.")
    late.agent = agent_of(paying, send=dying)
    with pytest.raises(Died):
        late.ask("Two.")
    held = store.resume(begun(store, ends="answered"))
    assert store.prune(3600) == 0
    assert store.prune(0) == 2
    left = ids(store)
    assert not left & {ended, talk.id}
    assert {interrupted, wanting, handing, late.id, held.id} <= left
    assert len(left) == 7
    held.release()
    assert store.prune(0) == 1


def test_a_sealed_journal_says_nothing_without_its_key(
    place: Callable[[str], str], kind: str, tmp_path: Path
) -> None:
    where = place("sealed")
    with open_journal(where, key=KEY) as journal:
        session = died_while_paying(journal)
        talk = agent_of(paying, policy=CONFIRM, send=never, waits=True)
        talk.ask("canary-question", journal=journal)
        (asked,) = journal.questions()
        answer_question(journal, asked.id, True, by="Mira")
        assert agent_of(paying, send=never).ask(journal=journal, resume=session).session == session
        assert "shop__pay" in json.dumps([*journal.export(session)])
    if kind == "sqlite":
        kept = b"".join(file.read_bytes() for file in tmp_path.glob("sealed.sqlite3*"))
        assert b"sealed:" in kept
        assert b"canary" not in kept
        assert b"shop__pay" not in kept
    for other in (None, Secret(b64encode(bytes(32)).decode())):
        with open_journal(where, key=other) as journal:
            assert all(summary.is_sealed for summary in journal.sessions())
            assert {summary.header.question for summary in journal.sessions()} == {""}
            for use in (journal.resume, lambda name: [*journal.export(name)]):
                with pytest.raises(UnusableSession, match="sealed with a key that is not given"):
                    use(session)
            assert "canary" not in repr(journal.questions(is_all=True))
            new = agent_of(paying).ask("Plain.", journal=journal).session
            assert next(journal.export(new))["question"] == "Plain."
            journal.delete([new])


def test_a_key_is_a_reference_to_32_bytes(
    place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY.reveal())
    monkeypatch.setenv("SHORT", "canary")
    with open_journal(place("a"), key="env:THE_KEY") as journal:
        begun(journal)
    with pytest.raises(UsageError, match="not 32 bytes in base64") as caught:
        open_journal(place("a"), key="env:SHORT")
    assert "canary" not in f"{caught.value!r} {caught.value.hint}"
    with pytest.raises(MissingCredential) as missing:
        open_journal(place("a"), key="canary-itself")
    assert "canary" not in f"{missing.value!r}"


# Runs that wait for their turn, or are to end


def test_a_session_that_was_added_is_begun_by_who_takes_it_up(store: Journal) -> None:
    assert store.add("mine", SessionHeader(question="Pay."))
    assert not store.add("mine", SessionHeader(question="Pay twice."))
    kept = store.find("mine")
    assert (kept.header, kept.header.is_begun) == (SessionHeader(question="Pay."), False)
    send = RecordingTransport(lambda _: reply(200, [1]))
    answer = agent_of(paying, send=send).ask(journal=store, resume="mine")
    assert (answer.session, answer.question, len(send.sent)) == ("mine", "Pay.", 1)
    header = store.find("mine").header
    assert (header.question, header.model, header.is_begun) == ("Pay.", "scripted", True)
    assert header.apis == {"shop": shop().apis["shop"].sha256}
    other = document({"/cart": {"get": {"operationId": "cart"}}})
    with pytest.raises(UnusableSession, match="other documents"):
        agent_of(paying, catalog=catalog(load(other, alias="shop"))).ask(
            journal=store, resume="mine"
        )


def test_a_run_that_is_to_end_does_so_between_two_steps(store: Journal) -> None:
    def stop(_: object) -> Response:
        store.is_interrupted = True
        return reply(200, [1])

    def twice(agent: Agent, question: str) -> Steps[Conclusion]:
        yield Call(tool="shop__pay", arguments={"pin": "1"})
        yield Call(tool="shop__pay", arguments={"pin": "2"})
        return Conclusion(text="done")

    send = RecordingTransport(stop)
    with pytest.raises(RunInterrupted):
        agent_of(twice, send=send).ask("Pay.", journal=store)
    (session,) = ids(store)
    assert [event.event for event in store.events(session)] == ["step", "sent", "outcome"]
    assert store.find(session).stopped == ""
    store.is_interrupted = False
    answer = agent_of(twice, send=send).ask(journal=store, resume=session)
    assert (answer.text, len(send.sent)) == ("done", 2)


# People


def sending() -> RecordingTransport:
    return RecordingTransport(lambda _: reply(200, [1]))


def waiting(send: object = never, **settings: object) -> Agent:
    return agent_of(paying, **{"send": send, "policy": CONFIRM, "waits": True, **settings})


def test_a_write_waits_for_who_allows_it_and_is_sent_once(store: Journal) -> None:
    first = waiting().ask("Pay.", journal=store)
    assert (first.stopped, first.text, first.usage.http_calls) == ("question", "", 0)
    (asked,) = store.questions()
    assert (asked.kind, asked.tool, asked.session) == ("approval", "shop__pay", first.session)
    assert asked.text.startswith("shop__pay would send\n  POST ")
    assert f"sessions answer {asked.id}" in first.reason
    assert store.sessions()[0].stopped == ""
    again = waiting().ask(journal=store, resume=first.session)
    assert (again.stopped, store.questions()) == ("question", (asked,))
    assert answer_question(store, asked.id, True, by="Mira").session == first.session
    assert store.questions() == ()
    send = sending()
    last = waiting(send).ask(journal=store, resume=first.session)
    assert (last.stopped, len(send.sent)) == ("answered", 1)
    sent = next(event for event in store.export(first.session) if event.get("event") == "sent")
    assert sent["data"]["approved_by"] == "Mira"
    (used,) = store.questions(is_all=True)
    assert (used.by, used.answer, used.is_closed) == ("Mira", True, True)


def test_a_no_refuses_the_write(store: Journal) -> None:
    session = waiting().ask("Pay.", journal=store).session
    assert store.answered_questions() == ()
    answer_question(store, store.questions()[0].id, False, by="Mira")
    assert [question.session for question in store.answered_questions()] == [session]
    last = waiting().ask(journal=store, resume=session)
    assert "was not allowed" in last.reason
    assert store.answered_questions() == ()
    assert waiting().ask(journal=store, resume=session).stopped == "question"


def test_a_question_is_answered_once(store: Journal) -> None:
    session = waiting().ask("Pay.", journal=store).session
    (asked,) = store.questions()
    for value in ("yes", 1, None, {}):
        with pytest.raises(UsageError, match="true or false is wanted"):
            answer_question(store, asked.id, value, by="Mira")
    with pytest.raises(UsageError, match="who answers"):
        answer_question(store, asked.id, True, by=" ")
    with pytest.raises(UsageError, match="no question of that id"):
        answer_question(store, "q0", True, by="Mira")
    answer_question(store, asked.id, False, by="Mira")
    with pytest.raises(UnusableSession, match=f"its question {asked.id} was answered by Mira"):
        answer_question(store, asked.id, True, by="Noor")
    waiting().ask(journal=store, resume=session)
    assert store.question(asked.id).is_closed  # type: ignore[union-attr]


def test_an_approval_is_for_one_request_alone(store: Journal) -> None:
    """The server is another one when the run goes on."""
    session = waiting().ask("Pay.", journal=store).session
    answer_question(store, store.questions()[0].id, True, by="Mira")
    other = rw.Connection(server="https://elsewhere.example.test")
    again = waiting(connections={"shop": other}).ask(journal=store, resume=session)
    assert again.stopped == "question"
    (asked,) = store.questions()
    assert "elsewhere.example.test" in asked.text


def test_an_approval_is_used_up_where_the_run_is_killed_before_it_is_sent(store: Journal) -> None:
    session = waiting().ask("Pay.", journal=store).session
    answer_question(store, store.questions()[0].id, True, by="Mira")

    def killed(event: object) -> None:
        if getattr(event, "kind", "") == "approval":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        waiting(on_event=killed).ask(journal=store, resume=session)
    assert waiting().ask(journal=store, resume=session).stopped == "question"
    assert len(store.questions()) == 1


def test_an_approval_that_was_used_up_is_asked_for_again(store: Journal) -> None:
    """As where the database was lost before it said that the approval is used up."""
    session = waiting().ask("Pay.", journal=store).session
    answer_question(store, store.questions()[0].id, True, by="Mira")

    class Forgetful(type(store)):  # type: ignore[misc]
        def close_questions(self, *values: Any) -> int:
            super().close_questions(*values)
            return super().close_questions(*values)

    store.__class__ = Forgetful
    assert waiting().ask(journal=store, resume=session).stopped == "question"
    assert len(store.questions()) == 1


def test_an_idempotency_key_stays_the_one_that_was_allowed(store: Journal) -> None:
    key = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
    paid = {"/pay": {"post": {"operationId": "pay", "parameters": [key]}}}
    tools = catalog(load(document(paid), alias="shop"))

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        result = yield Call(tool="shop__pay", arguments={})
        assert isinstance(result, Result)
        return Conclusion(text=str(result.kind))

    session = waiting(kind=loop, catalog=tools).ask("?", journal=store).session
    (asked,) = store.questions()
    answer_question(store, asked.id, True, by="Mira")
    send = sending()
    assert waiting(send, kind=loop, catalog=tools).ask(journal=store, resume=session).text == "ok"
    (request,) = send.sent
    assert request.header("Idempotency-Key") == asked.arguments["Idempotency_Key"] != ""


def test_an_approval_that_is_given_elsewhere_counts_for_who_is_asked_at_once(
    store: Journal,
) -> None:
    session = waiting().ask("Pay.", journal=store).session
    answer_question(store, store.questions()[0].id, True, by="Mira")
    send = sending()
    asked_here = agent_of(paying, send=send, policy=CONFIRM, approve=never)
    assert asked_here.ask(journal=store, resume=session).stopped == "answered"
    assert len(send.sent) == 1


def test_a_question_that_somebody_answers_at_a_terminal_is_wanted_no_more(store: Journal) -> None:
    session = waiting().ask("Pay.", journal=store).session
    (asked,) = store.questions()
    here = agent_of(paying, send=sending(), policy=CONFIRM, approve=rw.policy.approve_all)
    assert here.ask(journal=store, resume=session).stopped == "answered"
    assert store.questions() == ()
    with pytest.raises(UnusableSession, match="is wanted no more"):
        answer_question(store, asked.id, True, by="Mira")


def asking_first(agent: Agent, question: str) -> Steps[Conclusion]:
    """A write that ends the run where it is refused."""
    result = yield Call(tool="shop__pay", arguments={"pin": "1"})
    assert isinstance(result, Result)
    return Conclusion(text="", stopped="answered" if result.ok else "refused")


def test_a_run_that_ended_and_waits_again_is_not_over(store: Journal) -> None:
    session = agent_of(asking_first, policy=CONFIRM).ask("?", journal=store).session
    assert store.find(session).stopped == "refused"
    assert waiting(kind=asking_first).ask(journal=store, resume=session).stopped == "question"
    assert store.find(session).stopped == ""
    assert store.prune(0) == 0
    (asked,) = store.questions()
    answer_question(store, asked.id, True, by="Mira")
    again = waiting(sending(), kind=asking_first)
    assert again.ask(journal=store, resume=session).stopped == "answered"


def test_an_approval_of_the_day_before_is_asked_for_again(store: Journal) -> None:
    session = waiting().ask("Pay.", journal=store).session
    (asked,) = store.questions()
    answer_question(store, asked.id, True, by="Mira")
    held = store.resume(session)
    (kept,) = held.questions.values()
    late = replace(kept, answered=(kept.answered or 0) - APPROVAL_LIFETIME_S - 1)
    held.questions[kept.id] = late
    recorder = Recorder(waiting().performer(never), held, waits=True)
    with pytest.raises(RunSuspended):
        recorder(Call(tool="shop__pay", arguments={"pin": "1"}))
    held.release()
    assert [one.id for one in store.questions()] == [asked.id]


def test_a_run_waits_in_an_event_loop_too(store: Journal) -> None:
    first = asyncio.run(waiting().ask_async("Pay.", journal=store))
    assert first.stopped == "question"
    answer_question(store, store.questions()[0].id, True, by="Mira")
    send = sending()
    again = waiting(send).ask_async(journal=store, resume=first.session)
    assert asyncio.run(again).stopped == "answered"
    assert len(send.sent) == 1


def asking(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    said = yield Question("Which?", name="which", schema={"enum": ["a", "b"]})
    if isinstance(said, NoAnswer):
        return Conclusion(text="", stopped="question", reason=said.why)
    assert isinstance(said, UserAnswer)
    return Conclusion(text=f"it is {said.value}")


def test_a_question_waits_for_its_answer(store: Journal) -> None:
    session = waiting(kind=asking).ask("?", journal=store).session
    (asked,) = store.questions(session)
    assert (asked.text, asked.name, asked.schema) == ("Which?", "which", {"enum": ["a", "b"]})
    with pytest.raises(UsageError, match="is wanted"):
        answer_question(store, asked.id, "c", by="Mira")
    answer_question(store, asked.id, "b", by="Mira")
    assert waiting(kind=asking).ask(journal=store, resume=session).text == "it is b"
    known = waiting(kind=asking, human=human_from_answers({"which": "a"}))
    assert known.ask("?", journal=store).text == "it is a"


@pytest.mark.parametrize(("said", "sent"), [("yes", 0), ("no", 1)])
def test_whether_a_write_took_effect_may_be_said_later(
    store: Journal, said: str, sent: int
) -> None:
    session = died_while_paying(store)
    agent = waiting(policy=ALLOW)
    assert agent.ask(journal=store, resume=session).stopped == "question"
    (asked,) = store.questions()
    assert asked.name == "took_effect"
    # Of several calls of one tool, a person must know which to look for.
    assert asked.text.startswith('shop__pay {"pin":"1"} was sent')
    answer_question(store, asked.id, said, by="Mira")
    send = sending()
    assert waiting(send, policy=ALLOW).ask(journal=store, resume=session).stopped == "answered"
    assert len(send.sent) == sent


def test_what_did_not_take_effect_is_allowed_anew_and_sent_once(store: Journal) -> None:
    session = died_while_paying(store)
    for kind, word in (("question", "no"), ("approval", True)):
        assert waiting().ask(journal=store, resume=session).stopped == "question"
        (asked,) = store.questions()
        assert asked.kind == kind
        answer_question(store, asked.id, word, by="Mira")
    send = sending()
    assert waiting(send).ask(journal=store, resume=session).stopped == "answered"
    assert (len(send.sent), store.questions()) == (1, ())


def test_what_was_said_of_one_sending_is_not_of_the_next(store: Journal) -> None:
    session = died_while_paying(store)
    for word in ("no", True):
        waiting().ask(journal=store, resume=session)
        (asked,) = store.questions()
        answer_question(store, asked.id, word, by="Mira")
    with pytest.raises(Died):
        waiting(dying).ask(journal=store, resume=session)
    assert waiting().ask(journal=store, resume=session).stopped == "question"
    assert [asked.name for asked in store.questions()] == ["took_effect"]


def test_what_a_tool_leaves_to_a_human_is_kept_nowhere(store: Journal) -> None:
    """It is not asked for by the journal, nor shown in what an approval is asked for."""
    agent = waiting(catalog=shop(human_pin=True), kind=pinning)
    assert agent.ask("Pay.", journal=store).stopped == "refused"
    assert store.questions() == ()
    human = human_from_answers({"pay": {"pin": "canary-pin"}})
    agent = waiting(catalog=shop(human_pin=True), kind=pinning, human=human)
    assert agent.ask("Pay.", journal=store).stopped == "question"
    (asked,) = store.questions()
    assert "canary" not in repr(asked)
    answer_question(store, asked.id, True, by="Mira")
    assert replace(agent, send=sending()).ask(journal=store, resume=asked.session).text == "ok"


def pinning(agent: Agent, question: str) -> Steps[Conclusion]:
    del agent, question
    result = yield Call(tool="shop__pay", arguments={})
    assert isinstance(result, Result)
    return Conclusion(text=result.kind, stopped="answered" if result.ok else "refused")


def test_who_waits_needs_a_journal() -> None:
    with pytest.raises(UsageError, match="needs a journal"):
        waiting().ask("Pay.")


@pytest.mark.parametrize("text", ["canary:pw", "mysql://a:canary@b/c", "sqlite:", "http://canary"])
def test_what_is_no_place_is_not_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="no place of a journal") as caught:
        rw.journal(text)
    assert "canary" not in f"{caught.value!r} {caught.value.hint}"


def test_a_place_may_stand_in_the_environment(
    place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", place("x"))
    with rw.journal("env:PLACE") as journal:
        made = begun(journal)
    with rw.journal(Secret(place("x"))) as journal:
        assert ids(journal) == {made}


def restwright(*arguments: str, place: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "restwright", *arguments]
    environment = {**os.environ, "RESTWRIGHT_JOURNAL": place}
    return subprocess.run(  # noqa: S603 - our own code
        command, capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.process
def test_the_command_line_lists_and_answers(store: Journal, place: Callable[[str], str]) -> None:
    session = waiting().ask("Pay.", journal=store).session
    (asked,) = store.questions()
    listed = restwright("sessions", "questions", place=place("runs"))
    assert f"{asked.id}\t" in listed.stdout
    assert "waiting" in restwright("sessions", "list", place=place("runs")).stdout
    said = restwright("sessions", "answer", asked.id, "yes", place=place("runs"))
    told = f"answered; where no worker has it, go on with --resume {session}\n"
    assert (said.returncode, said.stderr) == (0, told)
    assert store.question(asked.id).answer is True  # type: ignore[union-attr]
    assert "canary" not in listed.stdout + listed.stderr + said.stderr
    pruned = restwright("sessions", "prune", "--keep", "0d", place=place("runs"))
    assert pruned.stdout == "0 sessions deleted\n"
    wrong = restwright("sessions", "prune", "--keep", "soon", place=place("runs"))
    assert "--keep takes a number and d, h or m" in wrong.stderr
