"""What a transport knows of a request that got no usable answer, or one after several attempts."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.net.drivers import QUICK, Driver, both, failure, response
from tests.support.net.faulty import Faulty, http, post, reset
from tests.support.net.faulty import faulty as faulty  # noqa: PLC0414 - a fixture

from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.errors import NoResponse, ResponseTooLarge
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.retry import Retry
from restwright.net.http.transport import Transport
from restwright.net.messages import Response
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

ROWS = json.loads(
    (Path(__file__).parents[1] / "adversarial" / "answers_to_writes.json").read_text("utf-8")
)
MOST = 2_000
TOOLS = catalog(load(document({"/x": {"post": {"operationId": "add"}}}), alias="shop"))


def row_id(row: dict[str, Any]) -> str:
    return row["name"]


@both
@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_a_failure_keeps_the_status_that_came_before_it(
    faulty: Faulty, drive: Driver, row: dict[str, Any]
) -> None:
    faulty.answers = (row["answer"].encode("latin-1"),)
    (outcome,) = drive(post(faulty.url, is_named=True), max_bytes=MOST)
    assert isinstance(outcome, Response | NoResponse | ResponseTooLarge)
    assert outcome.status == row["status"]


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_what_is_answered_to_a_write_says_whether_it_took_effect(
    faulty: Faulty, row: dict[str, Any]
) -> None:
    faulty.answers = (row["answer"].encode("latin-1"),)
    connection = Connection(server=faulty.url)
    with Transport(max_bytes=MOST, timeout_s=5.0) as send:
        result = call(TOOLS["shop__add"], {}, connection=connection, send=send, approve=approve_all)
    assert (result.effect, result.was_sent, len(faulty.requests)) == (row["effect"], True, 1)
    assert ("whether it took effect is unknown" in result.text) == (row["effect"] == "unknown")
    assert result.ok or ("do not repeat it" in result.text) == (row["effect"] == "done")


def once(host: str) -> Callable[..., list[str]]:
    """Find the address of `host` the first time, and then none."""
    addresses = [host]
    return lambda *_: [addresses.pop()] if addresses else []


@both
@pytest.mark.parametrize("method", ["DELETE", "PUT"])
def test_a_write_whose_repetition_cannot_be_sent_was_sent(
    faulty: Faulty, drive: Driver, method: str
) -> None:
    faulty.answers = (reset,)
    request = post(faulty.url.replace("127.0.0.1", "shop.test"), method, is_named=True)
    error = failure(drive(request, retry=QUICK, resolve=once("127.0.0.1"))[0])
    assert isinstance(error, NoResponse)
    assert (error.sent, len(faulty.requests)) == (True, 1)


@both
def test_a_write_whose_repetition_is_refused_was_sent(faulty: Faulty, drive: Driver) -> None:
    faulty.answers = (reset,)
    addresses = ["169.254.169.254", "127.0.0.1"]
    request = post(faulty.url.replace("127.0.0.1", "shop.test"), "PUT", is_named=True)
    resolve = lambda *_: [addresses.pop()]  # noqa: E731
    error = failure(drive(request, retry=QUICK, resolve=resolve)[0])
    assert isinstance(error, NoResponse)
    assert (error.sent, len(faulty.requests)) == (True, 1)


@both
def test_a_response_says_how_often_the_request_went_out(faulty: Faulty, drive: Driver) -> None:
    faulty.answers = (reset, http("404 Not Found"))
    first, second = drive(*[post(faulty.url, "DELETE", is_named=True)] * 2, retry=QUICK)
    assert (response(first).status, response(first).attempts) == (404, 2)
    assert response(second).attempts == 1


@both
def test_a_repetition_that_is_refused_keeps_no_status_that_the_first_may_have_caused(
    faulty: Faulty, drive: Driver
) -> None:
    faulty.answers = (reset, http("404 Not Found", body=b"x" * 99))
    request = post(faulty.url, "DELETE", is_named=True)
    error = failure(drive(request, retry=QUICK, max_bytes=50)[0])
    assert (type(error), getattr(error, "status", 0)) == (ResponseTooLarge, None)


METHODS = pytest.mark.parametrize(("method", "notes"), [("DELETE", 1), ("PUT", 1), ("GET", 0)])
LONG = Retry(min_delay_s=5.0, initial_delay_s=5.0)


@METHODS
def test_an_interrupted_pause_says_that_the_outcome_of_a_write_is_unknown(
    faulty: Faulty, method: str, notes: int
) -> None:
    main = threading.get_ident()

    def interrupting(connection: socket.socket) -> None:
        reset(connection)
        connection.close()
        time.sleep(0.05)
        signal.pthread_kill(main, signal.SIGINT)

    faulty.answers = (interrupting,)
    with Transport(retry=LONG) as send, pytest.raises(KeyboardInterrupt) as caught:
        send(post(faulty.url, method, is_named=True))
    expected = [f"{method} {faulty.url} was sent; its outcome is unknown"] * notes
    assert getattr(caught.value, "__notes__", []) == expected


async def cancelled(call: Awaitable[object], reached: threading.Event) -> list[str]:
    """The notes on what ends a task that is cancelled once a point is reached."""
    task = asyncio.ensure_future(call)
    await asyncio.to_thread(reached.wait, 5)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError as error:
        return getattr(error, "__notes__", [])
    raise AssertionError("it was not cancelled")


def waiting(connection: socket.socket) -> None:
    """Say nothing until the client is gone."""
    connection.recv(1)


@METHODS
@pytest.mark.parametrize("answer", [waiting, reset], ids=["waiting", "pausing"])
def test_a_cancelled_write_says_that_its_outcome_is_unknown_whatever_its_method(
    faulty: Faulty, method: str, notes: int, answer: Callable[[socket.socket], None]
) -> None:
    answered = threading.Event()

    def then(connection: socket.socket) -> None:
        answered.set()
        answer(connection)

    faulty.answers = (then,)

    async def run() -> list[str]:
        async with AsyncTransport(retry=LONG) as send:
            call = send(post(faulty.url, method, is_named=True))
            return await cancelled(call, answered)

    assert asyncio.run(run()) == [f"{method} {faulty.url} was sent; its outcome is unknown"] * notes
