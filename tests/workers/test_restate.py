"""Restate in the place of a queue: its service is killed in a run, and called again."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from tests.support.postgres import free_port
from tests.workers.conftest import ROOT
from tests.workers.test_worker import wait_until

import restwright as rw
from restwright.journal import SessionHeader

SERVER = os.environ.get("RESTATE_SERVER") or shutil.which("restate-server")
PACKAGES = all(importlib.util.find_spec(name) for name in ("restate", "hypercorn"))
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        not (SERVER and PACKAGES),
        reason="Restate is not here: pip install restate-sdk hypercorn, and RESTATE_SERVER=PATH"
        " of restate-server, of npm's @restatedev/restate-server-linux-x64",
    ),
]


@contextmanager
def running(*command: object, port: int, **environment: str) -> Generator[subprocess.Popen[bytes]]:
    """A program, once it listens."""
    with subprocess.Popen(  # noqa: S603 - named by who runs the tests
        [str(word) for word in command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **environment},
    ) as process:
        try:
            wait_until(lambda: is_open(port))
            yield process
        finally:
            process.kill()


def is_open(port: int) -> bool:
    with socket.socket() as made:
        return made.connect_ex(("127.0.0.1", port)) == 0


def post(port: int, path: str, value: object) -> None:
    until = time.monotonic() + 60
    while True:
        body, kind = json.dumps(value).encode(), {"content-type": "application/json"}
        try:
            urlopen(Request(f"http://127.0.0.1:{port}{path}", body, kind)).close()
        except URLError:
            # It listens before it is ready.
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            return


def test_restate_has_a_run_gone_on_with_whose_process_was_killed(
    tmp_path: Path, shop: tuple[str, Counter[str]]
) -> None:
    ingress, admin, node, service = (free_port() for _ in range(4))
    place = f"sqlite:{tmp_path / 'runs.sqlite3'}"
    told = {
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RESTATE_BASE_DIR": str(tmp_path / "restate"),
        "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ingress}",
        "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{admin}",
        "RESTATE_BIND_ADDRESS": f"127.0.0.1:{node}",
        "RESTATE_ADVERTISED_ADDRESS": f"http://127.0.0.1:{node}",
    }
    program = ROOT / "tests" / "support" / "programs" / "restate_service.py"
    serving = (sys.executable, program, place, service, shop[0])
    with (
        rw.journal(place) as journal,
        running(SERVER, port=admin, **told),  # the engine
    ):
        journal.add("order-7", SessionHeader(question="7"))
        with running(*serving, port=service) as first:
            post(admin, "/deployments", {"uri": f"http://127.0.0.1:{service}"})
            post(ingress, "/runs/resume/send", "order-7")
            wait_until(lambda: journal.find("order-7").events >= 3)
            first.kill()
        assert journal.find("order-7").stopped == ""
        with running(*serving, port=service):
            wait_until(lambda: journal.find("order-7").stopped == "answered")
        steps = Counter((entry.place, entry.event) for entry in journal.events("order-7"))
        assert (shop[1], set(steps.values())) == ({"7": 1}, {1})
