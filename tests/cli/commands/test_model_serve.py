"""`model serve`, with the real engine and a model of random weights in place of the local one."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.tiny_model import write_tiny_model

from restwright.agents.models.model_files import MODELS, _write_stamp, model_path
from restwright.agents.models.registry import model_named
from restwright.agents.models.server_record import read_record, record_path
from restwright.agents.steps import Complete, Message
from restwright.net.storage import cache_folder

pytestmark = pytest.mark.process


@pytest.fixture
def file(home: Path) -> Path:
    """The model of random weights where the local one lies, as if it had been checked."""
    path = model_path("local")
    path.parent.mkdir(parents=True)
    write_tiny_model(path)
    _write_stamp(path, MODELS["local"].sha256)
    return path


@contextmanager
def serving(*options: str) -> Generator[subprocess.Popen[str]]:
    server = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "restwright", "model", "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield server
    finally:
        server.kill()
        server.communicate()


def first_line(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    return server.stdout.readline()


def test_it_serves_until_it_is_stopped(restwright, file: Path) -> None:
    with serving() as server:
        said = first_line(server)
        record = read_record("local")
        assert record is not None
        assert said == f"local listens on {record.address} (process {server.pid})\n"
        finding = next(
            check
            for check in restwright("doctor", "--json").json["checks"]
            if check["what"] == "model server"
        )
        assert finding["ok"] is True
        assert f"process {server.pid}" in finding["state"]
        assert record.key not in said + finding["state"]
        model = model_named("local")
        request = Complete(role="x", messages=(Message("user", "Hi"),), max_tokens=5)
        assert model.complete(request, deadline_s=60).output_tokens == 5
        again = restwright("model", "serve")
        assert (again.code, "served already" in again.err) == (2, True)
        assert restwright("model", "serve", "--stop").out == "stopped\n"
        assert server.wait(30) == 0
    assert not record_path("local").exists()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_nothing_is_left(file: Path, how: signal.Signals) -> None:
    with serving("--port", "0") as server:
        assert "127.0.0.1:" in first_line(server)
        server.send_signal(how)
        out, err = server.communicate(timeout=30)
        assert (server.returncode, out, err.strip()) == (130, "", "ended")
    assert not record_path("local").exists()


def test_what_a_killed_server_leaves_is_no_server(restwright, file: Path) -> None:
    with serving() as server:
        first_line(server)
        server.kill()
        server.wait()
    assert record_path("local").exists()
    assert restwright("model", "serve", "--stop").code == 1
    states = {check["what"]: check for check in restwright("doctor", "--json").json["checks"]}
    assert states["model server"]["ok"] is None
    with serving("--idle", "1s") as server:
        first_line(server)
        assert server.wait(30) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--idle", "soon"), "write it like 90s, 15m or 2h"),
        (("--idle", "0s"), "write it like 90s, 15m or 2h"),
        (("--port", "0", "--socket", "x"), "give one of them"),
        (("nothing",), "there are: local"),
        (("--port", "70000"), "Invalid value for '--port'"),
    ],
)
def test_what_cannot_be_meant_is_said(
    restwright, file: Path, options: tuple[str, ...], said: str
) -> None:
    ended = restwright("model", "serve", *options)
    assert ended.code in {1, 2}
    assert said in ended.err


def test_there_is_nothing_to_stop(restwright) -> None:
    ended = restwright("model", "serve", "--stop", "--json")
    assert (ended.code, ended.json) == (1, {"name": "local", "stopped": False})


def test_pulling_keeps_what_prompts_begin_with(restwright, file: Path) -> None:
    assert restwright("model", "pull").out == f"{file}\n"
    states = list((cache_folder() / "prefixes").iterdir())
    assert len(states) >= 5
    times = {state.name for state in states}
    assert restwright("model", "pull", "-q").code == 0
    assert {state.name for state in (cache_folder() / "prefixes").iterdir()} == times


def test_pulling_keeps_nothing_where_caches_are_off(
    restwright, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert restwright("model", "pull").code == 0
    assert not (cache_folder() / "prefixes").exists()
