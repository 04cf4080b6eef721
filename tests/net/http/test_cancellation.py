"""Requests that somebody else ends: plain and inside TLS, through one transport."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.net.authority import Authority
from tests.support.net.servers import Server, http, running

from restwright.net.http.cancellation import CancelToken, OperationCanceled
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response


class Held:
    """Says nothing, or only the head of a response, until the test is over."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.asked, self.over = threading.Event(), threading.Event()

    def __call__(self, connection: socket.socket) -> None:
        connection.sendall(self.head)
        self.asked.set()
        self.over.wait(20)


@pytest.fixture(params=["plain", "tls"])
def secured(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Authority | None:
    if request.param == "plain":
        return None
    authority = Authority.made(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    return authority


@pytest.fixture(params=[b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbe"], ids=["no", "half"])
def held(request: pytest.FixtureRequest) -> Iterator[Held]:
    held = Held(request.param)
    yield held
    held.over.set()


def test_who_waits_for_a_response_goes_on_at_once_and_others_are_not_touched(
    secured: Authority | None, held: Held
) -> None:
    server = Server((held, http(b"welcome")), secured.server() if secured else None)
    stopping, ended = CancelToken(), list[object]()
    asked = Request(method="GET", url=server.url(), is_named=True)

    def ask(send: Transport) -> None:
        with stopping.cancelable():
            try:
                ended.append(send(asked))
            except OperationCanceled as stopped:
                ended.append(type(stopped))

    with running(server), Transport(timeout_s=15) as send:
        thread = threading.Thread(target=ask, args=(send,))
        thread.start()
        assert held.asked.wait(5)
        time.sleep(0.1)
        stopping.cancel()
        # It would wait for 15 seconds.
        thread.join(10)
        assert not thread.is_alive()
        assert ended == [OperationCanceled]
        found = send(asked)
        assert isinstance(found, Response)
        assert found.body == b"welcome"
    # It was not sent again.
    assert len(server.requests) == 2


def test_nothing_is_sent_behind_the_end() -> None:
    server = Server()
    stopping = CancelToken()
    stopping.cancel()
    with (
        running(server),
        Transport() as send,
        stopping.cancelable(),
        pytest.raises(OperationCanceled),
    ):
        send(Request(method="GET", url=server.url(), is_named=True))
    assert server.requests == []
