"""What a journal of several machines has alone: leases, tenants, tables, a server that fails."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from tests.support.journaled import agent_of, died_while_paying, paying
from tests.support.net.handlers import JSONHandler, serve_handler
from tests.support.postgres import PASSWORD, QUOTED, PostgresServer, running_postgres
from tests.support.programs.leased_run import paying_twice

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.postgres.pool import parse_address
from restwright.agents.journal.postgres.schema import MIGRATIONS
from restwright.agents.journal.rows import SessionHeader
from restwright.errors import UnusableSession, UsageError
from restwright.net.secret import Secret
from restwright.testing import never

# With a server of their own or not, they are skipped where there can be none.
pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("postgres")]

OPENING = SessionHeader(question="?", agent="", model="m", apis={})
PROGRAM = Path(__file__).parents[2] / "support" / "programs" / "leased_run.py"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.url(tenant=secrets.token_hex(4))


@pytest.fixture
def paid() -> Generator[tuple[str, list[str]]]:
    """A server that is paid, and how often it was."""
    seen: list[str] = []

    class Handler(JSONHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.answer([1])

    with serve_handler(Handler) as url:
        yield url, seen


def until_free(journal: PostgresJournal, session: str) -> float:
    """Take a session up as soon as it can be, and let it go; how long that took."""
    began = time.monotonic()
    while True:
        try:
            journal.resume(session).release()
        except UnusableSession:
            assert time.monotonic() - began < 60
            time.sleep(0.05)
        else:
            return time.monotonic() - began


def test_a_lease_that_is_renewed_is_not_lost(url: str) -> None:
    with PostgresJournal(url, lease_s=0.6) as journal, PostgresJournal(url) as other:
        session = journal.start(OPENING)
        time.sleep(1.5)
        with pytest.raises(UnusableSession, match="another process is at it"):
            other.resume(session.id)
        session.append("1", "step", {"step": "say"})
        session.release()
        assert until_free(other, session.id) < 0.5


def test_thousands_of_runs_need_no_connection_each(postgres: PostgresServer, url: str) -> None:
    with PostgresJournal(url, lease_s=30) as journal:
        held = [journal.start(OPENING) for _ in range(300)]
        with psycopg.connect(postgres.url()) as base:
            count = "select count(*) from pg_stat_activity where application_name = 'restwright'"
            (connections,) = base.execute(count).fetchone() or (0,)
        assert connections <= 3
        for session in held:
            session.release()


def started(url: str, moment: str, shop: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, PROGRAM, url, moment, shop],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


LOST = "another process has taken it up since"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
def test_a_worker_that_is_woken_past_its_lease_sends_nothing(
    url: str, paid: tuple[str, list[str]]
) -> None:
    shop, seen = paid
    with started(url, "allowed", shop) as worker, PostgresJournal(url) as journal:
        assert worker.stdout is not None
        session = worker.stdout.readline().strip()
        until_free(journal, session)
        answer = agent_of(paying_twice).ask(journal=journal, resume=session)
        assert (answer.stopped, seen) == ("answered", [])
        worker.send_signal(signal.SIGCONT)
        assert LOST in worker.stdout.readline()
        assert worker.wait() == 0
    assert seen == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
def test_a_worker_that_is_stopped_while_it_sends_sends_that_and_nothing_more(
    url: str, paid: tuple[str, list[str]]
) -> None:
    """No lease sees that moment: who takes up the run tells of the write as one that is unknown."""
    shop, seen = paid
    with started(url, "sending", shop) as worker, PostgresJournal(url) as journal:
        assert worker.stdout is not None
        session = worker.stdout.readline().strip()
        until_free(journal, session)
        answer = agent_of(paying_twice, send=never).ask(journal=journal, resume=session)
        assert "whether it took effect is unknown" in answer.reason
        assert seen == []
        worker.send_signal(signal.SIGCONT)
        assert LOST in worker.stdout.readline()
        assert worker.wait() == 0
        assert seen == ["/pay"]
        kept = [event.event for event in journal.events(session)]
        assert kept == ["step", "sent", "outcome"]


def test_two_workers_that_want_the_same_run_are_not_both_at_it(url: str) -> None:
    with PostgresJournal(url) as journal, PostgresJournal(url) as other:
        name = died_while_paying(journal)

        def take(store: PostgresJournal) -> str:
            try:
                return agent_of(paying, send=never).ask(journal=store, resume=name).reason
            except UnusableSession as error:
                return error.why

        with ThreadPoolExecutor(8) as pool:
            told = [*pool.map(take, [journal, other] * 4)]
        unknown = [why for why in told if "whether it took effect is unknown" in why]
        assert unknown
        assert all(why == "another process is at it" for why in told if why not in unknown)
        numbers = [event.number for event in journal.events(name)]
        assert len(numbers) == len({*numbers})
        assert len([event for event in journal.events(name) if event.event == "sent"]) == 1


def test_runs_go_on_through_a_restart_of_the_database() -> None:
    """Each event is there once, though it was kept again where that was not known."""
    with running_postgres() as server, PostgresJournal(server.url(), patience_s=60) as journal:
        sessions = [journal.start(OPENING) for _ in range(4)]

        def run(number: int) -> None:
            for place in range(200):
                sessions[number].append(str(place + 1), "step", {"step": "say"})

        with ThreadPoolExecutor(4) as pool:
            working = [pool.submit(run, number) for number in range(4)]
            while len([*journal.events(sessions[0].id)]) < 20:
                time.sleep(0.01)
            server.crash()
            server.start()
            for work in working:
                work.result()
        for session in sessions:
            assert [event.number for event in journal.events(session.id)] == [*range(1, 201)]
            session.release()
            journal.resume(session.id).release()


def test_tenants_see_their_own_runs_alone(postgres: PostgresServer) -> None:
    """By the queries, and for a role that is no superuser by the rows too."""
    one, two = secrets.token_hex(4), secrets.token_hex(4)
    with PostgresJournal(postgres.url(tenant=one)) as journal:
        session = journal.start(OPENING)
        session.append("1", "step", {"step": "say"})
        session.release()
        with PostgresJournal(postgres.url(tenant=two)) as other:
            assert other.sessions() == ()
            assert [*other.events(session.id)] == []
            assert other.delete([session.id]) == 0
            with pytest.raises(UnusableSession, match="there is no session"):
                other.resume(session.id)
        with psycopg.connect(postgres.url(), autocommit=True) as base:
            role = f"app_{one}"
            base.execute(f"create role {role} login password '{PASSWORD}'".encode())
            for grant in (
                "usage on schema",
                "select, insert, update, delete on all tables in schema",
            ):
                base.execute(f"grant {grant} restwright to {role}".encode())
        with PostgresJournal(postgres.url(user=role, tenant=two)) as other:
            other.start(OPENING).release()
            query = "select count(*) from restwright.sessions"
            assert other._database.rows(query, {}) == [(1,)]
            insert = "insert into restwright.turns values ('x', 'c', 1, 's')"
            with pytest.raises(OSError, match="row-level security"):
                other._database.change(insert, {})


def test_the_tables_are_made_once_whoever_comes_first() -> None:
    with running_postgres() as server:
        with ThreadPoolExecutor(6) as pool:
            made = [*pool.map(lambda _: PostgresJournal(server.url()), range(6))]
        for journal in made:
            journal.start(OPENING).release()
            journal.close()
        with psycopg.connect(server.url(), autocommit=True) as base:
            kept = base.execute("select number from restwright.migrations order by 1").fetchall()
            assert kept == [(number + 1,) for number in range(len(MIGRATIONS))]
            base.execute("insert into restwright.migrations values (99)")
        with pytest.raises(UsageError, match="its tables are of version 99"):
            PostgresJournal(server.url())


PASSWORDS = (PASSWORD, QUOTED, "canary", "wrong")


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://restwright:canary-wrong@127.0.0.1:PORT/postgres",
        "postgresql://restwright:canary@127.0.0.1:1/postgres",
        "postgresql://restwright@127.0.0.1:PORT/postgres?password=canary-wrong",
        "postgresql://restwright:canary@127.0.0.1:PORT/none",
        "postgresql://restwright:canary@127.0.0.1:x/postgres",
        "postgresql://restwright:canary/pass@127.0.0.1/postgres",
        "postgresql://restwright:can@ary@127.0.0.1/postgres",
        "postgresql://u:canary@127.0.0.1/postgres?wrong=canary",
    ],
)
def test_a_password_is_in_no_error_and_no_log(
    postgres: PostgresServer, wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises((OSError, UsageError)) as caught:
        PostgresJournal(wrong.replace("PORT", str(postgres.port)))
    error: BaseException | None = caught.value
    while error is not None:
        told = f"{error} {error!r} {getattr(error, 'filename', '')} {getattr(error, 'hint', '')}"
        assert "canary" not in told
        error = error.__cause__
    assert "canary" not in caplog.text


def test_where_it_is_is_shown_without_its_password(url: str) -> None:
    with PostgresJournal(url) as journal:
        assert journal.where.startswith("postgresql://restwright@127.0.0.1:")
        assert "canary" not in repr(vars(journal))


def test_its_connections_notice_a_machine_that_is_gone(url: str) -> None:
    with PostgresJournal(f"{url}&keepalives_idle=7") as journal:
        found = journal.database.run(lambda connection: connection.info.get_parameters())
    wanted = {"keepalives_idle": "7", "keepalives_interval": "5", "keepalives_count": "3"}
    assert wanted.items() <= found.items()
    assert found["tcp_user_timeout"] == "25000"


def test_a_url_is_taken_apart() -> None:
    found = parse_address("postgres://u:p%40%2F@h:1,g:2/d?tenant=t&sslmode=require")
    assert found.url == "postgresql://u@h:1,g:2/d?sslmode=require"
    assert (found.tenant, found.secrets) == ("t", {"password": "p@/"})


def test_what_lies_in_the_tables_can_be_queried_unless_it_is_sealed(
    postgres: PostgresServer, url: str
) -> None:
    key = Secret(b64encode(bytes(32)).decode())
    with PostgresJournal(url) as journal, PostgresJournal(url, key=key) as sealing:
        plain, sealed = died_while_paying(journal), died_while_paying(sealing)
    tools = "select data ->> 'tool' from restwright.events where session = %s and event = 'step'"
    kept = "select octets from restwright.events where session = %s"
    with psycopg.connect(postgres.url()) as base:
        assert base.execute(tools, (plain,)).fetchall() == [("shop__pay",)]
        assert base.execute(tools, (sealed,)).fetchall() == [(None,)]
        assert all(b"shop__pay" not in octets for (octets,) in base.execute(kept, (sealed,)))
        # What is put in another place is no content of that.
        move = "update restwright.events a set octets = b.octets from restwright.events b where"
        same = "a.session = %(s)s and b.session = %(s)s and a.number = 2 and b.number = 1"
        base.execute(f"{move} {same}".encode(), {"s": sealed})
    with (
        PostgresJournal(url, key=key) as sealing,
        pytest.raises(UnusableSession, match="damaged"),
    ):
        sealing.resume(sealed)
