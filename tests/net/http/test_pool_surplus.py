"""Servers that send more than one response to one request."""

from __future__ import annotations

import socket
from pathlib import Path

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.net.authority import Authority
from tests.support.net.drivers import Driver, both, response
from tests.support.net.servers import Server, http, running

from restwright.errors import NoResponse
from restwright.net.http.body_limits import ReceiveBuffer
from restwright.net.http.throttle import TransportLimits
from restwright.net.messages import Request

EVIL = http(b"evil")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
CHUNKS = CHUNKED + b"\r\n2\r\nok\r\n0\r\n\r\n"
SURPLUSES = {
    "after a length": http(b"ok") + EVIL,
    # Its last bytes are those of the response before it.
    "after a length, the same at its end": http(b"evil") + EVIL,
    "after chunks": CHUNKS + EVIL,
    "after chunks, the same at its end": CHUNKS + CHUNKS,
    "after chunks, a response without a body": CHUNKS + b"HTTP/1.1 204 No Content\r\n\r\n",
    "after trailers": CHUNKED + b"\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n" + EVIL,
    "after 204": b"HTTP/1.1 204 No Content\r\n\r\n" + EVIL,
    "after 204 with a length": b"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok",
    "after 304": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok",
    "after no body": http(b"") + EVIL,
    "after hints": b"HTTP/1.1 103 Early Hints\r\n\r\n" + http(b"ok") + EVIL,
    "a single byte": http(b"ok") + b"\n",
}


@both
@pytest.mark.parametrize("name", SURPLUSES)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_surplus_is_an_error_and_never_the_next_response(
    drive: Driver, name: str, method: str
) -> None:
    server = Server((SURPLUSES[name], http(b"good")))
    request = Request(method=method, url=server.url(), is_named=True)
    with running(server):
        first, second = drive(request, request)
    status = next((each for each in (204, 304) if name.startswith(f"after {each}")), 200)
    why = "more came in than its head says"
    assert first == NoResponse(server.url(), why, sent=True, status=status)
    assert response(second).body == b"good"
    assert (server.accepted, len(server.requests)) == (2, 2)


@both
def test_a_body_of_a_head_response_is_a_surplus(drive: Driver) -> None:
    server = Server((http(b"ok"), http(b"good")))
    head = Request(method="HEAD", url=server.url(), is_named=True)
    with running(server):
        first, second = drive(head, Request(method="GET", url=server.url(), is_named=True))
    assert isinstance(first, NoResponse)
    assert response(second).body == b"good"


@both
def test_a_surplus_that_comes_between_two_requests_is_never_the_next_response(
    drive: Driver,
) -> None:
    def late(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(http(b"ok"))
        connection.sendall(EVIL)
        connection.recv(1)

    server = Server((late, http(b"good")))
    request = Request(method="GET", url=server.url(), is_named=True)
    # What comes in while the next request goes out can be told from its answer by nobody.
    with running(server):
        _, second = drive(request, request, limits=TransportLimits(per_second=5))
    assert response(second).body == b"good"


@both
@pytest.mark.skipif(not hasattr(socket, "TCP_CORK"), reason="records cannot be sent together")
def test_a_surplus_in_a_record_of_its_own_is_never_the_next_response(
    drive: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def corked(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        connection.sendall(http(b"ok"))
        connection.sendall(EVIL)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
        connection.recv(1)

    authority = Authority.made(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    server = Server((corked, http(b"good")), authority.server())
    request = Request(method="GET", url=server.url(), is_named=True)
    with running(server):
        _, second = drive(request, request)
    assert response(second).body == b"good"


@both
def test_a_connection_without_a_surplus_is_used_again(drive: Driver) -> None:
    empty_lines = b"a\r\n\r\nb\n\nc\n\r\n"
    chunks = b"%x\r\n%b\r\n0\r\nX: y\r\n\r\n" % (len(empty_lines), empty_lines)
    server = Server((CHUNKED + b"\r\n" + chunks, http(empty_lines), http(b""), http(b"last")))
    request = Request(method="GET", url=server.url(), is_named=True)
    with running(server):
        outcomes = drive(*[request] * 4)
    assert [response(each).body for each in outcomes] == [empty_lines, empty_lines, b"", b"last"]
    assert server.accepted == 1


@both
def test_a_chunk_of_empty_lines_is_read_at_once(drive: Driver) -> None:
    lines = b"\n" * 2_000_000
    server = Server((CHUNKED + b"\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(lines), lines),))
    request = Request(method="GET", url=server.url(), is_named=True)
    with running(server):
        (outcome,) = drive(request, timeout_s=10.0)
    assert response(outcome).body == lines


pieces = st.sampled_from([b"\n", b"\r", b"\r\n", b"0\r\n", b"x", b"\n\r\n", b"HTTP/1.1 200 OK"])
bodies = st.lists(pieces | st.binary(max_size=5), max_size=8).map(b"".join)


@given(bodies, st.booleans(), bodies, st.lists(st.integers(1, 30), min_size=1, max_size=20))
def test_h11_is_never_given_what_is_behind_the_end(
    body: bytes, has_chunks: bool, surplus: bytes, cuts: list[int]
) -> None:
    parts = [body[at : at + 5] for at in range(0, len(body), 5)]
    framed = b"".join(b"%x;a=b\r\n%b\r\n" % (len(part), part) for part in parts)
    chunks = CHUNKED + b"\r\n" + framed + b"0\r\n\r\n"
    message = chunks if has_chunks else http(body)
    intake, wire, parser = ReceiveBuffer(), message + surplus, h11.Connection(h11.CLIENT)
    parser.send(h11.Request(method="GET", target="/", headers=[("Host", "h")]))
    parser.send(h11.EndOfMessage())
    found = b""
    while not isinstance(event := parser.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Response):
            intake.expect(None if has_chunks else len(body))
        elif isinstance(event, h11.Data):
            found += event.data
        elif event is h11.NEED_DATA:
            if not intake.has_more:
                cut = cuts[len(wire) % len(cuts)]
                intake.put(wire[:cut])
                wire = wire[cut:]
            parser.receive_data(intake.take(7))
    assert (found, parser.trailing_data[0]) == (body, b"")
    intake.expect(len(surplus))
    assert intake.take(len(surplus)) + wire == surplus
