"""
An API that counts what is written to it, in a process of its own that outlives its clients.

As a program, `counting_server.py SLOWEST_S` prints its port, and answers until its standard input
ends. Any GET gives two casks, and any POST is a write. It is counted as soon as it was read, and
answered up to SLOWEST_S later.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

CASKS = (1, 2)
LISTED = [{"id": cask, "name": f"Cask {cask}"} for cask in CASKS]
_WRITES = "/writes"


class Write(NamedTuple):
    """A write that was read; `receipt` numbers them all, and is in the response."""

    path: str
    key: str
    receipt: int


@dataclass(frozen=True)
class CountingServer:
    """Where it answers, and what it counted."""

    url: str

    def writes(self) -> list[Write]:
        """All writes so far, in their order."""
        with urllib.request.urlopen(f"{self.url}{_WRITES}", timeout=30) as response:  # noqa: S310
            return [Write(*row) for row in json.load(response)]

    def effects(self, prefix: str = "") -> list[str]:
        """The paths below a prefix of what took effect; a key that was seen has no second one."""
        known: set[tuple[str, str]] = set()
        found: list[str] = []
        for write in self.writes():
            effect = (write.path, write.key or str(write.receipt))
            if write.path.startswith(prefix) and effect not in known:
                known.add(effect)
                found.append(write.path.removeprefix(prefix))
        return found


@contextmanager
def counting_server(*, slowest_s: float = 0.0) -> Generator[CountingServer]:
    """A server for the time of the block."""
    process = subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, __file__, str(slowest_s)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        yield CountingServer(f"http://127.0.0.1:{int(process.stdout.readline())}")
        process.stdin.close()


def _serve(slowest_s: float) -> None:
    writes: list[Write] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == _WRITES:
                with lock:
                    self._answer(writes)
            else:
                self._answer(LISTED)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                receipt = len(writes) + 1
                writes.append(Write(self.path, self.headers.get("Idempotency-Key", ""), receipt))
            if slowest_s:
                time.sleep(random.uniform(0, slowest_s))  # noqa: S311 - no secret
            self._answer({"receipt": receipt})

        def _answer(self, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the output clean."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: object) -> None:
            """A client that dies does not read its response."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    print(server.server_port, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    _serve(float(sys.argv[1]))
