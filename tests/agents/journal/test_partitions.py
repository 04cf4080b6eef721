"""The events of a journal can be divided by month, by the statements of the page about it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.postgres import PostgresServer

from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.rows import SessionHeader
from restwright.agents.journal.store import Journal

psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.postgres
PAGE = Path(__file__).parents[3] / "docs" / "scale.md"
OPENING = SessionHeader(question="?", agent="", model="m", apis={})
COUNT = "select tableoid::regclass::text, count(*) from restwright.events group by 1 order by 1"


def test_events_divided_by_month_are_those_of_the_same_runs(postgres: PostgresServer) -> None:
    divide, let_go = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    with psycopg.connect(postgres.url(), autocommit=True) as base:
        base.execute("drop database if exists divided")
        base.execute("create database divided")
        base.execute("create role restwright_worker")
    url = postgres.url().replace("/postgres", "/divided")
    try:
        with open_journal(url) as journal:
            before = keep_run(journal, "run of a name")
        with psycopg.connect(url) as base:
            base.execute(divide)
        with open_journal(url) as journal:
            assert [event.data["text"] for event in journal.events(before)] == ["1", "2"]
            month = keep_run(journal, "261224-0123456789abcdef")
            assert keep_run(journal, "261224-0123456789abcdef", first=3) == month
            assert len([*journal.events(month)]) == 4
        with psycopg.connect(url) as base:
            found = base.execute(COUNT).fetchall()
            assert found == [("events_2612", 4), ("events_before", 2)]
            plan = base.execute(
                "explain select * from restwright.events where session = '261224-0'"
            ).fetchall()
            assert "events_before" not in str(plan)
            base.execute(let_go)
        with open_journal(url) as journal:
            assert [summary.id for summary in journal.sessions()] == [before]
            assert journal.delete([before]) == 1
    finally:
        with psycopg.connect(postgres.url(), autocommit=True) as base:
            base.execute("drop database if exists divided with (force)")
            base.execute("drop role restwright_worker")


def keep_run(journal: Journal, name: str, *, first: int = 1) -> str:
    journal.add(name, OPENING)
    session = journal.resume(name)
    for number in (first, first + 1):
        session.append(str(number), "step", {"step": "say", "text": str(number)})
    session.end("answered", "done")
    session.release()
    return name
