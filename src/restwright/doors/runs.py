"""
The runs that clients have under way, and those that wait for the word of their user.

A protocol of others ends its request where the user is asked, and brings the answer with another
one. Until then the run stands still where it asked, so that what goes on is exactly what was shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from restwright.agents.events import Event
from restwright.agents.runtime.stream_events import AskingEvent
from restwright.calls.approval.approval import APPROVAL_LIFETIME_S

MAX_RUNS = 100
"""Under way at the same time, of all clients together."""
MAX_WAITING = 100
"""That wait for their user; whoever waits longest goes first."""


class TooManyRuns(Exception):
    """No other run can begin now."""


@dataclass(slots=True, eq=False)
class ActiveRun:
    """
    A run that is asked for its events by one request at a time.

    Args:
        asked: What its user is asked, put here by who is given that event; None while it goes on.
    """

    events: AsyncGenerator[Event]
    asked: AskingEvent | None = None

    async def go_on(self) -> AsyncGenerator[Event]:
        """Give what happens, up to the end, or to the event that is `asked` when it is given."""
        self.asked = None
        async for event in self.events:
            yield event
            if self.is_waiting:
                return

    @property
    def is_waiting(self) -> bool:
        """Whether it stands still until its user has said something."""
        return self.asked is not None

    async def close(self) -> None:
        """End it with its requests; one that has ended stays so."""
        await self.events.aclose()


@dataclass(frozen=True, slots=True)
class _Waiting:
    run: ActiveRun
    end: asyncio.TimerHandle


@dataclass(slots=True, kw_only=True)
class RunTable:
    """
    Counts the runs of one server, and keeps those that wait.

    Args:
        lifetime_s: Seconds that a run waits for its user.
    """

    max_runs: int = MAX_RUNS
    max_waiting: int = MAX_WAITING
    lifetime_s: float = APPROVAL_LIFETIME_S
    _running: int = 0
    _waiting: dict[str, _Waiting] = field(default_factory=dict[str, _Waiting])
    _closing: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def is_full(self) -> bool:
        """Whether no other run can begin now."""
        return self._running >= self.max_runs

    @property
    def running(self) -> int:
        """How many are under way now."""
        return self._running

    @property
    def waiting(self) -> int:
        """How many wait for their user now."""
        return len(self._waiting)

    @asynccontextmanager
    async def attend(self, begin: Callable[[], ActiveRun]) -> AsyncGenerator[ActiveRun]:
        """
        Go along with a run. It ends with the block, unless it was told to `wait()`.

        Args:
            begin: Called where there is room for it.

        Raises:
            TooManyRuns: There is none.
        """
        if self.is_full:
            raise TooManyRuns
        self._running += 1
        run: ActiveRun | None = None
        try:
            run = begin()
            yield run
        finally:
            self._running -= 1
            if run is not None and all(
                waiting.run is not run for waiting in self._waiting.values()
            ):
                await run.close()

    def wait(self, key: str, run: ActiveRun) -> None:
        """Keep a run that asks its user; one that waits under the same key ends."""
        self.drop(key)
        end = asyncio.get_running_loop().call_later(self.lifetime_s, self.drop, key)
        self._waiting[key] = _Waiting(run, end)
        while len(self._waiting) > self.max_waiting:
            self.drop(next(iter(self._waiting)))

    def find(self, key: str) -> ActiveRun | None:
        """The run that waits under a key, which goes on waiting."""
        waiting = self._waiting.get(key)
        return waiting.run if waiting is not None else None

    def take(self, key: str) -> ActiveRun | None:
        """The run that waits under a key; a second time there is none."""
        waiting = self._waiting.pop(key, None)
        if waiting is None:
            return None
        waiting.end.cancel()
        return waiting.run

    def drop(self, key: str) -> None:
        """End the run that waits under a key."""
        if (run := self.take(key)) is not None:
            task = asyncio.get_running_loop().create_task(run.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def expiry(self) -> str:
        """Until when a run waits that begins to now, as ISO 8601."""
        end = datetime.now(UTC) + timedelta(seconds=self.lifetime_s)
        return end.isoformat(timespec="seconds").replace("+00:00", "Z")

    async def close(self) -> None:
        """End all that wait."""
        for key in [*self._waiting]:
            self.drop(key)
        await asyncio.gather(*self._closing, return_exceptions=True)
