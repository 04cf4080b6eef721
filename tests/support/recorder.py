"""A server on this machine that keeps every request byte for byte, and a call that goes there."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from restwright.calls.auth.connection import Connection
from restwright.calls.call import prepare
from restwright.jsontypes import JsonObject
from restwright.net.http.transport import Transport
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.tool import Tool

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived; header names in lower case, values as bytes."""

    method: str
    target: str
    headers: tuple[tuple[str, bytes], ...]
    body: bytes = field(repr=False)

    def header(self, name: str) -> str | None:
        """All values of a header, None for none."""
        found = [value.decode() for key, value in self.headers if key == name]
        return ", ".join(found) if found else None


class _Handler(socketserver.StreamRequestHandler):
    server: Any

    def handle(self) -> None:
        while line := self.rfile.readline():
            method, target, _ = line.decode("latin-1").split(" ", 2)
            headers = tuple(self._headers())
            length = int(dict(headers).get("content-length", b"0"))
            body = self.rfile.read(length)
            self.server.received.append(Received(method, target, headers, body))
            self.wfile.write(ANSWER)

    def _headers(self) -> Iterator[tuple[str, bytes]]:
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.partition(b":")
            yield name.decode("latin-1").lower(), value.strip(b" ")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Received] = []


@dataclass(frozen=True, slots=True)
class Recorder:
    """Where calls go, and what arrived."""

    url: str
    received: list[Received]
    send: Transport

    def receive(self, tool: Tool, arguments: JsonObject) -> Received:
        """Check a call, send it, and return what the server saw of it."""
        request = prepare(tool, arguments, Connection(server=self.url))
        before = len(self.received)
        self.send(replace(request, is_named=True))
        assert len(self.received) == before + 1
        return self.received[-1]


@contextmanager
def recording() -> Iterator[Recorder]:
    """A recorder that runs as long as the block."""
    server = _Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with Transport(timeout_s=10) as send:
            yield Recorder(f"http://127.0.0.1:{server.server_address[1]}", server.received, send)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tool_of(document: JsonObject, options: ToolOptions = DEFAULT_TOOL_OPTIONS) -> Tool:
    """The tool of a document that has one operation."""
    [tool] = catalog(load(document), options=options).tools
    return tool
