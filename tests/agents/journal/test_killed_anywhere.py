"""Runs that are killed at every moment, in every kind of journal, and taken up again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.kills.counting_server import LISTED, CountingServer, counting_server

from restwright.jsontypes import JsonObject

RUN = Path(__file__).parents[2] / "support" / "programs" / "journaled_run.py"


@pytest.fixture(scope="module")
def server() -> Generator[CountingServer]:
    with counting_server() as serving:
        yield serving


WHOLE = ["keyed?name=NAMES-1", "plain?name=NAMES", "keyed?name=NAMES-2"]


def killed(server: CountingServer, name: str, place: str, *, again: int = 0) -> list[bool]:
    """Of each run that was killed at a moment of its own, and taken up again: was it in doubt."""
    told = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, RUN, f"{server.url}/{name}", place, str(again)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    effects: defaultdict[int, list[str]] = defaultdict(list)
    for path in server.effects(f"/{name}/"):
        moment, _, effect = path.partition("/")
        effects[int(moment)].append(effect)
    ends = [json.loads(line) for line in told.stdout.splitlines()]
    return [is_doubtful(ended, effects[ended["moment"]]) for ended in ends]


def is_doubtful(ended: JsonObject, effects: list[str]) -> bool:
    """Whether a run ended in doubt; where it did not, all effects are there, once."""
    if ended["stopped"] == "answered":
        assert effects == WHOLE
        *read, first, second, third = json.loads(ended["text"])
        assert read == [LISTED, LISTED]
        assert first["receipt"] < second["receipt"] < third["receipt"]
        return False
    assert "whether it took effect is unknown" in ended["reason"]
    assert effects in (WHOLE[:1], WHOLE[:2])
    return True


pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9"),
]


def test_a_run_that_is_killed_anywhere_goes_on_without_a_second_effect(
    server: CountingServer, place: Callable[[str], str], kind: str
) -> None:
    """The doubtful moments are those between the sending of a write without a key and its end."""
    doubtful = killed(server, f"once-{kind}", place("MOMENT"))
    # After it is kept that the write is sent; before and after sending; before its outcome is kept.
    assert sum(doubtful) == 4
    assert len(doubtful) > 30


@pytest.mark.parametrize("again", [1, 11])
def test_a_run_may_be_killed_again_while_it_goes_on(
    server: CountingServer, place: Callable[[str], str], kind: str, again: int
) -> None:
    doubtful = killed(server, f"{again}-{kind}", place("MOMENT"), again=again)
    assert 4 <= sum(doubtful) < len(doubtful) / 2
    assert len(doubtful) > 30
