"""`kill -9` at moments of real runs: no write twice, and none that nothing tells of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.kills.counting_server import CASKS, CountingServer, counting_server
from tests.support.programs.killed_run import ENDS, KINDS
from tests.support.properties import IS_LARGE

from restwright.jsontypes import JsonObject

PROGRAM = Path(__file__).parents[2] / "support" / "programs" / "killed_run.py"
ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")


@pytest.fixture(scope="module")
def server() -> Generator[CountingServer]:
    with counting_server() as serving:
        yield serving


def killed(kind: str, server: CountingServer, folder: Path, moments: str, again: int) -> list[bool]:
    """Of each run that was killed and taken up again: was a write in doubt at its end."""
    subprocess.run(  # noqa: S603 - our own code
        [sys.executable, PROGRAM, server.url, folder, kind, moments, str(again)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    effects: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for path in server.effects():
        name, _, _, _, cask, _ = path.removeprefix("/").split("/")
        effects[name][int(cask)] += 1
    ends = [json.loads(line) for line in (folder / ENDS).read_text("utf-8").splitlines()]
    return [is_doubtful(ended, effects[ended["name"]]) for ended in ends]


def is_doubtful(ended: JsonObject, effects: Counter[int]) -> bool:
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
    kind: str, server: CountingServer, tmp_path: Path
) -> None:
    """Where a write is done and not kept by default, at each moment in the large profile."""
    doubtful = killed(kind, server, tmp_path, "all" if IS_LARGE else "written", 0)
    assert len(doubtful) >= (20 if IS_LARGE else 1)
    assert any(doubtful)


@pytest.mark.process
@pytest.mark.skipif(not IS_LARGE, reason="many runs")
@pytest.mark.parametrize("again", [1, 7, 13])
@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_may_be_killed_again_while_it_goes_on(
    kind: str, again: int, server: CountingServer, tmp_path: Path
) -> None:
    assert killed(kind, server, tmp_path, "all", again)
