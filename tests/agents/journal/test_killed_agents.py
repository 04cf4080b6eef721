"""`kill -9` at moments of real runs: no write twice, and none that nothing tells of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.net.handlers import JSONHandler, serve_handler
from tests.support.programs.killed_run import CASKS, ENDS, KINDS
from tests.support.properties import IS_LARGE

from restwright.jsontypes import JsonObject

PROGRAM = Path(__file__).parents[2] / "support" / "programs" / "killed_run.py"
ROOT = Path(__file__).parents[3]
ONE_MOMENT = {"rest": "48", "calling": "15", "react": "19"}
Effects = defaultdict[str, Counter[int]]
"""`{name of the run: {cask: how often it was sealed}}`."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")


@pytest.fixture(scope="module")
def cellar() -> Generator[tuple[str, Effects]]:
    effects: Effects = defaultdict(Counter)
    lock = threading.Lock()

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            self.answer([{"id": cask, "name": f"Cask {cask}"} for cask in CASKS])

        def do_POST(self) -> None:
            name, _, cask = self.path.removesuffix("/seal").removeprefix("/").split("/")
            with lock:
                effects[name][int(cask)] += 1
            self.answer({"sealed": True})

    with serve_handler(Handler) as url:
        yield url, effects


def killed(kind: str, url: str, folder: Path, moments: str, again: int) -> list[JsonObject]:
    """How runs ended that were killed and taken up again."""
    subprocess.run(  # noqa: S603 - our own code
        [sys.executable, PROGRAM, url, folder, kind, moments, str(again)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    return [json.loads(line) for line in (folder / ENDS).read_text("utf-8").splitlines()]


def check_end(ended: JsonObject, effects: Counter[int]) -> bool:
    """Hold the end of a run to what the server did; whether a write is in doubt."""
    assert all(times == 1 for times in effects.values()), (ended, effects)
    told = dict(ended["writes"])
    assert {*effects} <= {*told}, (ended, effects)
    if ended["stopped"] == "answered":
        assert {*effects} == {*CASKS}, (ended, effects)
        assert {*told.values()} == {"done"}, ended
        return False
    assert "unknown" in told.values(), ended
    return True


@pytest.mark.process
@pytest.mark.parametrize("kind", KINDS if IS_LARGE else KINDS[:3])
def test_no_write_is_sent_twice_whenever_an_agent_is_killed(
    kind: str, cellar: tuple[str, Effects], tmp_path: Path
) -> None:
    """At one moment of each kind by default, at each moment in the large profile."""
    url, effects = cellar
    ends = killed(kind, url, tmp_path, "all" if IS_LARGE else ONE_MOMENT[kind], 0)
    doubtful = [check_end(ended, effects[ended["name"]]) for ended in ends]
    assert len(ends) >= (20 if IS_LARGE else 1)
    assert any(doubtful) or not IS_LARGE


@pytest.mark.process
@pytest.mark.skipif(not IS_LARGE, reason="many runs")
@pytest.mark.parametrize("again", [1, 7, 13])
@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_may_be_killed_again_while_it_goes_on(
    kind: str, again: int, cellar: tuple[str, Effects], tmp_path: Path
) -> None:
    url, effects = cellar
    ends = killed(kind, url, tmp_path, "all", again)
    assert ends
    for ended in ends:
        check_end(ended, effects[ended["name"]])
