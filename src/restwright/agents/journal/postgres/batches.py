"""
Writes of several threads kept together, since what a write costs is mostly its commit.

Who comes alone writes at once. Who comes while others are written waits for them, and is written
with all who came meanwhile; each returns when its own write is safe, as it would alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

LARGEST = 100
"""Writes in one transaction."""


def _make_closed_lock() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


@dataclass(slots=True, eq=False)
class Write:
    """A statement, and what came of it: how many rows it touched, or why it failed."""

    query: str
    values: dict[str, Any]
    count: int = 0
    error: Exception | None = None
    is_done: bool = False
    turn: Lock = field(default_factory=_make_closed_lock)
    """Opened when it is done, or is to lead the next batch."""


@dataclass(slots=True)
class Batches:
    """
    Writes one batch after another, each by the thread of one of its writes.

    Args:
        perform: Writes a batch, and fills in what came of each of them.
    """

    perform: Callable[[Sequence[Write]], None]
    _waiting: list[Write] = field(default_factory=list[Write])
    _leader: Write | None = None
    _lock: Lock = field(default_factory=Lock)

    def write(self, query: str, values: dict[str, Any]) -> int:
        """
        Write, and return how many rows that touched; it is safe when this returns.

        Args:
            query: Does no harm done twice, and locks no rows that other processes lock for long.
        """
        write = Write(query, values)
        with self._lock:
            self._waiting.append(write)
            if self._leader is None:
                self._pass_on()
        try:
            write.turn.acquire()
            if not write.is_done:
                self._lead()
        except BaseException:
            self._leave(write)
            raise
        if write.error is not None:
            raise write.error
        return write.count

    @property
    def waiting(self) -> int:
        """How many wait for a batch of theirs."""
        with self._lock:
            return len(self._waiting)

    def _lead(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting[:LARGEST], self._waiting[LARGEST:]
        try:
            self.perform(batch)
            for write in batch:
                write.is_done = True
        finally:
            with self._lock:
                # Where this thread was interrupted the others are still to be written.
                self._waiting[:0] = [write for write in batch if not write.is_done]
                self._pass_on()
            for write in batch:
                if write.is_done:
                    write.turn.release()

    def _pass_on(self) -> None:
        self._leader = self._waiting[0] if self._waiting else None
        if self._leader is not None:
            self._leader.turn.release()

    def _leave(self, write: Write) -> None:
        """Have nobody wait for a thread that was interrupted."""
        with self._lock:
            if write in self._waiting:
                self._waiting.remove(write)
            if self._leader is write:
                self._pass_on()
