"""A server that fails as it is told to, and notes what it was sent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest

from restwright.net.messages import Request

Answer: TypeAlias = "bytes | Callable[[socket.socket], None]"


def http(status: str, *headers: str, body: bytes = b"{}") -> bytes:
    # The server hangs up after each answer; unannounced, that would be a fault of its own.
    close = "Connection: close"
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", close, *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def reset(connection: socket.socket) -> None:
    linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


OK = http("200 OK")


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


def post(url: str, method: str = "POST", **changes: bool) -> Request:
    return Request(method=method, url=url, **changes)
