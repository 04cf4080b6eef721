"""What is put into a queue, once, in which order, and as what."""

from __future__ import annotations

import asyncio
import pickle
from base64 import b64decode
from binascii import Error

import pytest

import restwright as rw
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.errors import RestwrightError, UsageError
from restwright.workers.engine import SCHEMA
from restwright.workers.queues import RunQueue

pytestmark = pytest.mark.postgres


def test_a_question_is_asked_once_under_one_name(queue: RunQueue) -> None:
    assert queue.add("Pay 1", name="one", agent="shop", priority=7) == "one"
    assert queue.add("Pay 1", name="one") == "one"
    assert queue.add("Pay 1") != queue.add("Pay 1")
    with pytest.raises(UsageError, match="another question"):
        queue.add("Pay 2", name="one")
    first, *others = queue.list()
    assert (first.session, first.agent, first.priority, first.state) == ("one", "shop", 7, "queued")
    assert (len(others), queue.depths()) == (2, {"queued": 3})
    kept = queue.journal.find("one")
    assert (kept.header.question, kept.header.is_begun, kept.stopped) == ("Pay 1", False, "")


def test_what_failed_is_found_behind_what_waits(queue: RunQueue) -> None:
    for name in ("one", "two", "three"):
        queue.add("Pay", name=name)
    failing = f"update {SCHEMA}.workflow_status set status = 'ERROR' where workflow_uuid = %(id)s"  # noqa: S608
    queue.journal.database.change(failing, {"id": queue.address.ticket("three")})
    assert [run.session for run in queue.list(limit=2)] == ["one", "two"]
    assert [run.session for run in queue.list(is_failed=True, limit=1)] == ["three"]
    assert queue.retry(["three"]) == 1
    assert {run.state for run in queue.list()} == {"queued"}


def test_a_name_is_of_one_queue(queue: RunQueue) -> None:
    queue.add("Pay 1", name="one")
    with RunQueue(queue.journal, "other") as other:
        with pytest.raises(UsageError, match="it is in another queue"):
            other.add("Pay 1", name="one")
        assert other.list() == ()
    assert len(queue.list()) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"question": " "},
        {"question": "a", "name": "a/b"},
        {"question": "a", "name": "a#b"},
        {"question": "a", "priority": 0},
    ],
)
def test_what_cannot_be_meant_is_refused(queue: RunQueue, given: dict[str, object]) -> None:
    with pytest.raises(RestwrightError):
        queue.add(**given)  # type: ignore[arg-type]
    assert queue.list() == ()


def test_a_file_is_no_queue(tmp_path: object, journal: PostgresJournal) -> None:
    with (
        SQLiteJournal(tmp_path / "a.sqlite3") as store,  # type: ignore[operator]
        pytest.raises(UsageError, match="needs a journal on PostgreSQL"),
    ):
        RunQueue(store, "shop")
    with pytest.raises(UsageError, match="is no name"):
        RunQueue(journal, "shop/1")


def test_the_library_enqueues_in_a_line(url: str, journal: PostgresJournal) -> None:
    session = rw.enqueue("Pay 1", queue="shop", journal=url, name="one")
    again = asyncio.run(rw.enqueue_async("Pay 1", queue="shop", journal=journal, name="one"))
    assert (session, again) == ("one", "one")
    with RunQueue(journal, "shop") as queue, RunQueue(journal, "other") as other:
        assert (len(queue.list()), other.list()) == (1, ())


def test_one_tenant_sees_nothing_of_another(url: str, queue: RunQueue) -> None:
    queue.add("Pay 1", name="one")
    with PostgresJournal(f"{url}-2") as journal, RunQueue(journal, "shop") as other:
        assert other.list() == ()
        other.add("Pay 2", name="one")
        assert other.depths() == queue.depths() == {"queued": 1}


def is_pickle(text: str) -> bool:
    try:
        pickle.loads(b64decode(text, validate=True))  # noqa: S301 - what is looked for
    except (Error, ValueError, EOFError, KeyError, IndexError, pickle.UnpicklingError):
        return False
    return True


def no_pickle(journal: PostgresJournal) -> int:
    """How many texts there are in the tables of the engine, none of which is pickle."""
    tables = journal.database.rows(
        "select table_name, column_name from information_schema.columns"
        " where table_schema = %(schema)s and data_type in ('text', 'character varying', 'json')",
        {"schema": SCHEMA},
    )
    seen = 0
    for table, column in tables:
        for (text,) in journal.database.rows(
            f'select "{column}"::text from {SCHEMA}."{table}" where "{column}" is not null',  # noqa: S608
            {},
        ):
            assert not is_pickle(text), (table, column, text)
            seen += 1
    return seen


def test_what_is_queued_is_json_without_the_question(queue: RunQueue) -> None:
    assert is_pickle("gASVBgAAAAAAAABLAUsChpQu")
    queue.add("A canary asks.", name="one")
    assert no_pickle(queue.journal) > 5
    rows = queue.journal.database.rows(
        f"select serialization, w::text from {SCHEMA}.workflow_status w"  # noqa: S608
        " where workflow_uuid like %(id)s",
        {"id": "%/one"},
    )
    assert {row[0] for row in rows} == {"portable_json"}
    assert "canary" not in str(rows)
