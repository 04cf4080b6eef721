"""The questions of RestBench to the music service, and what answers them in any world."""

from __future__ import annotations

from restwright_bench.queries.query import Oracle
from restwright_bench.queries.spotify import arranging, keeping, listening, telling


def oracles() -> tuple[Oracle, ...]:
    """One for each query, by index."""
    rooms = (telling, listening, keeping, arranging)
    found = [each for room in rooms for each in room.oracles()]
    return tuple(sorted(found, key=lambda each: each.index))
