"""Runs that are killed at every moment, in every kind of journal, and taken up again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.net.handlers import JSONHandler, serve_handler

from restwright.jsontypes import JsonObject

RUN = Path(__file__).parents[2] / "support" / "programs" / "journaled_run.py"


class Effects:
    """What a server did, by run; a key that was seen has no second effect."""

    def __init__(self) -> None:
        self.of: defaultdict[str, list[str]] = defaultdict(list)
        self._keys: set[str] = set()
        self._lock = threading.Lock()

    def happened(self, path: str, key: str) -> None:
        run, _, effect = path.removeprefix("/").rpartition("/")
        with self._lock:
            if not key or key not in self._keys:
                self.of[run].append(effect)
            self._keys.add(key)


@pytest.fixture(scope="module")
def effects() -> Generator[tuple[str, Effects]]:
    done = Effects()

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            self.answer([1, 2])

        def do_POST(self) -> None:
            done.happened(self.path, self.headers.get("Idempotency-Key", ""))
            self.answer({"ok": True})

    with serve_handler(Handler) as url:
        yield url, done


WHOLE = ["keyed?name=NAMES-1", "plain?name=NAMES", "keyed?name=NAMES-2"]


def killed(url: str, place: str, *, again: int = 0) -> list[JsonObject]:
    """How each run ended that was killed at a moment of its own, and taken up again."""
    told = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, RUN, url, place, str(again)], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in told.stdout.splitlines()]


def is_doubtful(ended: JsonObject, effects_of_run: list[str]) -> bool:
    """Whether a run ended in doubt; where it did not, all effects are there, once."""
    if ended["stopped"] == "answered":
        assert effects_of_run == WHOLE
        assert json.loads(ended["text"]) == [[1, 2], [1, 2], *[{"ok": True}] * 3]
        return False
    assert "whether it took effect is unknown" in ended["reason"]
    assert effects_of_run in (WHOLE[:1], WHOLE[:2])
    return True


pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9"),
]


def test_a_run_that_is_killed_anywhere_goes_on_without_a_second_effect(
    effects: tuple[str, Effects], place: Callable[[str], str], kind: str
) -> None:
    """The doubtful moments are those between the sending of a write without a key and its end."""
    url, done = effects
    ends = killed(f"{url}/once-{kind}", place("MOMENT"))
    doubtful = [is_doubtful(each, done.of[f"once-{kind}/{each['moment']}"]) for each in ends]
    # After it is kept that the write is sent; before and after sending; before its outcome is kept.
    assert sum(doubtful) == 4
    assert len(ends) > 30


@pytest.mark.parametrize("again", [1, 11])
def test_a_run_may_be_killed_again_while_it_goes_on(
    effects: tuple[str, Effects], place: Callable[[str], str], kind: str, again: int
) -> None:
    url, done = effects
    ends = killed(f"{url}/{again}-{kind}", place("MOMENT"), again=again)
    doubtful = [is_doubtful(each, done.of[f"{again}-{kind}/{each['moment']}"]) for each in ends]
    assert 4 <= sum(doubtful) < len(ends) / 2
    assert len(ends) > 30
