"""How often pages that watch are told what is new: all of them share what the processor can do."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

SHORTEST_S = 0.04
"""Words that come within it are shown together."""
_SHARE = 0.3
"""Of the processor, for the updates of all pages together; the rest is for what they tell of."""


@dataclass(slots=True)
class Pace:
    """The pace of all pages that watch."""

    _watching: int = 0

    @contextmanager
    def watch(self) -> Generator[None]:
        """Count a page that watches for as long as the block goes on."""
        self._watching += 1
        try:
            yield
        finally:
            self._watching -= 1

    def pause_s(self, cost_s: float) -> float:
        """As long as a page waits after an update that took so many seconds of the processor."""
        return max(SHORTEST_S, self._watching * cost_s / _SHARE)
