"""
What a call costs over a bare `httpx2` request: both on loopback, warm, on a kept-alive connection.

    python benchmarks/calls.py

Prints medians and their ratios, and writes results/calls.json. The server is a process of its own,
so that it takes no time of the interpreter that is measured; rounds of all are interleaved, so that
all see the same noise.
"""

from __future__ import annotations

import json
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from restwright.calls.approval.approval import refuse_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, prepare
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog

ROUNDS, CALLS = 40, 100
BODY = b'{"id": 7, "name": "tea", "tags": ["a", "b"]}'
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
RESULTS = Path(__file__).parent / "results" / "calls.json"
LIMIT = 1.5


def serve() -> None:
    """Answer every request alike, as many connections as there are, one after the other."""
    answer = (HEAD % len(BODY)).encode() + BODY
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        import selectors

        waiting = selectors.DefaultSelector()
        waiting.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is listener:
                    waiting.register(listener.accept()[0], selectors.EVENT_READ)
                elif key.fileobj.recv(65536):  # a request of ours comes in one piece
                    key.fileobj.sendall(answer)
                else:
                    waiting.unregister(key.fileobj)


@contextmanager
def serving() -> Iterator[str]:
    """The URL of a server that runs as long as the block."""
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


def document(url: str) -> dict[str, object]:
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
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


def measured(url: str) -> dict[str, float]:
    """Median microseconds by what was done."""
    (tool,) = catalog(load(document(url))).tools
    connection = Connection(server=url)
    request = Request(method="GET", url=f"{url}/items/7", is_named=True)
    with httpx2.Client() as client, Transport() as send:
        answer = send(request)
        works: dict[str, Callable[[], object]] = {
            "bare httpx2": lambda: client.get(f"{url}/items/7").json(),
            "transport": lambda: send(request),
            "call": lambda: call(
                tool, {"id": 7}, connection=connection, send=send, approve=refuse_all
            ),
            "call, not sent": lambda: call(
                tool, {"id": 7}, connection=connection, send=lambda _: answer, approve=refuse_all
            ),
            "prepare": lambda: prepare(tool, {"id": 7}, connection),
        }
        found: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(ROUNDS):
            for name, work in works.items():
                found[name].append(microseconds(work))
    return {name: statistics.median(each[2:]) for name, each in found.items()}


def main() -> None:
    with serving() as url:
        medians = measured(url)
    bare = medians["bare httpx2"]
    rows = {
        name: {"us": round(us, 1), "ratio": round(us / bare, 2)} for name, us in medians.items()
    }
    report = {"python": platform.python_version(), "limit": LIMIT, "rows": rows}
    RESULTS.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for name, row in rows.items():
        sys.stdout.write(f"{name:16}{row['us']:>8.1f} us {row['ratio']:>6.2f} x\n")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
