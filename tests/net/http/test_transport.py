"""The transport against real servers on loopback that behave badly."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from tests.support.net.drivers import Driver, both, failure

from restwright.errors import (
    CallError,
    NoResponse,
    RefusedRequest,
    ResponseTooLarge,
)
from restwright.net.http.transport import Transport
from restwright.net.messages import Request

Behave = Callable[[socket.socket], None]


@dataclass
class Server:
    """Accepts connections and lets `behave` do as it likes with each."""

    listener: socket.socket
    behave: Behave = lambda _: None
    accepted: int = 0
    received: list[bytes] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    closed_by_client: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            with connection, suppress(OSError):
                connection.settimeout(5)
                self.behave(connection)

    def request(self, connection: socket.socket) -> bytes:
        """Read one request, head and body; empty when the client has gone."""
        data = b""
        while b"\r\n\r\n" not in data:
            try:
                chunk = connection.recv(65536)
            except ConnectionResetError:  # closed with bytes that were not read
                chunk = b""
            if not chunk:
                self.closed_by_client.set()
                return b""
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (
                int(line[15:])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            ),
            0,
        )
        while len(body) < length:
            body += connection.recv(65536)
        self.received.append(head + b"\r\n\r\n" + body)
        return self.received[-1]

    def replies(self, *answers: bytes) -> None:
        """Send one answer a request on the same connection, then wait for the client to go."""

        def behave(connection: socket.socket) -> None:
            for answer in answers:
                if not self.request(connection):
                    return
                connection.sendall(answer)
            self.request(connection)

        self.behave = behave


@pytest.fixture
def server() -> Iterator[Server]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.stop.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def get(server: Server, path: str = "/") -> Request:
    return Request(method="GET", url=server.url + path, is_named=True)


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def test_response_has_status_lower_case_headers_and_body(server: Server) -> None:
    server.replies(http(b"hi", "X-One: 1", status="404 Not Found"))
    with Transport() as send:
        response = send(get(server))
    assert (response.status, response.header("X-One"), response.body, response.url) == (
        404,
        "1",
        b"hi",
        server.url + "/",
    )
    assert response.elapsed_s > 0


def test_request_target_headers_and_body_arrive_byte_for_byte(server: Server) -> None:
    server.replies(http(b""))
    headers = (("X-One", "ü"), ("Content-Type", "application/json"))
    target = "/a/../b%2F%2e/'?x=%41&y=[1]"
    request = Request(
        method="POST", url=server.url + target, is_named=True, headers=headers, body=b"{}"
    )
    with Transport() as send:
        send(request)
    head, _, body = server.received[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST " + target.encode() + b" HTTP/1.1"
    assert body == b"{}"
    assert sorted(lines[1:]) == sorted(
        [
            b"Host: " + server.url.removeprefix("http://").encode(),
            b"User-Agent: restwright",
            b"Accept: */*",
            b"Accept-Encoding: gzip, identity",
            "X-One: ü".encode(),
            b"Content-Type: application/json",
            b"Content-Length: 2",
        ]
    )


def test_connection_is_used_again(server: Server) -> None:
    server.replies(http(b"1"), http(b"2"))
    with Transport() as send:
        bodies = [send(get(server)).body for _ in range(2)]
    assert (bodies, server.accepted) == ([b"1", b"2"], 1)


def test_each_address_of_a_host_is_tried(server: Server) -> None:
    server.replies(http(b"1"))
    url = server.url.replace("127.0.0.1", "localhost")  # most machines list ::1 first
    with Transport() as send:
        assert send(Request(method="GET", url=url, is_named=True)).body == b"1"


def test_requests_of_several_threads_share_one_transport(server: Server) -> None:
    server.replies(*[http(b"1")] * 4)
    bodies: list[bytes] = []
    with Transport(timeout_s=5) as send:
        threads = [
            threading.Thread(target=lambda: bodies.append(send(get(server)).body)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
            thread.join()
    assert bodies == [b"1"] * 4


def test_close_closes_kept_connections(server: Server) -> None:
    server.replies(http(b"1"))
    send = Transport()
    send(get(server))
    send.close()
    assert server.closed_by_client.wait(5)


def test_cookies_of_a_response_are_not_sent_back(server: Server) -> None:
    server.replies(http(b"", "Set-Cookie: a=1"), http(b""))
    with Transport() as send:
        send(get(server))
        send(get(server))
    assert b"cookie" not in server.received[1].lower()


def test_redirects_of_reads_inside_the_origin_are_followed(server: Server) -> None:
    moved = http(b"", "Location: /other", status="302 Found")
    server.replies(*[moved] * 5, http(b"here"))
    with Transport() as send:
        response = send(get(server))
    assert response.body == b"here"
    assert len(server.received) == 6


def test_redirect_is_a_response_where_none_is_followed(server: Server) -> None:
    server.replies(http(b"", "Location: /other", status="302 Found"))
    with Transport(max_redirects=0) as send:
        response = send(get(server))
    assert (response.status, response.header("location")) == (302, "/other")
    assert len(server.received) == 1


def failure_of(drive: Driver, server: Server, **options: float) -> CallError:
    return failure(drive(get(server), **options)[0])


def dripping(server: Server, start: bytes) -> None:
    """Send `start`, then a byte at a time: each alone arrives long before any timeout."""

    def behave(connection: socket.socket) -> None:
        server.request(connection)
        connection.sendall(start)
        while not server.stop.wait(0.02):
            connection.sendall(b"x")

    server.behave = behave


@both
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(b"", id="status line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Long: ", id="headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", id="body"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", id="body without length"),
    ],
)
def test_deadline_ends_a_response_that_drips(server: Server, drive: Driver, start: bytes) -> None:
    dripping(server, start)
    status = 200 if start.endswith(b"\r\n\r\n") else None
    assert failure_of(drive, server, timeout_s=0.3) == NoResponse(
        server.url + "/", "not complete within 0.3 s", sent=True, status=status
    )


@both
def test_deadline_ends_the_wait_for_a_silent_server(server: Server, drive: Driver) -> None:
    server.behave = lambda _: server.stop.wait(5) and None
    assert failure_of(drive, server, timeout_s=0.2) == NoResponse(
        server.url + "/", "not complete within 0.2 s", sent=True
    )


def test_deadline_ends_sending_to_a_server_that_reads_a_byte_at_a_time(server: Server) -> None:
    def behave(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        while not server.stop.wait(0.01):
            connection.recv(1)

    server.behave = behave
    request = Request(method="POST", url=server.url, is_named=True, body=bytes(30_000_000))
    with Transport(timeout_s=0.3) as send, pytest.raises(NoResponse) as caught:
        send(request)
    assert caught.value == NoResponse(server.url, "not complete within 0.3 s", sent=True)


def test_refused_connection_was_not_sent(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    with Transport() as send, pytest.raises(NoResponse) as caught:
        send(Request(method="GET", url=url, is_named=True))
    assert (caught.value.url, caught.value.sent) == (url, False)
    assert caught.value.why.startswith("cannot connect (")


def test_unknown_host_was_not_sent() -> None:
    with Transport() as send, pytest.raises(NoResponse) as caught:
        send(
            Request(
                method="GET", url=f"http://localhost.{'a' * 63}.{'a' * 63}.invalid/", is_named=True
            )
        )
    assert not caught.value.sent
    assert caught.value.why.startswith("cannot connect (")


def test_failed_tls_was_not_sent(server: Server) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(10)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    server.behave = behave
    url = server.url.replace("http:", "https:")
    with Transport(timeout_s=5) as send, pytest.raises(NoResponse) as caught:
        send(Request(method="GET", url=url, is_named=True))
    assert (caught.value.sent, caught.value.why.startswith("cannot connect (")) == (False, True)


def reset(connection: socket.socket) -> None:
    linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.close()


@both
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(b"", id="before the response"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-", id="in the headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", id="in the body"),
    ],
)
@pytest.mark.parametrize("end", [socket.socket.close, reset], ids=["closed", "reset"])
def test_connection_that_ends_early_was_sent(
    server: Server, drive: Driver, start: bytes, end: Behave
) -> None:
    def behave(connection: socket.socket) -> None:
        server.request(connection)
        connection.sendall(start)
        end(connection)

    server.behave = behave
    error = failure_of(drive, server)
    assert isinstance(error, NoResponse)
    assert error.sent


@both
@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH_9\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"]
)
def test_answer_that_is_not_http_is_no_response(
    server: Server, drive: Driver, answer: bytes
) -> None:
    server.replies(answer)
    error = failure_of(drive, server)
    assert isinstance(error, NoResponse)
    assert error.sent


@both
def test_header_without_end_is_no_response(server: Server, drive: Driver) -> None:
    server.replies(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000 + b"\r\n\r\n")
    assert isinstance(failure_of(drive, server), NoResponse)


@both
def test_body_over_the_cap_is_too_large(server: Server, drive: Driver) -> None:
    server.replies(http(b"x" * 11))
    assert failure_of(drive, server, max_bytes=10) == ResponseTooLarge(
        server.url + "/", 10, status=200
    )


def test_body_at_the_cap_is_read(server: Server) -> None:
    server.replies(http(b"x" * 10))
    with Transport(max_bytes=10) as send:
        assert send(get(server)).body == b"x" * 10


def test_gzip_body_is_decompressed(server: Server) -> None:
    members = gzip.compress(b"one ") + gzip.compress(b"two")
    server.replies(http(members, "Content-Encoding: gzip"))
    with Transport() as send:
        assert send(get(server)).body == b"one two"


@both
def test_gzip_bomb_is_stopped_at_the_cap(server: Server, drive: Driver) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    server.replies(http(bomb, "Content-Encoding: gzip"))
    assert failure_of(drive, server, max_bytes=100_000) == ResponseTooLarge(
        server.url + "/", 100_000, status=200
    )


@both
@pytest.mark.parametrize(
    ("body", "encoding", "why"),
    [
        (
            gzip.compress(b"x" * 100, mtime=0)[:-9],
            "gzip",
            "its body cannot be decompressed (it is cut off)",
        ),
        (b"x", "br", "its body is encoded as 'br', which was not asked for"),
        (b"x", "gzip, gzip", "its body is encoded as 'gzip, gzip', which was not asked for"),
        (b"x", "t0ps3cret", "its body is encoded in an unknown way, which was not asked for"),
    ],
)
def test_body_that_cannot_be_decoded_is_no_response(
    server: Server, drive: Driver, body: bytes, encoding: str, why: str
) -> None:
    server.replies(http(body, f"Content-Encoding: {encoding}"))
    assert failure_of(drive, server) == NoResponse(server.url + "/", why, sent=True, status=200)


@both
def test_garbage_in_place_of_gzip_is_no_response(server: Server, drive: Driver) -> None:
    server.replies(http(b"no gzip", "Content-Encoding: gzip"))
    error = failure_of(drive, server)
    assert isinstance(error, NoResponse)
    assert error.why.startswith("its body cannot be decompressed")


def test_empty_body_of_gzip_is_empty(server: Server) -> None:
    server.replies(http(b"", "Content-Encoding: gzip", status="304 Not Modified"))
    with Transport() as send:
        assert send(get(server)).body == b""


def test_interrupt_passes_through_and_closes_the_connection(server: Server) -> None:
    def behave(connection: socket.socket) -> None:
        server.request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        os.kill(os.getpid(), signal.SIGINT)
        server.request(connection)

    server.behave = behave
    send = Transport(timeout_s=5)
    with pytest.raises(KeyboardInterrupt):
        send(get(server))
    assert server.closed_by_client.wait(5)
    send.close()


def test_url_that_is_refused_is_not_sent() -> None:
    with Transport() as send, pytest.raises(RefusedRequest):
        send(Request(method="GET", url="ftp://h/", is_named=True))


def test_error_shows_no_query(server: Server) -> None:
    server.behave = lambda connection: connection.close()
    with Transport() as send, pytest.raises(NoResponse) as caught:
        send(get(server, "/x?key=secret99"))
    assert "secret99" not in str(caught.value)
