"""Servers on loopback: over TCP and TLS, as the origin and as a proxy."""

from __future__ import annotations

import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

Answer: TypeAlias = "bytes | Callable[[socket.socket], None]"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Return a whole response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@dataclass
class Server:
    """
    Answers the requests in order, the last answer for ever, and keeps what it was sent.

    Args:
        tls: Makes every connection one of TLS.
    """

    answers: tuple[Answer, ...] = (NO_CONTENT,)
    tls: ssl.SSLContext | None = None
    accepted: int = 0
    requests: list[bytes] = field(default_factory=list)
    listener: socket.socket = field(
        default_factory=lambda: socket.create_server(("127.0.0.1", 0)), repr=False
    )

    def __post_init__(self) -> None:
        self.port: int = self.listener.getsockname()[1]

    @property
    def received(self) -> bytes:
        return b"".join(self.requests)

    def url(self, path: str = "/", *, host: str = "localhost") -> str:
        slash = "" if path.startswith("/") else "/"
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{slash}{path}"

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self.meet, args=(connection,), daemon=True).start()

    def meet(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(5)
            if not self.tls:
                self.serve(connection)
                return
            with self.tls.wrap_socket(connection, server_side=True) as secure:
                self.serve(secure)

    def serve(self, connection: socket.socket) -> None:
        while request := read_request(connection):
            self.requests.append(request)
            answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
            if callable(answer):
                answer(connection)
                return
            connection.sendall(answer)


@dataclass
class Proxy(Server):
    """
    A proxy that opens every tunnel to one origin, and answers all else itself.

    Args:
        origin: What tunnels lead to, whatever they were asked for; None to refuse them.
        refusal: The answer to a tunnel that is refused.
        shown: The certificates that clients showed to it; None for each that showed none.
    """

    origin: Server | None = None
    refusal: bytes = http(b"no", status="403 Forbidden")
    shown: list[object] = field(default_factory=list)

    def serve(self, connection: socket.socket) -> None:
        request = read_request(connection)
        self.requests.append(request)
        if isinstance(connection, ssl.SSLSocket):
            self.shown.append(connection.getpeercert())
        if not request.startswith(b"CONNECT "):
            connection.sendall(self.answers[0] if isinstance(self.answers[0], bytes) else b"")
        elif self.origin is None:
            connection.sendall(self.refusal)
        else:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with socket.create_connection(("127.0.0.1", self.origin.port)) as onward:
                tunnel(connection, onward)


def tunnel(here: socket.socket, there: socket.socket) -> None:
    """Carry bytes both ways until one side ends. One thread: no two may use a socket of TLS."""
    others = {here: there, there: here}
    while True:
        ready = [here] if isinstance(here, ssl.SSLSocket) and here.pending() else []
        for source in ready or select.select([here, there], [], [], 5)[0]:
            data = source.recv(65536)
            if not data:
                return
            others[source].sendall(data)


def read_request(connection: socket.socket) -> bytes:
    """Read one request, head and body; empty where the client has gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line[15:] for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """Let `servers` accept connections."""
    for server in servers:
        threading.Thread(target=server.run, daemon=True).start()
    try:
        yield
    finally:
        for server in servers:
            with suppress(OSError):
                server.listener.shutdown(socket.SHUT_RDWR)
            server.listener.close()
