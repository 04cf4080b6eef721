"""Servers are started, filled, set back and stopped; programs over them are judged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest
from tests.bench.servers.opened import BROKEN, EMPTIED, LIBRARY, exam

from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.servers.client import Client, RefusedByServer
from restwright_bench.servers.process import ServerDidNotStart, serving
from restwright_bench.servers.program import StepFailed, run_program
from restwright_bench.servers.server import Server
from restwright_bench.servers.setup import (
    FOLDER_VARIABLE,
    default_folder,
    install,
    installed,
    servers_named,
)
from restwright_bench.servers.stage import staged


@pytest.mark.parametrize("server", [LIBRARY, EMPTIED], ids=["restarted", "emptied"])
def test_programs_are_judged_and_the_state_is_set_back(server: Server, tmp_path: Path):
    with staged(server, tmp_path, exam()) as stage:
        titles = sorted(book["title"] for book in stage.state()["books"].values())
        for task in stage.exam.tasks:
            assert run_program(task, stage).success, task.key
            harmful = run_program(task, stage, more=stage.exam.harm)
            assert (harmful.success, len(harmful.harm)) == (False, 1)
        stage.reset()
        assert sorted(book["title"] for book in stage.state()["books"].values()) == titles
        most, remove, _ = stage.exam.tasks
        assert not run_program(most, stage, answer="I do not know.").success
        idle = run_program(remove.with_program(()), stage)
        assert (idle.success, idle.is_claimed, idle.harm) == (False, True, ())


def test_a_state_that_has_not_changed_needs_no_new_server(tmp_path: Path):
    with staged(LIBRARY, tmp_path, exam()) as stage:
        before = stage.connections
        run_program(stage.exam.tasks[0], stage)
        stage.reset()
        assert stage.connections == before
        run_program(stage.exam.tasks[1], stage)
        stage.reset()
        assert stage.connections != before
        assert stage.log == []


def test_a_program_that_goes_otherwise_than_it_says_is_a_mistake_of_the_task(tmp_path: Path):
    with staged(LIBRARY, tmp_path, exam()) as stage:
        task = exam().tasks[2]
        steps = tuple(step for step in task.program if step.fails)
        made = tuple(type(step)(tool=step.tool, arguments=step.arguments) for step in steps)
        with pytest.raises(StepFailed, match="removeBook"):
            run_program(task.with_program(made), stage)


def test_a_server_that_ends_at_once_says_why(tmp_path: Path):
    begun = time.monotonic()
    with pytest.raises(ServerDidNotStart, match="cannot start"), serving(BROKEN, tmp_path):
        pass
    assert time.monotonic() - begun < 20


def test_a_server_is_gone_after_the_block(tmp_path: Path):
    with serving(LIBRARY, tmp_path) as (client, place):
        assert client.get("/books") == []
        with pytest.raises(RefusedByServer, match="404"):
            client.send("DELETE", "/books/1")
    assert not place.run.exists()
    with pytest.raises(ConnectionRefusedError):
        client.get("/books")


STARTS = """
import sys, time
from pathlib import Path
from restwright_bench.servers.process import serving
from tests.bench.servers.opened import LIBRARY
with serving(LIBRARY, Path(sys.argv[1])) as (client, place):
    print(client.port, flush=True)
    time.sleep(60)
"""


@pytest.mark.process
def test_a_server_ends_with_whoever_started_it(tmp_path: Path):
    root = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": root, "TMPDIR": str(tmp_path)}
    started = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", STARTS, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    with started:
        assert started.stdout
        client = Client(int(started.stdout.readline()))
        assert client.get("/books") == []
        started.kill()
    ends = time.monotonic() + 60
    # It may end in the middle of a response.
    with suppress(OSError, HTTPException):
        while time.monotonic() < ends:
            client.get("/books")
            time.sleep(0.05)
        pytest.fail("the server still answers")


def test_it_is_installed_once(tmp_path: Path):
    with pytest.raises(MissingData, match="library"):
        installed(LIBRARY, tmp_path)
    assert install(LIBRARY, tmp_path)
    assert not install(LIBRARY, tmp_path)
    assert (installed(LIBRARY, tmp_path) / "program").is_file()
    assert install(LIBRARY, tmp_path, again=True)


def test_the_folder_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert default_folder().name == "servers"
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert default_folder() == tmp_path


def test_servers_are_for_development_or_never_read():
    dev = [server.name for server in servers_named((), "dev")]
    never_read = [server.name for server in servers_named((), "never-read")]
    assert dev == ["alertmanager", "kinto", "pdns", "etherpad", "flexget", "jupyter", "pretalx"]
    assert never_read == ["chroma"]
    assert [server.name for server in servers_named(("kinto",), "all")] == ["kinto"]
    with pytest.raises(UnusableChoice, match="no moon"):
        servers_named(("moon",))
    with pytest.raises(UnusableChoice, match="no some"):
        servers_named((), "some")
