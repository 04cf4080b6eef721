"""
How much one origin is asked for: a pace, a rest after failures in a row, and a budget of retries.

Pure bookkeeping over a clock; whoever asks does the waiting.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from restwright.net.policy.origins import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportLimits:
    """
    What one origin is asked for at most.

    Args:
        max_concurrent: Requests under way at the same time; others wait for their turn.
        per_second: Requests that may start in a second; None for as many as there are.
        max_failures: Requests in a row without a response after which the origin is left alone.
        cooldown_s: For how long; then one request is let through to see.
        retry_share: Retries as a share of the requests of the last ten seconds.
        spare_retries: Retries in ten seconds that are always allowed.
    """

    max_concurrent: int = 8
    per_second: float | None = None
    max_failures: int = 5
    cooldown_s: float = 30.0
    retry_share: float = 0.1
    spare_retries: int = 10


_WINDOW_S = 10.0


@dataclass(slots=True)
class _OriginRecord:
    requests: deque[float] = field(default_factory=deque[float])
    retries: deque[float] = field(default_factory=deque[float])
    failures: int = 0
    cooldown_until: float = 0.0
    next_start: float = 0.0


class Traffic:
    """
    What was asked of every origin lately. Shared by threads.

    Args:
        limits: Of each origin.
        clock: Seconds that only grow.
    """

    def __init__(
        self, limits: TransportLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits, self._clock = limits, clock
        self._records: dict[Origin, _OriginRecord] = {}
        self._lock = Lock()

    def cooldown_s(self, origin: Origin) -> float:
        """
        Return for how many seconds `origin` is left alone; 0 where it may be asked.

        After the rest one caller is told 0, and the others to wait for what becomes of it.
        """
        with self._lock:
            record, now = self._record(origin), self._clock()
            if record.failures < self._limits.max_failures:
                return 0.0
            if now < record.cooldown_until:
                return record.cooldown_until - now
            record.cooldown_until = now + self._limits.cooldown_s
            return 0.0

    def pause_s(self, origin: Origin) -> float:
        """Take the next place in the pace, and return the seconds until it comes."""
        with self._lock:
            record, now = self._record(origin), self._clock()
            _drop_expired(record.requests, now)
            record.requests.append(now)
            if self._limits.per_second is None:
                return 0.0
            start = max(now, record.next_start)
            record.next_start = start + 1 / self._limits.per_second
            return start - now

    def record_attempt(self, origin: Origin, *, has_failed: bool) -> None:
        """Take in how an attempt ended."""
        with self._lock:
            record = self._record(origin)
            record.failures = record.failures + 1 if has_failed else 0
            if record.failures == self._limits.max_failures:
                record.cooldown_until = self._clock() + self._limits.cooldown_s

    def is_retry_allowed(self, origin: Origin) -> bool:
        """Take one retry out of the budget, where there is one left."""
        with self._lock:
            record, now = self._record(origin), self._clock()
            if record.failures >= self._limits.max_failures:
                return False
            _drop_expired(record.retries, now)
            _drop_expired(record.requests, now)
            share = self._limits.retry_share * len(record.requests)
            if len(record.retries) >= max(self._limits.spare_retries, share):
                return False
            record.retries.append(now)
            return True

    def _record(self, origin: Origin) -> _OriginRecord:
        return self._records.setdefault(origin, _OriginRecord())


def _drop_expired(instants: deque[float], now: float) -> None:
    while instants and instants[0] < now - _WINDOW_S:
        instants.popleft()
