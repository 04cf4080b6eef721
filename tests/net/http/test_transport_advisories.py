"""What went wrong in other HTTP clients, asked of this one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.support.net.drivers import Driver, both, response
from tests.support.net.servers import Server, http, running

from restwright.errors import NoResponse, ResponseTooLarge
from restwright.net.messages import Request

CANARY = "canary-71aa"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def get(server: Server) -> Request:
    return Request(method="GET", url=server.url(), is_named=True)


@both
def test_no_password_is_taken_from_netrc(
    drive: Driver, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = home / ".netrc"
    netrc.write_text(f"machine localhost login me password {CANARY}\ndefault login me password x")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server = Server()
    with running(server):
        assert response(drive(get(server))[0]).status == 204
    assert b"authorization" not in server.received.lower()


@both
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate", "gzip, gzip"])
def test_a_bomb_in_a_redirect_is_stopped(drive: Driver, coding: str) -> None:
    bomb = gzip.compress(bytes(20_000_000))
    headers = (f"Content-Encoding: {coding}", "Location: /b")
    server = Server((http(bomb, *headers, status="302 Found"), http(b"there")))
    with running(server):
        (outcome,) = drive(get(server), max_redirects=1, max_bytes=100_000)
    assert isinstance(outcome, ResponseTooLarge if coding == "gzip" else NoResponse)
    assert len(server.requests) == 1


@both
@pytest.mark.parametrize(
    "chunks",
    [
        b"2\r\nokxx0\r\n\r\n",
        b"2\r\nok\r\r0\r\n\r\n",
        b"2 2\r\nok\r\n0\r\n\r\n",
        b"-2\r\nok\r\n0\r\n\r\n",
        b"0x2\r\nok\r\n0\r\n\r\n",
        b"2_0\r\nok\r\n0\r\n\r\n",
    ],
)
def test_chunks_that_parsers_read_differently_are_no_response(drive: Driver, chunks: bytes) -> None:
    server = Server((CHUNKED + chunks, http(b"good")))
    request = Request(method="POST", url=server.url(), is_named=True)
    with running(server):
        first, second = drive(request, request)
    assert isinstance(first, NoResponse)
    assert response(second).body == b"good"


@both
def test_a_redirect_to_itself_ends(drive: Driver) -> None:
    server = Server((http(b"", "Location: /", status="301 Moved Permanently"),))
    with running(server):
        (outcome,) = drive(get(server), max_redirects=5)
    assert isinstance(outcome, NoResponse)
    assert (outcome.why, len(server.requests)) == ("more than 5 redirects", 6)


@both
def test_environment_variables_of_scripts_name_no_proxy(
    drive: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil, server = Server(), Server((http(b"direct"),))
    monkeypatch.setenv("REQUEST_METHOD", "GET")
    monkeypatch.setenv("HTTP_PROXY", evil.url())
    request = Request(method="GET", url=server.url(host="api.test"), is_named=True)
    with running(evil, server):
        drive(request, resolve=lambda *_: ["127.0.0.1"])
    assert not evil.requests
