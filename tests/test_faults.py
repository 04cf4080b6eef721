"""Servers that fail in every way, and how often something happens on them then."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest

from restwright.errors import CallError, NoResponse
from restwright.net.async_transport import AsyncTransport
from restwright.net.message import Request, Response
from restwright.net.retry import Retry
from restwright.net.traffic import Limits
from restwright.net.transport import Transport

Answer: TypeAlias = "bytes | Callable[[socket.socket], None]"
Send: TypeAlias = Callable[..., Response]
QUICK = Retry(least_s=0.001, first_s=0.002)
KEY = (("Idempotency-Key", "k1"),)


def http(status: str, *headers: str, body: bytes = b"{}") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def reset(connection: socket.socket) -> None:
    linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")
    with suppress(OSError):
        for _ in range(100):
            threading.Event().wait(0.02)
            connection.sendall(b"x")


def retry_after(value: str) -> bytes:
    return http("429 Too Many Requests", f"Retry-After: {value}")


OK = http("200 OK")
LATER = http("429 Too Many Requests")
# name: (what each attempt is answered, attempts of what may be repeated)
FAULTS: dict[str, tuple[Sequence[Answer], int]] = {
    "closed after the request": ([b""], 3),
    "reset after the request": ([reset], 3),
    "cut in the status line": ([b"HTTP/1."], 3),
    "cut in the headers": ([b"HTTP/1.1 200 OK\r\nContent-"], 3),
    "cut in the body": ([http("200 OK")[:-1]], 3),
    "cut in a chunk": ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"], 3),
    "chunk without a size": ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"], 3),
    "not HTTP": ([b"SSH-2.0-OpenSSH_9\r\n\r\n"], 3),
    "a header of 200 kB": ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"], 3),
    "longer than it says": ([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1"], 1),
    "two lengths": ([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"], 3),
    "gzip that is none": ([http("200 OK", "Content-Encoding: gzip")], 1),
    "gzip that is cut": (
        [http("200 OK", "Content-Encoding: gzip", body=gzip.compress(b"x" * 99)[:-9])],
        1,
    ),
    "five codings": ([http("200 OK", f"Content-Encoding: {', '.join(['gzip'] * 5)}")], 1),
    "a coding not asked for": ([http("200 OK", "Content-Encoding: br")], 1),
    "a drip": ([drip], 1),
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


@dataclass
class Faulty:
    """Answers the requests in order, the last answer for ever, and counts what happened."""

    listener: socket.socket
    answers: Sequence[Answer] = (OK,)
    requests: list[bytes] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/"

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(2)
                self.serve(connection)

    def serve(self, connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return
            data += part
        self.requests.append(data)
        head = data.lower()
        # What a server with idempotency keys does: one effect a key.
        if b"idempotency-key" not in head or "keyed" not in self.effects:
            self.effects.append("keyed" if b"idempotency-key" in head else "plain")
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if callable(answer):
            answer(connection)
        else:
            connection.sendall(answer)


@pytest.fixture
def faulty() -> Iterator[Faulty]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = Faulty(listener)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def blocking(request: Request) -> Response:
    with Transport(timeout_s=1.0, retry=QUICK) as send:
        return send(request)


def awaited(request: Request) -> Response:
    async def run() -> Response:
        async with AsyncTransport(timeout_s=1.0, retry=QUICK) as send:
            return await send(request)

    return asyncio.run(run())


both = pytest.mark.parametrize("send", [blocking, awaited])


@both
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize(
    ("method", "headers"), [("GET", ()), ("POST", ()), ("POST", KEY)], ids=["GET", "POST", "key"]
)
def test_effects_are_counted_exactly(
    faulty: Faulty, send: Send, name: str, method: str, headers: tuple[tuple[str, str], ...]
) -> None:
    faulty.answers, attempts = FAULTS[name]
    request = Request(method=method, url=faulty.url, headers=headers, body=b"", is_named=True)
    with suppress(CallError):
        send(request)
    is_repeatable = method == "GET" or bool(headers)
    assert len(faulty.requests) == (attempts if is_repeatable else 1)
    assert len(faulty.effects) == (attempts if method == "GET" else 1)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_host_that_cannot_be_looked_up_is_asked_once(method: str) -> None:
    asked: list[str] = []

    def resolve(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    with Transport(resolve=resolve, retry=QUICK) as send, pytest.raises(NoResponse) as caught:
        send(Request(method=method, url="http://nowhere.test/"))
    assert (asked, caught.value.sent) == (["nowhere.test"], False)


@both
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_failed_tls_is_not_repeated_and_was_not_sent(
    faulty: Faulty, send: Send, method: str
) -> None:
    def serve(connection: socket.socket) -> None:
        faulty.requests.append(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    faulty.serve = serve
    with pytest.raises(NoResponse) as caught:
        send(Request(method=method, url=faulty.url.replace("http", "https"), is_named=True))
    assert (len(faulty.requests), caught.value.sent) == (1, False)


@both
def test_a_refused_connection_is_tried_again_even_for_a_post(send: Send) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(NoResponse) as caught:
        send(Request(method="POST", url=f"http://127.0.0.1:{port}/", is_named=True))
    assert not caught.value.sent


def test_a_surplus_is_not_read_as_the_next_response(faulty: Faulty) -> None:
    evil = http("200 OK", body=b"ok") + http("200 OK", body=b"evil")
    faulty.answers = (evil, http("200 OK", body=b"good"))
    request = Request(method="POST", url=faulty.url, is_named=True)
    with Transport(timeout_s=2) as send:
        with pytest.raises(NoResponse):
            send(request)
        assert send(request).body == b"good"


def test_an_origin_that_fails_five_times_in_a_row_is_left_alone(faulty: Faulty) -> None:
    faulty.answers = (b"",)
    limits = Limits(failures=5, rest_s=60)
    request = Request(method="POST", url=faulty.url, is_named=True)
    with Transport(limits=limits) as send:
        for _ in range(7):
            with pytest.raises(NoResponse) as caught:
                send(request)
    assert len(faulty.requests) == 5
    assert not caught.value.sent


def test_a_cancelled_write_says_that_its_outcome_is_unknown(faulty: Faulty) -> None:
    faulty.answers = (drip,)

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
