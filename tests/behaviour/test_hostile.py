"""Hostile texts cost their readers no more than their length, and raise only what is said."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.hostile import READERS, Reader

ROWS = json.loads((Path(__file__).parents[1] / "adversarial/hostile.json").read_text())
LENGTH, TIMES = 2_000, 4
SLOW_S = 0.002
"""What takes longer for a quarter of `LENGTH` is told from noise at that length."""
# What is quadratic takes sixteen times as long; what is linear may take twice what it should.
MOST, NOISE_S = 2 * TIMES, 0.005


def filled(row: dict[str, str], length: int) -> str:
    head, unit, tail = (row.get(name, "") for name in ("head", "unit", "tail"))
    return head + unit * (length // len(unit)) + tail


def seconds(reader: Reader, text: str, *, tries: int = 1) -> float:
    """Of this process alone; the least of some tries."""
    found: list[float] = []
    for _ in range(tries):
        started = time.process_time()
        with suppress(*reader.refuses):
            reader.read(text)
        found.append(time.process_time() - started)
    return min(found)


def is_linear(reader: Reader, row: dict[str, str]) -> bool:
    short = filled(row, LENGTH // 4)
    length = LENGTH // 4 if seconds(reader, short, tries=3) > SLOW_S else LENGTH
    text, longer = filled(row, length), filled(row, TIMES * length)
    for tries in (1, 3):
        taken = seconds(reader, longer, tries=tries)
        if taken <= NOISE_S or taken <= MOST * seconds(reader, text, tries=tries):
            return True
    return False


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_at_most_linear_time(name: str) -> None:
    reader = READERS[name]
    seconds(reader, "a")  # what is imported and compiled once
    assert [row["name"] for row in ROWS if not is_linear(reader, row)] == []
