"""`worker` and `queue`: what is added is answered by the agent that was named, and shown."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.postgres import PostgresServer, postgres

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.cli import main

__all__ = ["postgres"]

pytestmark = pytest.mark.postgres
ROOT = Path(__file__).parents[3]
THINGS = """\
openapi: 3.0.3
info: {title: Things, version: "1"}
servers: [{url: "http://127.0.0.1:9"}]
paths:
  /things: {get: {operationId: list_things, responses: {"200": {description: All}}}}
"""
KEEPER = "{title: Keeper, agent: calling, apis: [{document: things.yaml, alias: things}]}"


@pytest.fixture
def things(tmp_path: Path) -> Path:
    (tmp_path / "keeper.yaml").write_text(KEEPER, "utf-8")
    made = tmp_path / "things.yaml"
    made.write_text(THINGS, "utf-8")
    return made


def test_a_worker_answers_what_is_added(
    postgres: PostgresServer, things: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.url(tenant=secrets.token_hex(4))
    place = ("--queue", "things", "--journal", url)

    def queue(*words: str) -> str:
        assert main(["queue", *words, *place]) == 0
        return capsys.readouterr().out

    assert queue("add", "What is there?", "--name", "one", "--agent", "restwright") == "one\n"
    queue("add", "What is there?", "--name", "two", "--agent", "keeper", "--priority", "3")
    queue("add", "What is there?", "--name", "three")
    assert main(["sessions", "list", "--journal", url]) == 0
    assert capsys.readouterr().out.count("\tqueued\t") == 3
    sources = (str(things), str(things.with_name("keeper.yaml")), "--agent", "calling")
    command = [sys.executable, "-m", "tests.support.doors.serve_scripted", "worker", *sources]
    with subprocess.Popen(  # noqa: S603 - our own code
        [*command, *place, "--id", "worker-7"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RESTWRIGHT_WORKER_ID": "another"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "worker-7 takes runs from things\n"
        until = time.monotonic() + 60
        while len(left := json.loads(queue("list", "--json"))["runs"]) != 1 or "why" not in left[0]:
            assert time.monotonic() < until
            time.sleep(0.2)
        while (left := json.loads(queue("list", "--json"))["runs"])[0]["state"] != "failed":
            assert time.monotonic() < until
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    (failed,) = left
    assert (failed["session"], failed["why"], failed["worker"]) == ("three", "usage", "worker-7")
    assert "which agent is not said" in said
    assert "canary" not in said
    assert "\tended\tworker-7\t3\t1\tkeeper" in queue("list", "--every")
    with PostgresJournal(url) as journal:
        kept = [journal.find(name) for name in ("one", "two")]
        assert [summary.stopped for summary in kept] == ["answered", "answered"]
        assert [summary.header.agent for summary in kept] == ["calling", ""]
    assert queue("retry", "--every") == "1 run put back\n"
    assert main(["queue", "retry", *place]) == 2
    assert "name the sessions" in capsys.readouterr().err


def test_a_queue_needs_a_database(things: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ("--queue", "things", "--journal", f"sqlite:{things}.sqlite3")
    assert main(["queue", "add", "What is there?", *place]) != 0
    said = capsys.readouterr().err
    assert "a queue needs a journal on PostgreSQL" in said
    assert main(["worker", str(things), *place]) != 0
    assert "a queue needs a journal on PostgreSQL" in capsys.readouterr().err
