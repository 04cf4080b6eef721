"""How a number of characters is shared out among tools."""

from __future__ import annotations

from collections.abc import Sequence


def shares(sizes: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """
    Share `room` out among things of these sizes: to each its size, or as much as to all the others.

    What a small one leaves over goes to the larger ones. None gets less than its `least`, so these
    must fit together.
    """
    low, high = 0, max(sizes, default=0)
    while low < high:
        level = (low + high + 1) // 2
        if sum(_at(level, sizes, least)) <= room:
            low = level
        else:
            high = level - 1
    return _at(low, sizes, least)


def fitting(least: Sequence[int], room: int) -> list[int]:
    """The places of those that fit, by their `least` and one after the other; the first first."""
    kept: list[int] = []
    for place, size in enumerate(least):
        if size <= room:
            kept.append(place)
            room -= size
    return kept


def _at(level: int, sizes: Sequence[int], least: Sequence[int]) -> list[int]:
    return [max(min(size, level), minimum) for size, minimum in zip(sizes, least, strict=True)]
