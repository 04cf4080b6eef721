"""Limits of requests that several machines share: by transports, processes, and those killed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.net.busy_server import BusyServer, running_busy_server
from tests.support.postgres import PASSWORD, QUOTED, PostgresServer, running_postgres

from restwright.agents.journal.postgres import limit_schema as sql
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.errors import NoResponse
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.retry import Retry
from restwright.net.http.throttle import LocalTraffic, TransportLimits, Turn
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin, OriginRules, parse_origin

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("postgres")]

ROOT = Path(__file__).parents[4]
PROGRAM = ROOT / "tests" / "support" / "programs" / "limited_worker.py"
ORIGIN = Origin("http", "h", 80)
ONCE = Retry(attempts=1)


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.url(tenant=secrets.token_hex(4))


@pytest.fixture
def server() -> Generator[BusyServer]:
    with running_busy_server() as running:
        yield running


def sharing(stack: ExitStack, url: str, server: str, **limits: Any) -> Transport:
    """The transport of a machine of its own."""
    journal = stack.enter_context(PostgresJournal(url))
    return stack.enter_context(
        Transport(
            timeout_s=limits.pop("timeout_s", 30),
            retry=ONCE,
            rules=OriginRules(named=frozenset({parse_origin(server)})),
            limits=TransportLimits(**limits),
            shared=journal.shared_limits(),
        )
    )


def got(url: str, method: str = "GET") -> Request:
    return Request(method=method, url=url)


class Clock:
    """Seconds that grow when told to, here and for the functions of the database."""

    def __init__(self, base: psycopg.Connection[Any], limits: TransportLimits) -> None:
        self.base, self.limits, self.now = base, limits, 0.0
        self.tenant = secrets.token_hex(8)

    def __call__(self) -> float:
        return self.now

    def _values(self, **values: object) -> dict[str, object]:
        limits = self.limits
        return {
            "tenant": self.tenant,
            "origin": str(ORIGIN),
            "max_concurrent": limits.max_concurrent,
            "every_s": limits.every_s,
            "max_failures": limits.max_failures,
            "cooldown_s": limits.cooldown_s,
            "now": datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=self.now),
            **values,
        }

    def admit(self, id_: str, *, is_retry: bool = False, left_s: float = 30) -> tuple[str, float]:
        values = self._values(id=id_, is_retry=is_retry, left_s=left_s)
        return self.base.execute(sql.ADMIT, values).fetchone() or ("", 0.0)

    def finish(self, id_: str, has_failed: bool | None = False, rest_s: float = 0.0) -> bool:
        values = self._values(id=id_, has_failed=has_failed, rest_s=rest_s)
        return bool((self.base.execute(sql.FINISH, values).fetchone() or [None])[0])


@pytest.fixture
def base(postgres: PostgresServer) -> Generator[psycopg.Connection[Any]]:
    # Its tables are all that is wanted: threads of a pool take random numbers from the strategies.
    PostgresJournal(postgres.url()).close()
    with psycopg.connect(postgres.url(), autocommit=True) as base:
        yield base


EIGHTHS = st.integers(0, 40).map(lambda number: number / 8)
laws = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@laws
@given(
    st.lists(st.tuples(EIGHTHS, st.booleans(), st.booleans(), EIGHTHS), max_size=12),
    st.sampled_from([None, 0.5, 4.0]),
)
def test_the_database_reckons_as_one_process_does(
    base: psycopg.Connection[Any],
    story: list[tuple[float, bool, bool, float]],
    per_second: float | None,
) -> None:
    limits = TransportLimits(
        per_second=per_second, max_failures=2, cooldown_s=3, max_concurrent=1000
    )
    clock = Clock(base, limits)
    local = LocalTraffic(limits, clock)
    for number, (passed_s, is_retry, has_failed, rest_s) in enumerate(story):
        clock.now += passed_s
        turn = Turn(origin=ORIGIN, is_retry=is_retry)
        said, here = clock.admit(str(number), is_retry=is_retry), local.admit(turn)
        assert said == (here.verdict, pytest.approx(here.seconds, abs=1e-5))
        if said[0] == "go":
            asked = 0.0 if has_failed else rest_s
            told = clock.finish(str(number), has_failed, asked)
            assert told == local.report(turn, has_failed=has_failed, rest_s=asked)


@laws
@given(st.lists(st.tuples(EIGHTHS, st.sampled_from("anfx"), st.integers(0, 9)), max_size=40))
def test_no_more_are_let_go_than_may_be_and_first_come_is_first_served(
    base: psycopg.Connection[Any], story: list[tuple[float, str, int]]
) -> None:
    clock = Clock(base, TransportLimits(max_concurrent=2))
    going: dict[str, float] = {}
    waiting: dict[str, float] = {}
    for number, (passed_s, what, chosen) in enumerate(story):
        clock.now += passed_s / 8
        going = {id_: until for id_, until in going.items() if until >= clock.now}
        queue = [id_ for id_, until in waiting.items() if until >= clock.now]
        waiting = {id_: waiting[id_] for id_ in queue}
        if what == "x" and going:
            id_ = [*going][chosen % len(going)]
            clock.finish(id_)
            del going[id_]
            continue
        id_ = queue[chosen % len(queue)] if what == "n" and queue else str(number)
        before = queue.index(id_) if id_ in queue else len(queue)
        verdict, seconds = clock.admit(id_, left_s=3)
        assert (verdict == "go") == (len(going) + before < 2)
        if verdict == "go":
            waiting.pop(id_, None)
            going[id_] = clock.now + 4
        else:
            assert 0 < seconds <= 5
            waiting[id_] = clock.now + 2 + 3 * seconds
        assert len(going) <= 2


def test_a_question_that_is_asked_again_takes_one_place_and_counts_once(
    base: psycopg.Connection[Any],
) -> None:
    clock = Clock(base, TransportLimits(max_concurrent=1, per_second=1, max_failures=2))
    assert [clock.admit("a"), clock.admit("a")] == [("go", 0), ("go", 0)]
    assert clock.admit("b")[0] == "wait"
    assert [clock.finish("a", True), clock.finish("a", True)] == [True, True]
    assert clock.admit("b") == ("go", 1)


def test_a_request_that_waits_is_one_of_which_retries_are_a_share(url: str) -> None:
    limits = TransportLimits(max_concurrent=1, retry_share=0.5, spare_retries=0)
    with PostgresJournal(url) as journal:
        traffic = journal.shared_limits().traffic(limits)
        first, second = Turn(origin=ORIGIN, left_s=30), Turn(origin=ORIGIN, left_s=30)
        assert traffic.admit(first).verdict == "go"
        assert {traffic.admit(second).verdict for _ in range(10)} == {"wait"}
        assert [traffic.is_retry_allowed(ORIGIN) for _ in range(3)] == [True, False, False]
        traffic.report(first, has_failed=False)
        assert traffic.admit(second).verdict == "go"


def test_transports_together_keep_to_the_places_of_one(url: str, server: BusyServer) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(18) as pool:
        sends = [sharing(stack, url, server.url, max_concurrent=3) for _ in range(3)]
        asked = [pool.submit(send, got(server.url)) for send in sends * 14]
        assert {future.result().status for future in asked} == {200}
    assert server.most == 3
    assert len(server.starts) == 42


def test_loops_together_keep_to_the_places_of_one(url: str, server: BusyServer) -> None:
    async def ask(stack: ExitStack) -> list[int]:
        rules = OriginRules(named=frozenset({parse_origin(server.url)}))
        limits = TransportLimits(max_concurrent=2)
        async with (
            AsyncTransport(rules=rules, limits=limits, shared=journals(stack)) as one,
            AsyncTransport(rules=rules, limits=limits, shared=journals(stack)) as two,
        ):
            answers = await asyncio.gather(*(send(got(server.url)) for send in [one, two] * 10))
        return [answer.status for answer in answers]

    def journals(stack: ExitStack) -> Any:
        return stack.enter_context(PostgresJournal(url)).shared_limits()

    with ExitStack() as stack:
        assert set(asyncio.run(ask(stack))) == {200}
    assert server.most == 2


def worker(url: str, server: str, requests: int, threads: int, **limits: Any) -> Any:
    return subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, PROGRAM, url, server, str(requests), str(threads), json.dumps(limits)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def begin(workers: list[Any]) -> float:
    for process in workers:
        assert process.stdout.readline() == "ready\n"
    began = time.monotonic()
    for process in workers:
        process.stdin.write("\n")
        process.stdin.flush()
    return began


def test_processes_together_keep_to_the_places_and_the_pace_of_one(
    url: str, server: BusyServer
) -> None:
    limits = {"max_concurrent": 2, "per_second": 20}
    with ExitStack() as stack:
        workers = [worker(url, server.url, 10, 5, **limits) for _ in range(3)]
        for process in workers:
            stack.enter_context(process)
        began = begin(workers)
        assert [int(process.stdout.readline()) for process in workers] == [10, 10, 10]
    assert server.most <= 2
    # However late each of them is, none comes before its turn.
    starts = sorted(server.starts)
    assert [at for number, at in enumerate(starts) if at < began + number / 20] == []


def test_a_place_of_who_was_killed_comes_free(url: str, server: BusyServer) -> None:
    server.takes_s = 60
    with worker(url, server.url, 1, 1, max_concurrent=1) as process:
        begin([process])
        while not server.starts:
            time.sleep(0.02)
        process.kill()
    server.takes_s = 0
    with ExitStack() as stack:
        # Its request would have been over in 30 s: here the time is put forward.
        base = stack.enter_context(psycopg.connect(url.partition("?")[0], autocommit=True))
        send = sharing(stack, url, server.url, max_concurrent=1, timeout_s=3)
        with pytest.raises(NoResponse, match="others to its origin did not end in time") as caught:
            send(got(server.url))
        assert not caught.value.sent
        forward = "update restwright.places set until = until - interval '31 s' where tenant = %s"
        base.execute(forward, (url.partition("tenant=")[2],))
        assert send(got(server.url)).status == 200


def test_who_waits_and_is_gone_stands_in_nobody_s_way(base: psycopg.Connection[Any]) -> None:
    clock = Clock(base, TransportLimits(max_concurrent=1))
    assert clock.admit("a")[0] == "go"
    for number in range(20):
        assert clock.admit(f"gone {number}")[0] == "wait"
    clock.finish("a")
    assert clock.admit("b")[0] == "wait"
    clock.now = 4
    assert clock.admit("b")[0] == "go"


def test_an_origin_that_fails_is_left_alone_by_everybody(url: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with ExitStack() as stack:
            one = sharing(stack, url, nowhere, max_failures=2)
            other = sharing(stack, url, nowhere, max_failures=2)
            stranger = sharing(stack, f"{url}x", nowhere, max_failures=2)
            for _ in range(2):
                with pytest.raises(NoResponse, match="refused"):
                    one(got(nowhere))
            with pytest.raises(NoResponse, match="did not answer several times in a row"):
                other(got(nowhere))
            with pytest.raises(NoResponse, match="refused"):
                stranger(got(nowhere))


def test_a_retry_after_is_for_everybody(url: str, server: BusyServer) -> None:
    server.answers = [(429, {"retry-after": "1"})]
    with ExitStack() as stack:
        one, other = (sharing(stack, url, server.url) for _ in range(2))
        assert one(got(server.url, "POST")).status == 429
        assert other(got(server.url)).status == 200
        server.answers = [(503, {"retry-after": "9"})]
        assert other(got(server.url)).status == 503
        hasty = sharing(stack, url, server.url, timeout_s=2)
        with pytest.raises(NoResponse, match=r"its turn comes in \d s, after the deadline"):
            hasty(got(server.url))
    first, second, *_ = server.starts
    assert second - first >= 1


def test_a_wait_that_is_cancelled_leaves_no_place_behind(url: str, server: BusyServer) -> None:
    server.takes_s = 30

    async def ask() -> None:
        rules = OriginRules(named=frozenset({parse_origin(server.url)}))
        limits = TransportLimits(max_concurrent=1)
        with PostgresJournal(url) as journal:
            shared = journal.shared_limits()
            async with AsyncTransport(rules=rules, limits=limits, shared=shared) as send:
                tasks = [asyncio.create_task(send(got(server.url))) for _ in range(3)]
                await asyncio.sleep(0.5)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                server.takes_s = 0
                began = time.monotonic()
                assert (await send(got(server.url))).status == 200
                assert time.monotonic() - began < 20

    asyncio.run(ask())


def test_without_its_database_a_read_keeps_to_its_own_limits_and_no_write_is_sent(
    server: BusyServer, caplog: pytest.LogCaptureFixture
) -> None:
    with running_postgres() as postgres, ExitStack() as stack:
        send = sharing(stack, postgres.url(), server.url, timeout_s=4)
        assert send(got(server.url, "POST")).status == 200
        postgres.crash()
        with caplog.at_level(logging.DEBUG):
            assert send(got(server.url)).status == 200
            began = time.monotonic()
            assert send(got(server.url)).status == 200
            assert time.monotonic() - began < 2
            with pytest.raises(NoResponse, match="limits that machines share") as caught:
                send(got(server.url, "POST"))
        assert not caught.value.sent
        assert server.methods == ["POST", "GET", "GET"]
        warned = [record for record in caplog.records if record.name == "restwright.limits"]
        assert len(warned) == 1
        told = "".join([caplog.text, str(caught.value), str(caught.value.__cause__)])
        assert PASSWORD not in told
        assert QUOTED not in told
        postgres.start()
        until = time.monotonic() + 60
        while len(server.methods) == 3:
            with suppress(NoResponse):
                assert send(got(server.url, "POST")).status == 200
            assert time.monotonic() < until
