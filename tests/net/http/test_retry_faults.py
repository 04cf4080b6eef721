"""Servers that fail in every way, and how often something happens on them then."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from tests.support.net.drivers import QUICK, Driver, both, failure, response
from tests.support.net.faulty import OK, Answer, Faulty, http, post, reset
from tests.support.net.faulty import faulty as faulty  # noqa: PLC0414 - a fixture

from restwright.errors import NoResponse
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.throttle import TransportLimits
from restwright.net.messages import Request, Response

KEY = (("Idempotency-Key", "k1"),)


def reset_after(start: bytes) -> Callable[[socket.socket], None]:
    """Send `start`, and reset the connection once it has arrived."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(start)
        time.sleep(0.02)
        reset(connection)

    return answer


def half_closed(connection: socket.socket) -> None:
    """Say nothing more, and go on listening."""
    connection.sendall(CUT)
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def drip(start: bytes, drop: bytes = b"x") -> Callable[[socket.socket], None]:
    """Send `start`, and then `drop` after `drop`: each comes long before any timeout."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(start)
        with suppress(OSError):
            for _ in range(200):
                time.sleep(0.01)
                connection.sendall(drop)

    return answer


def retry_after(value: str) -> bytes:
    return http("429 Too Many Requests", f"Retry-After: {value}")


CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LATER = http("429 Too Many Requests")
# name: (what each attempt is answered, attempts of what may be repeated)
FAULTS: dict[str, tuple[Sequence[Answer], int]] = {
    "closed after the request": ([b""], 3),
    "reset after the request": ([reset], 3),
    "reset in the headers": ([reset_after(b"HTTP/1.1 200 OK\r\nX: ")], 3),
    "reset in the body": ([reset_after(CUT)], 3),
    "half-closed in the body": ([half_closed], 3),
    "cut in the status line": ([b"HTTP/1."], 3),
    "cut in the headers": ([b"HTTP/1.1 200 OK\r\nContent-"], 3),
    "cut in the body": ([http("200 OK")[:-1]], 3),
    "cut in a chunk": ([CHUNKED + b"5\r\nab"], 3),
    "chunk without a size": ([CHUNKED + b"zz\r\n"], 3),
    "chunk of a size without end": ([CHUNKED + b"f" * 99 + b"\r\n"], 3),
    "chunk that is longer than it says": ([CHUNKED + b"1\r\nabc\r\n0\r\n\r\n"], 3),
    "chunks without the last": ([CHUNKED + b"1\r\na\r\n"], 3),
    "more after chunks": ([CHUNKED + b"1\r\na\r\n0\r\n\r\n" + OK], 1),
    "not HTTP": ([b"SSH-2.0-OpenSSH_9\r\n\r\n"], 3),
    "a header of 200 kB": ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"], 3),
    "longer than it says": ([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1"], 1),
    "a second response": ([OK + OK], 1),
    "204 with a body": ([b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"], 1),
    "a length below zero": ([b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}"], 3),
    "a length that is no number": ([b"HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\n{}"], 3),
    "a length over the cap": ([b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}"], 1),
    "a length and chunks": (
        [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + CHUNKED[17:] + b"0\r\n\r\n"],
        1,
    ),
    "a transfer coding that is none": (
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
        3,
    ),
    "101 that was not asked for": (
        [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"],
        3,
    ),
    "two lengths": ([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"], 3),
    "gzip that is none": ([http("200 OK", "Content-Encoding: gzip")], 1),
    "gzip that is cut": (
        [http("200 OK", "Content-Encoding: gzip", body=gzip.compress(b"x" * 99)[:-9])],
        1,
    ),
    "five codings": ([http("200 OK", f"Content-Encoding: {', '.join(['gzip'] * 5)}")], 1),
    "a coding not asked for": ([http("200 OK", "Content-Encoding: br")], 1),
    "a drip of the status line": ([drip(b"HTTP/1.1 2", b"0")], 1),
    "a drip of headers": ([drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")], 1),
    "a drip of the body": ([drip(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")], 1),
    "a drip of chunks": ([drip(CHUNKED, b"1\r\nx\r\n")], 1),
    "a drip of hints": ([drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")], 1),
    "silence": ([lambda connection: connection.recv(1) and None], 1),
    "deep JSON": ([http("200 OK", "Content-Type: application/json", body=b"[" * 9999)], 1),
    "408": ([http("408 Request Timeout")], 3),
    "425": ([http("425 Too Early")], 3),
    "429": ([LATER], 3),
    "502": ([http("502 Bad Gateway")], 3),
    "503": ([http("503 Service Unavailable")], 3),
    "504": ([http("504 Gateway Timeout")], 3),
    "400": ([http("400 Bad Request")], 1),
    "401": ([http("401 Unauthorized")], 1),
    "404": ([http("404 Not Found")], 1),
    "409": ([http("409 Conflict")], 1),
    "500": ([http("500 Internal Server Error")], 1),
    "501": ([http("501 Not Implemented")], 1),
    "302": ([http("302 Found", "Location: /again")], 1),
    "429, then well": ([LATER, OK], 2),
    "429 with a wait, then well": ([retry_after("1"), OK], 2),
    "429 with no wait, then 503, then well": (
        [retry_after("0"), http("503 Service Unavailable"), OK],
        3,
    ),
    "429 with a wait past the deadline": ([retry_after("59"), OK], 1),
    "429, then lost, then 429": ([LATER, b"", LATER], 3),
    "429, then 400": ([LATER, http("400 Bad Request")], 2),
    "429 twice, then well": ([LATER, LATER, OK], 3),
    "closed, then well": ([b"", OK], 2),
    "reset, then 503, then well": ([reset, http("503 Service Unavailable"), OK], 3),
    "503 with a date that has passed": ([retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), OK], 2),
    "Retry-After of ages": ([retry_after("99999999999"), OK], 1),
    "Retry-After below zero": ([retry_after("-1"), OK], 2),
    "Retry-After of 1.5": ([retry_after("1.5"), OK], 2),
    "Retry-After of abc": ([retry_after("abc"), OK], 2),
    "103 before 200": ([b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK], 1),
    "well": ([OK], 1),
}


@both
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize(
    ("method", "headers"), [("GET", ()), ("POST", ()), ("POST", KEY)], ids=["GET", "POST", "key"]
)
def test_effects_are_counted_exactly(
    faulty: Faulty, drive: Driver, name: str, method: str, headers: tuple[tuple[str, str], ...]
) -> None:
    faulty.answers, attempts = FAULTS[name]
    request = Request(method=method, url=faulty.url, headers=headers, body=b"", is_named=True)
    is_endless = name == "silence" or "drip" in name
    timeout_s = 0.3 if is_endless else 5.0
    drive(request, retry=QUICK, timeout_s=timeout_s, max_redirects=0)
    is_repeatable = method == "GET" or bool(headers)
    assert len(faulty.requests) == (attempts if is_repeatable else 1)
    assert len(faulty.effects) == (attempts if method == "GET" else 1)


METHODS = pytest.mark.parametrize("method", ["GET", "POST"])
LOOK_UPS: dict[str, tuple[Exception | Sequence[str], int]] = {
    "no such host": (socket.gaierror(socket.EAI_NONAME, "no such host"), 1),
    "no address": (socket.gaierror(socket.EAI_FAIL, "failed"), 1),
    "a name that is none": (UnicodeError("label too long"), 1),
    "nobody answers": (socket.gaierror(socket.EAI_AGAIN, "try again"), 3),
    "an empty answer": ([], 3),
}


@both
@METHODS
@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_that_fails_is_repeated_only_where_it_may_go_better(
    drive: Driver, method: str, name: str
) -> None:
    answer, times = LOOK_UPS[name]
    asked: list[str] = []

    def resolve(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        if isinstance(answer, Exception):
            raise answer
        return answer

    error = failure(drive(post("http://nowhere.test/", method), resolve=resolve, retry=QUICK)[0])
    assert isinstance(error, NoResponse)
    assert (asked, error.sent) == (["nowhere.test"] * times, False)


@both
@METHODS
def test_a_look_up_without_end_is_given_up_at_the_deadline(drive: Driver, method: str) -> None:
    ended = threading.Event()

    def resolve(*_: object) -> Sequence[str]:
        ended.wait(5)
        return []

    outcomes = drive(post("http://slow.test/", method), resolve=resolve, timeout_s=0.2)
    ended.set()
    assert outcomes == [NoResponse("http://slow.test/", "not complete within 0.2 s", sent=False)]


HANDSHAKES: dict[str, tuple[Answer, int]] = {
    "HTTP": (b"HTTP/1.1 400 Bad Request\r\n\r\n", 1),
    "an alert": (b"\x15\x03\x03\x00\x02\x02\x28", 1),
    "a record that is too long": (b"\x16\x03\x03\xff\xff" + b"x" * 99, 1),
    "closed": (b"", 3),
    "reset": (reset, 3),
    "silence": (lambda connection: time.sleep(1), 1),
}


@both
@METHODS
@pytest.mark.parametrize("name", HANDSHAKES)
def test_failed_tls_was_not_sent(faulty: Faulty, drive: Driver, method: str, name: str) -> None:
    answer, times = HANDSHAKES[name]

    def serve(connection: socket.socket) -> None:
        faulty.requests.append(connection.recv(65536))
        answer(connection) if callable(answer) else connection.sendall(answer)

    faulty.serve = serve
    request = post(faulty.url.replace("http", "https"), method, is_named=True)
    (outcome,) = drive(request, retry=QUICK, timeout_s=0.3 if name == "silence" else 5.0)
    error = failure(outcome)
    assert isinstance(error, NoResponse)
    assert (len(faulty.requests), error.sent) == (times, False)


@both
def test_a_refused_connection_is_tried_again_even_for_a_post(drive: Driver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    asked: list[str] = []

    def resolve(*_: object) -> Sequence[str]:
        asked.append("127.0.0.1")
        return asked[-1:]

    request = post(f"http://closed.test:{port}/", is_named=True)
    error = failure(drive(request, resolve=resolve, retry=QUICK)[0])
    assert isinstance(error, NoResponse)
    assert (error.sent, len(asked)) == (False, 3)


@both
def test_a_surplus_is_not_read_as_the_next_response(faulty: Faulty, drive: Driver) -> None:
    evil = http("200 OK", body=b"ok") + http("200 OK", body=b"evil")
    faulty.answers = (evil, http("200 OK", body=b"good"))
    request = post(faulty.url, is_named=True)
    first, second = drive(request, request)
    assert isinstance(first, NoResponse)
    assert response(second).body == b"good"


@both
def test_an_origin_that_fails_five_times_in_a_row_is_left_alone(
    faulty: Faulty, drive: Driver
) -> None:
    faulty.answers = (b"",)
    limits = TransportLimits(max_failures=5, cooldown_s=60)
    *_, last = drive(*[post(faulty.url, is_named=True)] * 7, limits=limits)
    assert len(faulty.requests) == 5
    assert isinstance(last, NoResponse)
    assert not last.sent
    assert "did not answer several times in a row" in last.why


@both
def test_an_origin_that_rested_is_asked_once_to_see(faulty: Faulty, drive: Driver) -> None:
    faulty.answers = (b"", b"", OK)
    limits = TransportLimits(max_failures=2, cooldown_s=0.0)
    outcomes = drive(*[post(faulty.url, is_named=True)] * 4, limits=limits)
    assert [isinstance(each, Response) for each in outcomes] == [False, False, True, True]


@both
def test_retries_end_with_their_budget(faulty: Faulty, drive: Driver) -> None:
    faulty.answers = (LATER,)
    requests = [post(faulty.url, "GET", is_named=True)] * 4
    drive(*requests, retry=QUICK, limits=TransportLimits(spare_retries=3))
    assert len(faulty.requests) == 7


def test_a_cancelled_write_says_that_its_outcome_is_unknown(faulty: Faulty) -> None:
    faulty.answers = (drip(CUT.replace(b"10", b"999")),)

    async def run() -> list[str]:
        async with AsyncTransport() as send:
            request = Request(method="POST", url=faulty.url + "x?key=1", is_named=True)
            task = asyncio.ensure_future(send(request))
            await asyncio.sleep(0.2)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError as error:
                return list(error.__notes__)
        return []

    assert asyncio.run(run()) == [f"POST {faulty.url}x was sent; its outcome is unknown"]
