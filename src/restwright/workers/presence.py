"""
Which workers live: each has a lock of the database, by a connection of its own, for its life.

The lock goes with the connection; a machine that is gone without a word is noticed by TCP
keepalive. Who gets the lock of another one knows that it has no connection; that it has no life
either is not sure, and what it had is taken up all the same: the journal refuses what the first one
would still keep, and so it sends nothing more.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.postgres.pool import (
    KEEPALIVE_PAUSE_S,
    KEEPALIVE_S,
    KEEPALIVE_TIMES,
    KEEPALIVES_S,
)
from restwright.errors import UsageError

if TYPE_CHECKING:
    from psycopg import Connection

_LOCK = "hashtextextended('restwright:worker:' || %s, 0)"
_PAUSE_S = 0.5


class Presence:
    """
    That a worker lives, told to the others. To be closed; used by one thread.

    Args:
        name: Of the worker.
        leads: Of the lock that one of all workers of a queue has.
    """

    def __init__(self, journal: PostgresJournal, name: str, leads: str) -> None:
        self._journal, self._name, self._leads = journal, name, leads
        self._connection: Connection[Any] | None = None

    def close(self) -> None:
        """Let others know that it lives no more."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def acquire(self, patience_s: float = KEEPALIVES_S + 1) -> None:
        """
        Have the name.

        Args:
            patience_s: How long another one is waited for: a machine that is gone may still have it
                for as long as its keepalive says.

        Raises:
            UsageError: Another worker has it.
        """
        until = time.monotonic() + patience_s
        while not self.keep():
            if time.monotonic() > until:
                how = "give each worker a name of its own: --id worker-1"
                raise UsageError("a worker of this name is at work", self._name, how)
            time.sleep(_PAUSE_S)

    def keep(self) -> bool:
        """Have the name, by a new connection where the last one is lost; whether that is so."""
        import psycopg

        with suppress(psycopg.Error):
            if self._connection is not None and not self._connection.broken:
                self._connection.execute("select 1")
                return True
        self.close()
        with suppress(psycopg.Error):
            made = psycopg.connect("", **self._journal.database.settings, autocommit=True)
            self._connection = made
            for name, value in (
                ("idle", KEEPALIVE_S),
                ("interval", KEEPALIVE_PAUSE_S),
                ("count", KEEPALIVE_TIMES),
            ):
                made.execute(f"set tcp_keepalives_{name} = {value}".encode())
            if self._try_lock(self._name):
                return True
        self.close()
        return False

    def is_leader(self) -> bool:
        """Whether this is the one of all workers of the queue that does what one is to do."""
        import psycopg

        with suppress(psycopg.Error):
            # Had already, it is had twice, which makes no difference to others.
            return self._try_lock(self._leads)
        return False

    def is_gone(self, other: str) -> bool:
        """Whether another worker has no connection."""
        import psycopg

        with suppress(psycopg.Error):
            if self._connection is not None and self._try_lock(other):
                unlock = f"select pg_advisory_unlock({_LOCK})"
                self._connection.execute(unlock.encode(), (other,))
                return True
        return False

    def _try_lock(self, name: str) -> bool:
        if self._connection is None:
            return False
        row = self._connection.execute(
            f"select pg_try_advisory_lock({_LOCK})".encode(), (name,)
        ).fetchone()
        return bool(row and row[0])
