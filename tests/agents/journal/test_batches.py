"""Writes of several threads are kept together, and each as it would be alone."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from tests.support.postgres import PostgresServer

from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.postgres.batches import LARGEST, Batches, Write
from restwright.agents.journal.postgres.pool import Database, parse_address
from restwright.agents.journal.rows import SessionHeader

OPENING = SessionHeader(question="?", agent="", model="m", apis={})
WAIT_S = 10.0


class Store:
    """Keeps what it is given, the first batch once it is allowed to."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.has_begun, self.may_end = Event(), Event()
        self.error: BaseException | None = None

    def perform(self, batch: Sequence[Write]) -> None:
        self.batches.append([write.query for write in batch])
        self.has_begun.set()
        assert self.may_end.wait(WAIT_S)
        if (error := self.error) is not None:
            self.error = None
            raise error
        for write in batch:
            write.count = int(write.query)


def test_one_alone_is_written_at_once() -> None:
    store = Store()
    store.may_end.set()
    batches = Batches(store.perform)
    assert [batches.write(str(number), {}) for number in (1, 2)] == [1, 2]
    assert store.batches == [["1"], ["2"]]


def test_those_that_come_meanwhile_are_written_together() -> None:
    store = Store()
    batches = Batches(store.perform)
    with ThreadPoolExecutor(LARGEST + 11) as pool:
        first = pool.submit(batches.write, "0", {})
        assert store.has_begun.wait(WAIT_S)
        others = [pool.submit(batches.write, str(n), {}) for n in range(1, LARGEST + 11)]
        while batches.waiting < len(others):
            sleep(0.001)
        store.may_end.set()
        assert first.result(WAIT_S) == 0
        assert [other.result(WAIT_S) for other in others] == [*range(1, LARGEST + 11)]
    assert [len(batch) for batch in store.batches] == [1, LARGEST, 10]


def test_those_with_one_that_is_interrupted_are_written_all_the_same() -> None:
    store = Store()
    store.error = KeyboardInterrupt()
    batches = Batches(store.perform)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(batches.write, "1", {})
        assert store.has_begun.wait(WAIT_S)
        others = [pool.submit(batches.write, number, {}) for number in ("2", "3")]
        while batches.waiting < len(others):
            sleep(0.001)
        store.may_end.set()
        with pytest.raises(KeyboardInterrupt):
            first.result(WAIT_S)
        assert [other.result(WAIT_S) for other in others] == [2, 3]
    assert batches.write("4", {}) == 4


@pytest.mark.postgres
def test_one_that_is_refused_takes_no_other_with_it(postgres: PostgresServer) -> None:
    database = Database(parse_address(postgres.url()), prepare=lambda _: None)
    table = f"public.t{secrets.token_hex(4)}"
    try:
        database.change(f"create table {table} (number integer primary key)", {})
        insert, read = f"insert into {table} values (%(n)s)", f"select * from {table}"  # noqa: S608
        numbers = [*range(40), 7]

        def write(number: int) -> int | str:
            try:
                return database.write(insert, {"n": number})
            except OSError as error:
                return str(error)

        with ThreadPoolExecutor(len(numbers)) as pool:
            found = [*pool.map(write, numbers)]
        assert sorted(n for (n,) in database.rows(read, {})) == [*range(40)]
        refused = [said for said in found if said != 1]
        assert len(refused) == 1
        assert "duplicate key" in str(refused[0])
    finally:
        database.close()


@pytest.mark.postgres
def test_one_that_no_database_is_asked_about_takes_no_other_with_it(
    postgres: PostgresServer,
) -> None:
    """Half of a surrogate cannot be sent at all."""
    database = Database(parse_address(postgres.url()), prepare=lambda _: None)
    try:

        def write(text: str) -> int | type[Exception]:
            try:
                return database.write("select pg_sleep(0.01), %(text)s::text", {"text": text})
            except (OSError, ValueError) as error:
                return type(error)

        texts = ["a"] * 10 + ["\ud800"] + ["a"] * 10
        with ThreadPoolExecutor(len(texts)) as pool:
            found = [*pool.map(write, texts)]
        assert found == [1] * 10 + [UnicodeEncodeError] + [1] * 10
    finally:
        database.close()


@pytest.mark.postgres
def test_events_of_many_runs_are_each_kept_once_and_in_order(postgres: PostgresServer) -> None:
    with open_journal(postgres.url(tenant=secrets.token_hex(4))) as journal:

        def run(number: int) -> str:
            session = journal.start(OPENING)
            for place in ("1", "2", "3"):
                session.append(place, "step", {"step": "say", "text": f"{number} {place}"})
            session.end("answered", str(number))
            session.release()
            return session.id

        with ThreadPoolExecutor(20) as pool:
            names = [*pool.map(run, range(60))]
        for number, name in enumerate(names):
            assert [event.data["text"] for event in journal.events(name)] == [
                f"{number} {place}" for place in ("1", "2", "3")
            ]
            assert journal.find(name).stopped == "answered"
