"""Processes of servers: on a free port of loopback, stopped with everything they started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

from restwright.errors import RestwrightError
from restwright_bench.servers.client import HOST, Client, RefusedByServer
from restwright_bench.servers.server import Launch, Place, Server

_STARTS_WITHIN_S = 90.0
_STOPS_WITHIN_S = 5.0
# The shell ends the group when its input is closed, which happens however this process ends; and
# when the server ends by itself.
_WATCH = '("$@" </dev/null; kill -KILL 0) & cat >/dev/null; kill -KILL 0'
# A port that nothing listens to: a server that asks for updates is told at once that it cannot.
_NOWHERE = f"http://{HOST}:9"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


class ServerDidNotStart(RestwrightError):
    """A real server did not answer in time."""

    code = "server_did_not_start"

    def __init__(self, name: str, told: str) -> None:
        super().__init__(name, told)
        self.name, self.told = name, told

    @property
    def message(self) -> str:
        """Which server, and the end of what it wrote."""
        return f"{self.name} ended, or did not answer within {_STARTS_WITHIN_S:.0f} s: {self.told}"

    @property
    def hint(self) -> str:
        """How to install it again."""
        return f"install it again: restwright-bench servers-setup {self.name} --again"


@contextmanager
def serving(server: Server, installed: Path) -> Generator[tuple[Client, Place]]:
    """Run a server in a folder of its own until the block ends."""
    with tempfile.TemporaryDirectory(prefix=f"{server.name}-", ignore_cleanup_errors=True) as run:
        place = Place(installed=installed.absolute(), run=Path(run), port=free_port())
        with running(server.launch(place), place) as process:
            client = Client(place.port, server.headers)
            _wait(server, client, place, process)
            yield client, place


def free_port() -> int:
    """A port of loopback that nobody listens to."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


@contextmanager
def running(launch: Launch, place: Place) -> Generator[subprocess.Popen[bytes]]:
    """Run a process, with whatever it starts, until the block ends or this process does."""
    with _log(place).open("wb") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "sh", *launch.command],
            cwd=launch.folder or place.run,
            env=_environment(place) | dict(launch.environment),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            _stop(process, place.port)


def _stop(process: subprocess.Popen[bytes], port: int) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(_STOPS_WITHIN_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    # The shell is gone at once; the server may take a moment more.
    ends = time.monotonic() + _STOPS_WITHIN_S
    while _is_listening(port) and time.monotonic() < ends:
        time.sleep(0.01)


def _is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0


def _environment(place: Place) -> dict[str, str]:
    """Nothing of the user's but where programs are: no credentials, and no way out by a proxy."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    proxies = {form: _NOWHERE for name in _PROXIES for form in (name, name.lower())}
    return kept | proxies | {"HOME": str(place.run), "NO_PROXY": HOST, "no_proxy": HOST}


def _wait(server: Server, client: Client, place: Place, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < ends and process.poll() is None:
        with suppress(OSError, HTTPException, RefusedByServer):
            client.text("GET", server.ready)
            return
        time.sleep(0.1)
    raise ServerDidNotStart(server.name, _log(place).read_text(errors="replace")[-300:])


def _log(place: Place) -> Path:
    return place.run / "server.log"
