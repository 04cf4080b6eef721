"""A journal of a tenant of its own, a shop that counts, and workers as programs."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.postgres import PostgresServer, postgres

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.workers.queues import RunQueue

__all__ = ["postgres"]

ROOT = Path(__file__).parents[2]
WORKING = ROOT / "tests" / "support" / "programs" / "working.py"
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.url(tenant=secrets.token_hex(4))


@pytest.fixture
def journal(url: str) -> Generator[PostgresJournal]:
    with PostgresJournal(url) as opened:
        yield opened


@pytest.fixture
def queue(journal: PostgresJournal) -> Generator[RunQueue]:
    with RunQueue(journal, "shop") as opened:
        yield opened


@pytest.fixture
def shop() -> Generator[tuple[str, Counter[str]]]:
    """Its address, and how often each pin paid."""
    paid: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            paid[body["pin"]] += 1
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "3")
            self.end_headers()
            self.wfile.write(b"[1]")

        def log_message(self, *_: object) -> None:
            """Keep the output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paid
        server.shutdown()
        thread.join()


@pytest.fixture
def start(url: str, shop: tuple[str, Counter[str]]) -> Generator[Start]:
    """Start a worker, and wait until it takes runs."""
    with ExitStack() as ending:

        def begin(name: str, *more: str, is_awaited: bool = True) -> subprocess.Popen[str]:
            process = subprocess.Popen(  # noqa: S603 - our own code
                [sys.executable, WORKING, url, "shop", name, shop[0], *more],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            ending.callback(process.stdout.close)  # type: ignore[union-attr]
            ending.callback(process.wait)
            ending.callback(process.kill)
            if is_awaited:
                assert process.stdout.readline() == "up\n"  # type: ignore[union-attr]
            return process

        yield begin
