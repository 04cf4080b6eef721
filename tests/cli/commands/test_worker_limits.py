"""`worker`: what one API is asked for at most holds for all workers together."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.net.busy_server import running_busy_server
from tests.support.postgres import PostgresServer, postgres

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.workers.queues import RunQueue

__all__ = ["postgres"]

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "support" / "programs" / "calling_worker.py"
THINGS = """\
openapi: 3.0.3
info: {title: Things, version: "1"}
paths:
  /things:
    get:
      operationId: list_things
      responses:
        "200":
          description: All
          content: {application/json: {schema: {type: object}}}
"""
RUNS = 12


def test_two_workers_keep_to_the_places_of_one(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.url(tenant=secrets.token_hex(4))
    document = tmp_path / "things.yaml"
    document.write_text(THINGS, "utf-8")
    with running_busy_server(0.3) as server, ExitStack() as stack:
        server.body = b'{"at": "/seen/"}'
        journal = stack.enter_context(PostgresJournal(url))
        queue = stack.enter_context(RunQueue(journal, "things"))
        names = [queue.add("What is there?", name=f"run-{number}") for number in range(RUNS)]
        sources = (f"things={document}", "--server", server.url, "--agent", "calling")
        place = ("--queue", "things", "--journal", url, "--max-concurrent", "2")
        workers = [
            stack.enter_context(
                subprocess.Popen(  # noqa: S603 - our own code
                    [sys.executable, PROGRAM, "worker", *sources, *place, "--id", f"worker-{id_}"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                )
            )
            for id_ in range(2)
        ]
        try:
            until = time.monotonic() + 120
            while any(journal.find(name).stopped != "answered" for name in names):
                assert time.monotonic() < until
                time.sleep(0.2)
        finally:
            for process in workers:
                process.send_signal(signal.SIGTERM)
            said = [process.communicate(timeout=60)[1] for process in workers]
    assert len(server.starts) == RUNS, said
    assert server.most == 2
    assert all("tokens of OAuth stay on this machine" in text for text in said)
