"""
What a call costs over a bare `httpx2` request: both on loopback, warm, on a kept-alive connection.

    python benchmarks/calls.py

Prints medians and their ratios. Rounds of both are interleaved, so that both see the same noise.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2

from restwright.calls.call import call
from restwright.calls.consent import never_approve
from restwright.calls.security import Connection
from restwright.net.message import Request
from restwright.net.transport import Transport
from restwright.openapi.api import load
from restwright.tools.catalog import catalog

ROUNDS, CALLS = 20, 100
BODY = b'{"id": 7, "name": "tea", "tags": ["a", "b"]}'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}"
        self.wfile.write(head.encode() + b"\r\n\r\n" + BODY)

    def log_message(self, *_: object) -> None:
        pass


def document(url: str) -> dict[str, object]:
    schema = {"type": "integer"}
    parameter = {"name": "id", "in": "path", "required": True, "schema": schema}
    operation = {"operationId": "item", "parameters": [parameter], "responses": {"200": {}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Bench", "version": "1"},
        "servers": [{"url": url}],
        "paths": {"/items/{id}": {"get": operation}},
    }


def microseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        work()
    return (time.perf_counter() - started) / CALLS * 1e6


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    (tool,) = catalog(load(document(url))).tools
    connection = Connection(server=url)
    request = Request(method="GET", url=f"{url}/items/7", is_named=True)
    with httpx2.Client() as client, Transport() as send:
        works = {
            "bare httpx2": lambda: client.get(f"{url}/items/7").json(),
            "transport": lambda: send(request),
            "call": lambda: call(
                tool, {"id": 7}, connection=connection, send=send, approve=never_approve
            ),
        }
        found: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(ROUNDS):
            for name, work in works.items():
                found[name].append(microseconds(work))
    medians = {name: statistics.median(each[2:]) for name, each in found.items()}
    for name, median in medians.items():
        print(f"{name:12} {median:7.0f} us  {median / medians['bare httpx2']:.2f} x")
    server.shutdown()


if __name__ == "__main__":
    main()
