"""Certificates of the environment, and responses without an end."""

from __future__ import annotations

import socket
import tracemalloc
import zlib
from pathlib import Path

import pytest
from tests.support.net.authority import Authority
from tests.support.net.drivers import Driver, both, failure, response
from tests.support.net.servers import Server, running

from restwright.errors import NoResponse, RefusedRequest, ResponseTooLarge
from restwright.net.messages import Request


def get(server: Server) -> Request:
    return Request(method="GET", url=server.url(), is_named=True)


@both
def test_a_private_authority_is_trusted_where_the_environment_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    authority = Authority.made(tmp_path)
    server = Server(tls=authority.server())
    with running(server):
        error = failure(drive(get(server))[0])
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
        (outcome,) = drive(get(server))
    assert isinstance(error, NoResponse)
    assert "certificate verify failed" in error.why
    assert response(outcome).status == 204


@both
@pytest.mark.parametrize("text", [None, "no certificate"])
def test_an_authority_that_cannot_be_read_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drive: Driver, text: str | None
) -> None:
    path = tmp_path / "own.pem"
    if text:
        path.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    error = failure(drive(Request(method="GET", url="https://localhost/", is_named=True))[0])
    assert isinstance(error, RefusedRequest)
    assert "a certificate for it cannot be read" in error.why


@both
def test_a_body_of_chunks_without_end_is_stopped_at_the_cap(drive: Driver) -> None:
    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")

    server = Server((endless,))
    with running(server):
        (outcome,) = drive(get(server), max_bytes=100_000)
    assert isinstance(outcome, ResponseTooLarge)


@both
def test_a_bomb_of_200_megabytes_takes_less_than_four_times_the_cap(drive: Driver) -> None:
    coder = zlib.compressobj(9, wbits=31)
    zeros = bytes(1_000_000)
    bomb = b"".join([*(coder.compress(zeros) for _ in range(200)), coder.flush()])
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
    server = Server((head.encode() + bomb,))
    tracemalloc.start()
    try:
        with running(server):
            (outcome,) = drive(get(server), max_bytes=1_000_000, timeout_s=20.0)
        assert isinstance(outcome, ResponseTooLarge)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
