"""Tokens that machines share: one refresh for all, and no refresh token that is sent twice."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.support.authorization_server import AuthorizationServer, authorization_server
from tests.support.oauth import API, Clock, client_of, scheme_of
from tests.support.postgres import PASSWORD, QUOTED, PostgresServer, running_postgres

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.calls.auth.oauth.driver import obtain_access_token, obtain_access_token_async
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.oauth.token_cache import TokenCache, TokenFiles
from restwright.errors import NoResponse, NoToken
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("postgres")]

ROOT = Path(__file__).parents[4]
PROGRAM = ROOT / "tests" / "support" / "programs" / "token_worker.py"
KEY = b64encode(bytes(range(32))).decode()
FIRST = "refresh-canary-0"


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.url(tenant=secrets.token_hex(4))


@pytest.fixture
def server() -> Generator[AuthorizationServer]:
    with authorization_server() as running:
        running.refresh_tokens.add(FIRST)
        yield running


def worker(stack: ExitStack, url: str, server: AuthorizationServer, how: str = "plain") -> Any:
    return stack.enter_context(
        subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, PROGRAM, url, server.url, how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "RESTWRIGHT_JOURNAL_KEY": KEY},
        )
    )


def begin(workers: list[Any]) -> None:
    for process in workers:
        assert process.stdout.readline() == "ready\n"
    for process in workers:
        process.stdin.write("\n")
        process.stdin.flush()


def wanted_of(server: AuthorizationServer, tokens: TokenCache, **more: Any) -> TokenRequest:
    given = {"refresh_token": Secret(FIRST), "tokens": tokens} | more
    return TokenRequest(client=client_of(server, **given), scheme=scheme_of(server), api_origin=API)


def sent_refresh_tokens(server: AuthorizationServer) -> list[str]:
    return [form["refresh_token"] for form in server.forms]


def test_eight_processes_at_once_ask_for_one_token(url: str, server: AuthorizationServer) -> None:
    with ExitStack() as stack:
        workers = [worker(stack, url, server) for _ in range(8)]
        begin(workers)
        assert {process.stdout.readline() for process in workers} == {"access-canary-1\n"}
    assert sent_refresh_tokens(server) == [FIRST]


def test_a_refresh_token_of_who_was_killed_is_not_sent_again(
    url: str, server: AuthorizationServer
) -> None:
    with ExitStack() as stack:
        killed = worker(stack, url, server, "killed")
        begin([killed])
        assert killed.wait() == -signal.SIGKILL
        other = worker(stack, url, server)
        begin([other])
        assert "refresh_token_spent" in other.stdout.readline()
    assert sent_refresh_tokens(server) == [FIRST]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
def test_who_is_woken_past_its_lease_sends_a_refresh_token_that_nobody_else_did(
    url: str, server: AuthorizationServer
) -> None:
    with ExitStack() as stack:
        stopped, other = worker(stack, url, server, "stopped"), worker(stack, url, server)
        begin([stopped])
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
        begin([other])
        assert "refresh_token_spent" in other.stdout.readline()
        stopped.send_signal(signal.SIGCONT)
        assert stopped.stdout.readline() == "access-canary-1\n"
    assert sent_refresh_tokens(server) == [FIRST]


def test_a_token_that_expired_is_refreshed_by_what_another_one_was_given(
    url: str, server: AuthorizationServer
) -> None:
    clock = Clock()
    with ExitStack() as stack:
        send = stack.enter_context(Transport())
        machines = [stack.enter_context(PostgresJournal(url, key=Secret(KEY))) for _ in range(2)]
        caches = [TokenCache(now=clock, store=of_store(journal)) for journal in machines]
        found: list[str] = []
        for number in range(4):
            token = obtain_access_token(wanted_of(server, caches[number % 2]), send)
            found.append(token.reveal() if token else "")
            clock.seconds += 4000
    assert found == [f"access-canary-{number}" for number in range(1, 5)]
    assert sent_refresh_tokens(server) == [f"refresh-canary-{number}" for number in range(4)]


def of_store(journal: PostgresJournal) -> Any:
    return journal.shared_limits().tokens.store


def test_a_token_that_a_server_refused_is_replaced_for_all(
    url: str, server: AuthorizationServer
) -> None:
    with ExitStack() as stack:
        send = stack.enter_context(Transport())
        journals = [stack.enter_context(PostgresJournal(url, key=Secret(KEY))) for _ in range(2)]
        one, other = (wanted_of(server, journal.shared_limits().tokens) for journal in journals)
        refused = obtain_access_token(one, send)
        assert refused is not None
        assert obtain_access_token(other, send) == refused
        assert one.client.tokens.drop(one.cache_key(), refused)
        newer = obtain_access_token(one, send)
        assert newer != refused
        assert other.client.tokens.drop(other.cache_key(), refused)
        assert obtain_access_token(other, send) == newer
    assert server.issued == 2


def test_loops_share_tokens_too(url: str, server: AuthorizationServer) -> None:
    async def ask() -> set[str]:
        with (
            PostgresJournal(url, key=Secret(KEY)) as one,
            PostgresJournal(url, key=Secret(KEY)) as two,
        ):
            async with AsyncTransport() as send:
                wanted = [wanted_of(server, each.shared_limits().tokens) for each in [one, two] * 4]
                asked = [obtain_access_token_async(each, send) for each in wanted]
                return {token.reveal() for token in await asyncio.gather(*asked)}

    assert asyncio.run(ask()) == {"access-canary-1"}
    assert server.issued == 1


@pytest.mark.parametrize("sent", [False, True])
def test_a_server_that_is_not_reached_has_not_seen_the_refresh_token(
    url: str, server: AuthorizationServer, sent: bool
) -> None:
    def lost(request: Request) -> Response:
        raise NoResponse(request.url, "lost", sent=sent)

    with PostgresJournal(url, key=Secret(KEY)) as journal, Transport() as send:
        wanted = wanted_of(server, journal.shared_limits().tokens)
        with pytest.raises(NoToken, match="no_response"):
            obtain_access_token(wanted, lost)
        if sent:
            with pytest.raises(NoToken, match="refresh_token_spent"):
                obtain_access_token(wanted, send)
        else:
            assert obtain_access_token(wanted, send) == Secret("access-canary-1")


@pytest.mark.parametrize(("status", "is_spent"), [(400, False), (503, False), (500, True)])
def test_what_a_server_refuses_is_not_spent(
    url: str, server: AuthorizationServer, status: int, is_spent: bool
) -> None:
    def refused(request: Request) -> Response:
        del request
        return Response(status=status, body=b'{"error": "temporarily_unavailable"}')

    with PostgresJournal(url, key=Secret(KEY)) as journal, Transport() as send:
        wanted = wanted_of(server, journal.shared_limits().tokens)
        with pytest.raises(NoToken):
            obtain_access_token(wanted, refused)
        if is_spent:
            with pytest.raises(NoToken, match="refresh_token_spent"):
                obtain_access_token(wanted, send)
        else:
            assert obtain_access_token(wanted, send) == Secret("access-canary-1")


def test_a_refresh_token_that_the_server_keeps_is_sent_again(
    url: str, server: AuthorizationServer
) -> None:
    def lost(request: Request) -> Response:
        raise NoResponse(request.url, "lost", sent=True)

    server.rotates, clock = False, Clock()
    with PostgresJournal(url, key=Secret(KEY)) as journal, Transport() as send:
        wanted = wanted_of(server, TokenCache(now=clock, store=of_store(journal)))
        assert obtain_access_token(wanted, send) == Secret("access-canary-1")
        clock.seconds += 4000
        with pytest.raises(NoToken, match="no_response"):
            obtain_access_token(wanted, lost)
        assert obtain_access_token(wanted, send) == Secret("access-canary-2")


def test_tokens_are_sealed_and_nobody_reads_them_with_another_key(
    postgres: PostgresServer, url: str, server: AuthorizationServer
) -> None:
    with PostgresJournal(url, key=Secret(KEY)) as journal, Transport() as send:
        obtain_access_token(wanted_of(server, journal.shared_limits().tokens), send)
        with psycopg.connect(postgres.url()) as base:
            rows = base.execute("select t::text from restwright.tokens t").fetchall()
        assert rows
        assert not [row for row in rows if "canary" in row[0]]
        other_key = Secret(b64encode(bytes(32)).decode())
        other = PostgresJournal(url, key=other_key)
        with other, pytest.raises(NoToken, match="sealed with another key"):
            obtain_access_token(wanted_of(server, other.shared_limits().tokens), send)


def test_without_a_key_no_token_is_in_the_database(
    postgres: PostgresServer,
    url: str,
    server: AuthorizationServer,
) -> None:
    tenant = url.partition("tenant=")[2]
    with PostgresJournal(url) as journal, Transport() as send:
        shared = journal.shared_limits()
        assert not shared.shares_tokens
        assert isinstance(shared.tokens.store, TokenFiles)
        obtain_access_token(wanted_of(server, shared.tokens), send)
    with psycopg.connect(postgres.url()) as base:
        count = "select count(*) from restwright.tokens where tenant = %s"
        assert base.execute(count, (tenant,)).fetchone() == (0,)


def test_without_its_database_nobody_asks_for_a_token(server: AuthorizationServer) -> None:
    with running_postgres() as postgres, ExitStack() as stack:
        journal = PostgresJournal(postgres.url(), key=Secret(KEY), patience_s=0.5)
        stack.enter_context(journal)
        send = stack.enter_context(Transport())
        wanted = wanted_of(server, journal.shared_limits().tokens)
        clock = Clock()
        aging = wanted_of(server, TokenCache(now=clock, store=of_store(journal)))
        assert obtain_access_token(wanted, send) == Secret("access-canary-1")
        postgres.crash()
        assert obtain_access_token(wanted, send) == Secret("access-canary-1")
        assert not wanted.client.tokens.drop(wanted.cache_key(), Secret("access-canary-1"))
        with pytest.raises(NoToken, match="does not answer") as caught:
            obtain_access_token(aging, send)
        told = str(caught.value) + str(caught.value.__cause__)
        assert PASSWORD not in told
        assert QUOTED not in told
        assert server.issued == 1


def test_a_token_that_could_not_be_kept_is_kept_later(server: AuthorizationServer) -> None:
    with running_postgres() as postgres, ExitStack() as stack:
        journals = [
            stack.enter_context(PostgresJournal(postgres.url(), key=Secret(KEY), patience_s=0.5))
            for _ in range(2)
        ]
        send = stack.enter_context(Transport())

        def crashing(request: Request) -> Response:
            response = send(request)
            postgres.crash()
            return response

        one, other = (wanted_of(server, journal.shared_limits().tokens) for journal in journals)
        with pytest.raises(NoToken, match="does not answer"):
            obtain_access_token(one, crashing)
        # Who has it uses it already.
        assert obtain_access_token(one, send) == Secret("access-canary-1")
        postgres.start()
        until = time.monotonic() + 60
        while not one.client.tokens.drop(one.cache_key(), Secret("another")):
            assert time.monotonic() < until
            time.sleep(0.1)
        assert obtain_access_token(other, send) == Secret("access-canary-1")
    assert sent_refresh_tokens(server) == [FIRST]
