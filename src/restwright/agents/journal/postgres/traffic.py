"""
What the processes of one database ask of every origin: pace, rest and places, by database time.

A request costs two round trips. Nothing is renewed: a place comes free when its request would have
been over at the latest, so that a process that was killed holds none for longer.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Any

from restwright.agents.journal.postgres import limit_schema as sql
from restwright.agents.journal.postgres.pool import Database
from restwright.net.http.throttle import Admission, LocalTraffic, TransportLimits, Turn
from restwright.net.policy.origins import Origin

_log = logging.getLogger("restwright.limits")

_READ_PATIENCE_S = 2.0
"""How long a read waits for a database that is away, until it goes by the limits of its process."""
_AWAY_S = 5.0
"""For how long then no other read waits."""


class PostgresTraffic:
    """
    See `Traffic`. While the database is away reads keep to the limits of their process, and
    whatever may change something is not sent.

    Args:
        limits: The same for all who share them; each request keeps to those that it came with.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        database: Database,
        limits: TransportLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._limits, self._clock = database, limits, clock
        # Counts along, for retries and for when the database is away.
        self._local = LocalTraffic(limits, clock)
        self._held: set[str] = set()
        self._lock = Lock()
        self._away_until = 0.0

    @property
    def does_io(self) -> bool:
        """A database is asked."""
        return True

    def admit(self, turn: Turn) -> Admission:
        """
        Say when a turn may go out; see `Traffic.admit`.

        Raises:
            OSError: The database is away, and the turn may change something.
        """
        if turn.is_safe and self._is_away:
            return self._local.admit(turn)
        with self._lock:
            is_new = turn.id not in self._held
            self._held.add(turn.id)
        if is_new:
            # One that waits asks often, and is one request of which retries are a share.
            self._local.record_request(turn.origin)
        patience_s = min(_READ_PATIENCE_S, turn.left_s) if turn.is_safe else turn.left_s
        try:
            found = self._ask(
                sql.ADMIT,
                turn,
                patience_s=patience_s,
                is_retry=turn.is_retry,
                left_s=turn.left_s,
                max_concurrent=self._limits.max_concurrent,
                every_s=self._limits.every_s,
            )
        except OSError:
            self._let_go(turn)
            if not turn.is_safe:
                raise
            return self._local.admit(turn)
        verdict, seconds = found
        if verdict == "rest":
            self._let_go(turn)
        if verdict == "wait":
            # Who waits together does not ask together.
            seconds *= 0.5 + random.random()  # noqa: S311 - no secret
        return Admission(verdict, seconds)

    def report(self, turn: Turn, *, has_failed: bool, rest_s: float = 0.0) -> bool:
        """Take in how an attempt ended; see `Traffic.report`."""
        may_go_on = self._local.report(turn, has_failed=has_failed, rest_s=rest_s)
        if self._let_go(turn) and not self._is_away:
            try:
                found = self._finish(turn, has_failed=has_failed, rest_s=rest_s)
            except OSError:
                # Its place comes free by itself.
                return may_go_on
            return bool(found[0])
        return may_go_on

    def abandon(self, turn: Turn) -> None:
        """Give up a turn, without waiting for the database."""
        if self._let_go(turn):
            Thread(target=self._free, args=(turn,), name="restwright limits", daemon=True).start()

    def is_retry_allowed(self, origin: Origin) -> bool:
        """Take one retry out of the budget of this process."""
        return self._local.is_retry_allowed(origin)

    @property
    def _is_away(self) -> bool:
        return self._clock() < self._away_until

    def _free(self, turn: Turn) -> None:
        try:
            self._finish(turn, has_failed=None, rest_s=0.0)
        except OSError:
            return

    def _finish(self, turn: Turn, *, has_failed: bool | None, rest_s: float) -> tuple[Any, ...]:
        return self._ask(
            sql.FINISH, turn, patience_s=_READ_PATIENCE_S, has_failed=has_failed, rest_s=rest_s
        )

    def _ask(self, query: str, turn: Turn, *, patience_s: float, **values: Any) -> tuple[Any, ...]:
        values |= {
            "tenant": self._database.address.tenant,
            "origin": str(turn.origin),
            "id": turn.id,
            "max_failures": self._limits.max_failures,
            "cooldown_s": self._limits.cooldown_s,
            "now": None,
        }
        try:
            (found,) = self._database.rows(query, values, patience_s=patience_s)
        except OSError as error:
            if not self._is_away:
                _log.warning("shared limits cannot be asked, reads go by those here: %s", error)
            self._away_until = self._clock() + _AWAY_S
            raise
        self._away_until = 0.0
        return found

    def _let_go(self, turn: Turn) -> bool:
        """Hold a turn no more; whether it was held in the database, or may have been."""
        with self._lock:
            is_held = turn.id in self._held
            self._held.discard(turn.id)
            return is_held
