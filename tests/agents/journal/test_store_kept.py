"""What a journal keeps whatever happens to it: damage, deleted locks, and the thousandth run."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.journaled import Died, agent_of, died_while_paying, dying, paying, shop

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.journal.conversations import (
    list_conversations,
    load_conversations,
    restore_turn,
)
from restwright.agents.journal.sqlite import MAX_SESSIONS, SQLiteJournal
from restwright.agents.journal.store import SessionHeader
from restwright.agents.runtime.human_input import human_from_answers
from restwright.agents.steps import Call, Conclusion, Gather, Steps
from restwright.calls.approval.policy import ALLOW, CONFIRM, Policy
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject
from restwright.net.counters import add_counts, read_counts
from restwright.net.messages import Request, Response
from restwright.testing import never, reply

OPENING = SessionHeader(question="?", agent="", model="m", apis={})
DAMAGED: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "journal.json").read_text("utf-8")
)


@pytest.fixture
def journal(tmp_path: Path) -> Generator[SQLiteJournal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def begun(journal: SQLiteJournal) -> str:
    session = journal.start(OPENING)
    session.release()
    return session.id


def ids(journal: SQLiteJournal) -> set[str]:
    return {each.id for each in journal.sessions()}


def fill(journal: SQLiteJournal, count: int) -> None:
    """Have the journal hold this many runs that ended, all of them later than its first ones."""
    journal.change("update sessions set started = 0", ())
    journal.change(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)"
        " insert into sessions (id, started, question, agent, model, apis, stopped)"
        " select 'n' || i, i, '\"\"', '', 'm', '{}', 'answered' from n",
        (count,),
    )


def test_a_run_that_was_killed_in_a_write_outlives_the_thousandth(journal: SQLiteJournal) -> None:
    killed = died_while_paying(journal)
    fill(journal, MAX_SESSIONS)
    begun(journal)
    assert killed in ids(journal)
    assert "n1" not in ids(journal)
    answer = agent_of(paying, send=never).ask(journal=journal, resume=killed)
    assert "whether it took effect is unknown" in answer.reason
    begun(journal)
    assert killed not in ids(journal)


def test_a_run_that_ended_and_went_on_again_has_not_ended(journal: SQLiteJournal) -> None:
    """It was refused at first; then it is allowed, and killed while it sends."""
    refused = agent_of(paying, policy=Policy(default="read-only")).ask("Pay.", journal=journal)
    with pytest.raises(Died):
        agent_of(paying, send=dying).ask(journal=journal, resume=refused.session)
    assert [each.stopped for each in journal.sessions()] == [""]
    fill(journal, MAX_SESSIONS)
    begun(journal)
    assert refused.session in ids(journal)


def test_a_write_that_was_refused_and_then_sent_is_told_of_as_sent(journal: SQLiteJournal) -> None:
    refused = agent_of(paying, policy=Policy(default="read-only")).ask("Pay.", journal=journal)
    with pytest.raises(Died):
        agent_of(paying, send=dying).ask(journal=journal, resume=refused.session)
    (write,) = restore_turn(journal, refused.session, shop(), policy=ALLOW).writes
    assert (write.tool, write.effect) == ("shop__pay", "unknown")


def damage(journal: SQLiteJournal, session: str, row: JsonObject) -> None:
    """Write into one cell, past all that the file itself would refuse."""
    value: object = bytes.fromhex(row["hex"]) if "hex" in row else row.get("value")
    if "nested" in row:
        value = "[" * row["nested"]
    where = "id = ?" if row["table"] == "sessions" else "session = ? and number = 2"
    change = f"update {row['table']} set {row['column']} = ? where {where}"  # noqa: S608 - our own
    with closing(sqlite3.connect(journal.path)) as base, base:
        base.execute(change, (value, session))


@pytest.mark.parametrize("row", DAMAGED, ids=lambda row: row["name"])
def test_a_damaged_row_costs_its_session_alone(journal: SQLiteJournal, row: JsonObject) -> None:
    before, hit, after = (died_while_paying(journal) for _ in range(3))
    damage(journal, hit, row)
    assert ids(journal) == {before, hit, after}
    is_damaged = {each.id: each.is_damaged for each in journal.sessions()}
    assert is_damaged == {before: False, hit: not row.get("is_listed"), after: False}
    assert {each.id for each in load_conversations(journal)} == {before, hit, after}
    json.dumps([*journal.export(hit)], allow_nan=False)
    for each in (before, after):
        assert agent_of(paying, send=never).ask(journal=journal, resume=each).stopped == "answered"
    agent = agent_of(paying, send=never)
    if row.get("is_resumed"):
        assert agent.ask(journal=journal, resume=hit).stopped == "answered"
    else:
        with pytest.raises(UnusableSession, match=r"damaged|not known|manifest"):
            agent.ask(journal=journal, resume=hit)
    assert journal.delete([hit]) == 1
    assert ids(journal) == {before, after}


@pytest.mark.parametrize("row", DAMAGED, ids=lambda row: row["name"])
def test_a_damaged_turn_is_not_taken_for_another_one(
    journal: SQLiteJournal, row: JsonObject
) -> None:
    hit = died_while_paying(journal)
    fine = Conversation(agent_of(paying), journal)
    fine.ask("Pay.")
    damage(journal, hit, row)
    assert {each.id for each in list_conversations(journal)} == {fine.id}
    if row["column"] in {"agent", "answer"} and row.get("is_listed"):
        return
    with pytest.raises(UnusableSession, match="damaged"):
        Conversation.resume(agent_of(paying), journal, hit)


def test_a_run_of_a_kind_of_agent_that_is_not_known_is_not_taken_up(journal: SQLiteJournal) -> None:
    opening = agent_of("rest").session_header("?")
    session = journal.start(replace(opening, agent="rset"))
    session.release()
    with pytest.raises(UnusableSession, match="a kind that is not known, 'rset'"):
        agent_of("rest", send=never).ask(journal=journal, resume=session.id)


@pytest.mark.parametrize(
    ("kept", "damaged"),
    [
        ("step", "{}"),
        ("sent", '{"arguments": {}}'),
        ("outcome", "7"),
        ("outcome", "{}"),
        ("outcome", '{"kind": "ok", "response": {"status": 200}}'),
    ],
)
def test_what_has_another_form_is_damaged_without_a_hash_too(
    journal: SQLiteJournal, kept: str, damaged: str
) -> None:
    """Those that an earlier version kept have none."""
    if kept == "sent":
        session = died_while_paying(journal)
    else:
        session = agent_of(paying).ask("Pay.", journal=journal).session
    journal.change("update events set hash = ''", ())
    journal.change("update events set data = ? where event = ?", (damaged, kept))
    with pytest.raises(UnusableSession, match="damaged"):
        agent_of(paying, send=never).ask(journal=journal, resume=session)
    with pytest.raises(UnusableSession, match="damaged"):
        Conversation.resume(agent_of(paying), journal, session)


def test_a_journal_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    with SQLiteJournal(path) as journal:
        session = died_while_paying(journal)
        journal.change("alter table events drop column hash", ())
        journal.change("drop table holders", ())
    with SQLiteJournal(path) as journal:
        answer = agent_of(paying, send=never).ask(journal=journal, resume=session)
        assert "whether it took effect is unknown" in answer.reason
        assert len([*journal.export(session)]) == 4


def test_hand_overs_that_go_in_a_circle_cost_no_list(journal: SQLiteJournal) -> None:
    one, two = begun(journal), begun(journal)
    for each in ((one, two), (two, one)):
        journal.change("insert into handovers (session, before) values (?, ?)", each)
    assert sum(len(each.turns) for each in load_conversations(journal)) == 2
    assert journal.delete([one]) == 2


def test_a_turn_whose_place_is_damaged_is_alone(journal: SQLiteJournal) -> None:
    conversation = Conversation(agent_of(paying), journal)
    conversation.ask("One.")
    conversation.ask("Two.")
    journal.change("update turns set number = 'x' where number = 2", ())
    assert [len(each.turns) for each in load_conversations(journal)] == [1, 1]


def test_whose_lock_file_was_deleted_keeps_nothing_more_once_another_process_has_it(
    journal: SQLiteJournal,
) -> None:
    with SQLiteJournal(journal.path) as other:
        first = journal.start(OPENING)
        first.append("1", "step", {"step": "call"})
        journal.lock_file(first.id).unlink()
        second = other.resume(first.id)
        with pytest.raises(UnusableSession, match="another process has taken it up since"):
            first.append("1", "sent", {"arguments": {}, "is_keyed": False})
        first.forget_after("0")
        with pytest.raises(UnusableSession, match="another process has taken it up since"):
            first.end("answered", "first")
        second.append("1", "outcome", None)
        first.release()
        second.end("limit", "second")
        second.release()
        head, *events = journal.export(first.id)
    assert [each["event"] for each in events] == ["step", "outcome"]
    assert (head["stopped"], head["answer"]) == ("limit", "second")


def test_a_write_is_not_sent_by_who_lost_the_session(journal: SQLiteJournal) -> None:
    """Another process takes it up right before the write."""

    def approve(*_: object) -> bool:
        journal.lock_file(journal.last_id).unlink()
        with SQLiteJournal(journal.path) as other:
            other.resume(journal.last_id).release()
        return True

    agent = agent_of(paying, send=never, policy=CONFIRM, approve=approve)
    with pytest.raises(UnusableSession, match="another process has taken it up since"):
        agent.ask("Pay.", journal=journal)


def test_a_lock_file_that_is_replaced_while_it_is_locked_is_locked_anew(
    journal: SQLiteJournal,
) -> None:
    session = journal.start(OPENING)
    path = journal.lock_file(session.id)
    path.unlink()
    path.touch()
    session.release()
    with SQLiteJournal(journal.path) as other:
        again = other.resume(session.id)
        with pytest.raises(UnusableSession, match="another process is at it"):
            journal.resume(session.id)
        again.release()


def test_a_session_that_is_no_longer_there_leaves_no_lock_behind(journal: SQLiteJournal) -> None:
    name = begun(journal)
    with pytest.raises(UnusableSession, match="there is no session"):
        journal.resume("none")
    assert journal.delete([name, "none", ""]) == 1
    assert [*journal.lock_file(name).parent.iterdir()] == []


LOOK = """
import sys
from pathlib import Path
from restwright.agents.journal.sqlite import SQLiteJournal
with SQLiteJournal(Path(sys.argv[1])) as journal:
    print(len(journal.sessions()))
"""


def looked(path: Path) -> int:
    """How many sessions another process sees, which then closes the file."""
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", LOOK, path], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.process
def test_nothing_is_lost_where_a_process_opens_its_journal_twice(journal: SQLiteJournal) -> None:
    """To close a file takes all locks that this process has on it, SQLite's too."""
    begun(journal)
    SQLiteJournal(journal.path).close()
    assert looked(journal.path) == 1
    begun(journal)
    assert looked(journal.path) == 2


def test_a_journal_is_neither_a_link_nor_a_folder(tmp_path: Path) -> None:
    (tmp_path / "link.sqlite3").symlink_to(tmp_path / "elsewhere.sqlite3")
    (tmp_path / "folder.sqlite3").mkdir()
    for each in ("link", "folder"):
        with pytest.raises(OSError, match="it is not a file"):
            SQLiteJournal(tmp_path / f"{each}.sqlite3")
    assert not (tmp_path / "elsewhere.sqlite3").exists()


def test_uses_can_be_counted_while_others_are(tmp_path: Path) -> None:
    path = tmp_path / "usage.sqlite3"
    add_counts(path, {("a", "called"): 1})
    path.chmod(0o644)
    add_counts(path, {("a", "called"): 1})
    assert read_counts(path) == {("a", "called"): 2}
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_was_forgotten_is_gone_and_noticed_by_nobody(journal: SQLiteJournal) -> None:
    session = journal.start(OPENING)
    for place in ("1", "2", "3"):
        session.append(place, "step", {"step": "say", "text": f"canary-{place}"})
    session.forget_after("1")
    session.append("2", "step", {"step": "say"})
    session.release()
    events = [each.place for each in journal.events(session.id)]
    assert events == ["1", "2"]
    assert "canary-2" not in json.dumps([*journal.export(session.id)])
    assert journal.sessions()[0].events == 2
    journal.resume(session.id).release()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_event_that_is_missing_is_damage(journal: SQLiteJournal, number: int) -> None:
    session = agent_of(paying).ask("Pay.", journal=journal).session
    journal.change("delete from events where number = ?", (number,))
    with pytest.raises(UnusableSession, match="damaged"):
        agent_of(paying, send=never).ask(journal=journal, resume=session)


def test_sessions_that_are_deleted_together_are_deleted_at_once(journal: SQLiteJournal) -> None:
    one, two = begun(journal), begun(journal)
    journal.change("insert into handovers (session, before) values (?, ?)", (two, one))
    trigger = "create trigger t before delete on sessions when old.id = '{}' begin {}; end"
    journal.change(trigger.format(two, "select raise(abort, 'full')"), ())
    with pytest.raises(OSError, match="full"):
        journal.delete([one])
    assert ids(journal) == {one, two}


def test_a_disk_that_was_full_once_damages_nothing(journal: SQLiteJournal) -> None:
    full = "create trigger full before insert on events begin select raise(abort, 'full'); end"
    session = journal.start(OPENING)
    journal.change(full, ())
    with pytest.raises(OSError, match="full"):
        session.append("1", "step", {"step": "call"})
    journal.change("drop trigger full", ())
    session.append("1", "step", {"step": "call"})
    session.release()
    journal.resume(session.id).release()


def test_what_comes_after_something_forgotten_has_a_number_of_its_own(
    journal: SQLiteJournal,
) -> None:
    session = journal.start(OPENING)
    for place in ("1", "2"):
        session.append(place, "step", {"step": "say"})
    session.forget_after("1")
    session.release()
    again = journal.resume(session.id)
    again.append("2", "step", {"step": "say"})
    again.release()
    assert [each.number for each in journal.events(session.id)] == [1, 3]


def test_a_write_that_took_effect_as_the_user_says_is_told_of(journal: SQLiteJournal) -> None:
    session = died_while_paying(journal)
    human = human_from_answers({"took_effect": "yes"})
    answer = agent_of(paying, send=never, human=human).ask(journal=journal, resume=session)
    assert answer.stopped == "answered"
    (write,) = restore_turn(journal, session, shop(), policy=ALLOW).writes
    assert (write.tool, write.effect) == ("shop__pay", "done")


def paying_and_more(agent: Agent, question: str) -> Steps[Conclusion]:
    """Goes on after an error, as a loop may."""
    del agent, question
    pay = Call(tool="shop__pay", arguments={"pin": "1"})
    yield Gather((pay, Call(tool="shop__pay", arguments={"pin": "2"})))
    yield pay
    yield Call(tool="shop__cart", arguments={})
    return Conclusion(text="")


def test_a_write_whose_response_is_lost_is_told_of(journal: SQLiteJournal) -> None:
    sent: list[Request] = []

    def send(request: Request) -> Response:
        if request.method == "POST":
            sent.append(request)
            raise TimeoutError
        return reply(200, [])

    conversation = Conversation(agent_of(paying_and_more, send=send), journal)
    conversation.ask("Pay.")
    (live,) = conversation.turns
    kept = restore_turn(journal, live.session, shop(), policy=ALLOW)
    for turn in (live, kept):
        assert [each.arguments for each in turn.writes] == [{"pin": each} for each in "121"]
        assert {each.effect for each in turn.writes} == {"unknown"}
    assert len(sent) == 3
