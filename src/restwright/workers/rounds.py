"""What a worker does beside its runs: it tells that it lives, wakes runs, and watches others."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from restwright.workers.presence import Presence
from restwright.workers.queues import RunQueue

WATCH_S = 1.0
FORGET_S, KEEP_S = 60.0, 86_400.0
"""How often tickets are deleted, and of runs that ended how long ago."""
GONE_S = 3.0
"""For so long a worker has no connection before what it had is taken up; it may be at a new one."""
_LOG = logging.getLogger("restwright.workers")


@dataclass(slots=True)
class Rounds:
    """
    One round after another, of which the leader of a queue does more than the others.

    Args:
        own: Name of this worker, as the engine knows it.
        is_watching: Whether it takes up what other workers left that died.
    """

    queue: RunQueue
    presence: Presence
    own: str
    is_watching: bool
    every_s: float = 0.5
    _woken: set[tuple[str, float]] = field(default_factory=set[tuple[str, float]])
    _gone: Mapping[str, float] = field(default_factory=dict[str, float])
    _watched: float = 0.0
    _forgot: float = 0.0

    def go(self) -> bool:
        """Do one; whether this worker is known as one that lives."""
        try:
            is_present = self.presence.keep()
            if is_present and self.presence.is_leader():
                self._wake()
                self._forget()
                if self.is_watching:
                    self._watch()
        except Exception as error:  # noqa: BLE001 - the database may be away
            _LOG.warning("a round of %s: %s", self.own, type(error).__name__)
            return False
        return is_present

    def _wake(self) -> None:
        """Enqueue the runs of which a question was answered."""
        asked = {
            (question.id, question.answered or 0.0): question
            for question in self.queue.journal.answered_questions()
        }
        for known in asked.keys() - self._woken:
            self.queue.wake(asked[known])
        self._woken = {*asked}

    def _forget(self) -> None:
        """Delete what ended long ago from the queue, which the journal keeps."""
        now = time.monotonic()
        if now - self._forgot >= FORGET_S and self.queue.forget_ended(KEEP_S) == 0:
            self._forgot = now

    def _watch(self) -> None:
        """Take up what workers have that are gone for a while."""
        now = time.monotonic()
        if now - self._watched < WATCH_S:
            return
        self._watched = now
        others = self.queue.busy_executors() - {self.own}
        gone = {
            other: self._gone.get(other, now) for other in others if self.presence.is_gone(other)
        }
        for other, since in gone.items():
            if now - since >= GONE_S:
                self._take_over(other)
        self._gone = gone

    def _take_over(self, other: str) -> None:
        """Put what a worker had back into the queue, and let others have its sessions at once."""
        from dbos import DBOS

        sessions = self.queue.running_sessions(other)
        self.queue.journal.free_leases(other, sessions)
        # The only name of DBOS that does so where nobody runs its Conductor.
        found = DBOS._recover_pending_workflows([other])  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        _LOG.warning("%s is gone; %d of its runs are put back", other, len(found))
