"""
How much one origin is asked for: a pace, a rest after failures in a row, and a budget of retries.

Pure bookkeeping over a clock; whoever asks does the waiting. `Traffic` is what a transport needs of
it, so that machines can share one by a database.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, Protocol
from uuid import uuid4

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

    @property
    def every_s(self) -> float:
        """Seconds from the start of one request to that of the next, at least."""
        return 0.0 if self.per_second is None else 1 / self.per_second


_WINDOW_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    One attempt that wants to go out.

    Args:
        origin: Where to.
        is_safe: Whether it changes nothing there.
        is_retry: Whether the same request went out before; it is not kept back by a rest.
        left_s: Seconds after which it is over at the latest, waits included.
        id: Of this attempt alone.
    """

    origin: Origin
    is_safe: bool = True
    is_retry: bool = False
    left_s: float = 0.0
    id: str = field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True, slots=True)
class Admission:
    """
    When an attempt may go out.

    Args:
        verdict: `go` after so many seconds; `wait` so long and ask again; `rest`: not at all, since
            the origin is left alone for so long.
    """

    verdict: Literal["go", "wait", "rest"]
    seconds: float = 0.0


class Traffic(Protocol):
    """
    What is asked of every origin by all who share it: `LocalTraffic`, or one over a database.

    Each turn that may go is reported, or abandoned. All methods may be called from any thread.
    """

    @property
    def does_io(self) -> bool:
        """Whether `admit` and `report` may take long, so that an event loop calls no such thing."""
        ...

    def admit(self, turn: Turn) -> Admission:
        """
        Say when a turn may go out; one that is to wait is asked about again.

        Raises:
            OSError: It cannot be known.
        """
        ...

    def report(self, turn: Turn, *, has_failed: bool, rest_s: float = 0.0) -> bool:
        """
        Take in how an attempt ended.

        Args:
            has_failed: Whether no usable response came.
            rest_s: For how long the server asked to be left alone.

        Returns:
            Whether it may be tried again, as far as its failures go.
        """
        ...

    def abandon(self, turn: Turn) -> None:
        """Give up a turn that does not go out, or of which nobody knows how it ended; at once."""
        ...

    def is_retry_allowed(self, origin: Origin) -> bool:
        """Take one retry out of the budget of this process, where there is one left."""
        ...


class SharesTraffic(Protocol):
    """Makes the traffic of a transport that others share."""

    def traffic(self, limits: TransportLimits) -> Traffic:
        """Return what is asked of every origin by all who share it, within `limits`."""
        ...


@dataclass(slots=True)
class _OriginRecord:
    requests: deque[float] = field(default_factory=deque[float])
    retries: deque[float] = field(default_factory=deque[float])
    failures: int = 0
    cooldown_until: float = 0.0
    next_start: float = 0.0


class LocalTraffic:
    """
    What this process asked of every origin lately. Shared by threads; see `Traffic`.

    How many are under way is the affair of whoever sends.

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

    @property
    def does_io(self) -> bool:
        """It does none."""
        return False

    def admit(self, turn: Turn) -> Admission:
        """Say when a turn may go out."""
        rest_s = 0.0 if turn.is_retry else self.cooldown_s(turn.origin)
        return Admission("rest", rest_s) if rest_s else Admission("go", self.pause_s(turn.origin))

    def report(self, turn: Turn, *, has_failed: bool, rest_s: float = 0.0) -> bool:
        """Take in how an attempt ended."""
        self.record_attempt(turn.origin, has_failed=has_failed, rest_s=rest_s)
        return self._record(turn.origin).failures < self._limits.max_failures

    def abandon(self, turn: Turn) -> None:
        """Nothing is held for a turn."""

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
        self.record_request(origin)
        with self._lock:
            record, now = self._record(origin), self._clock()
            start = max(now, record.next_start)
            record.next_start = start + self._limits.every_s
            return start - now

    def record_request(self, origin: Origin) -> None:
        """Count a request, of which retries are a share."""
        with self._lock:
            record, now = self._record(origin), self._clock()
            _drop_expired(record.requests, now)
            record.requests.append(now)

    def record_attempt(self, origin: Origin, *, has_failed: bool, rest_s: float = 0.0) -> None:
        """Take in how an attempt ended, and for how long the server asked to be left alone."""
        with self._lock:
            record, now = self._record(origin), self._clock()
            record.failures = record.failures + 1 if has_failed else 0
            if record.failures == self._limits.max_failures:
                record.cooldown_until = now + self._limits.cooldown_s
            if rest_s > 0:
                record.next_start = max(record.next_start, now + rest_s)

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
