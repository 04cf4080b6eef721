"""Counters of the use of tools."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from restwright.net.counters import add_counts, read_counts
from restwright.tools.catalog.usage import (
    ToolUsage,
    UsageAdvice,
    UsageCounter,
    advise_on_usage,
    count_usage,
)


def test_what_happens_to_a_tool_is_counted() -> None:
    counter = UsageCounter()
    counter.count_offered(["a", "b", "a"])
    counter.count_call("a", kind="mismatch", is_repaired=True)
    counter.count_call("a")

    assert count_usage(["a", "b", "c"], counter.counts) == (
        ToolUsage(tool="a", offered=1, called=2, failed=1, mismatched=1, repaired=1),
        ToolUsage(tool="b", offered=1),
        ToolUsage(tool="c"),
    )


def test_what_was_offered_often_and_never_called_is_to_be_pruned() -> None:
    uses = (
        ToolUsage(tool="never", offered=20),
        ToolUsage(tool="rarely", offered=19),
        ToolUsage(tool="fine", offered=50, called=20, failed=2),
        ToolUsage(tool="bad", offered=50, called=20, failed=11),
        ToolUsage(tool="odd", offered=50, called=20, repaired=15),
    )
    assert advise_on_usage(uses) == (
        UsageAdvice(tool="never", what="offered 20 times and never called; hide it"),
        UsageAdvice(tool="bad", what="11 of 20 calls failed; look at its description"),
        UsageAdvice(tool="odd", what="15 of 20 calls were repaired; look at its description"),
    )


def test_counts_add_up_in_a_file_of_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "usage.sqlite3"
    assert read_counts(path) == {}
    add_counts(path, {})
    assert not path.exists()
    add_counts(path, {("a", "called"): 2})
    add_counts(path, {("a", "called"): 3, ("b", "offered"): 1})

    assert read_counts(path) == {("a", "called"): 5, ("b", "offered"): 1}
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.process
def test_processes_that_count_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "usage.sqlite3"
    code = (
        "import sys; from pathlib import Path; from restwright.net.counters import add_counts\n"
        "for _ in range(25): add_counts(Path(sys.argv[1]), {('a', 'called'): 1})"
    )
    argv = [sys.executable, "-c", code, str(path)]
    running = [subprocess.Popen(argv) for _ in range(3)]  # noqa: S603  (our own interpreter)

    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert read_counts(path) == {("a", "called"): 75}


def test_a_file_that_is_something_else_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "usage.sqlite3"
    path.write_text("no database, and long enough to be looked at" * 50)

    with pytest.raises(OSError, match=r"usage\.sqlite3"):
        read_counts(path)
    with pytest.raises(OSError, match=r"usage\.sqlite3"):
        add_counts(path, {("a", "called"): 1})
