"""
How somebody else ends what a thread waits for.

No thread can be stopped from outside, but a socket can be shut down under it, and a future be
cancelled: what waits for it goes on at once.
"""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpcore2


class Stopped(Exception):
    """What a thread did was ended by somebody else; it is never what came of a request."""


class Stopping:
    """Shared by threads that can be stopped together, once and for all."""

    def __init__(self) -> None:
        self.is_stopped = False
        self._ends: set[Callable[[], object]] = set()
        self._lock = Lock()

    def stop(self) -> None:
        """Have everything end that goes on within `heeded()`, and nothing begin there."""
        with self._lock:
            self.is_stopped = True
            for end in self._ends:
                end()

    def check(self) -> None:
        """
        Find out whether to go on.

        Raises:
            Stopped: It is over.
        """
        if self.is_stopped:
            raise Stopped

    @contextmanager
    def heeded(self) -> Generator[None]:
        """Let what this thread does in the block be stopped."""
        token = _now.set(self)
        try:
            yield
        finally:
            _now.reset(token)

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Generator[None]:
        """Let `end` be called, by another thread, while the block waits for what it ends."""
        with self._lock:
            self.check()
            self._ends.add(end)
        try:
            yield
        finally:
            with self._lock:
                self._ends.discard(end)
        self.check()


_now: ContextVar[Stopping | None] = ContextVar("_now", default=None)
_latest: ContextVar[float] = ContextVar("_latest", default=math.inf)


@contextmanager
def waiting_until(instant: float) -> Generator[None]:
    """Let no call that begins in the block wait for a response beyond an instant of the clock."""
    token = _latest.set(min(instant, latest()))
    try:
        yield
    finally:
        _latest.reset(token)


def latest() -> float:
    """The instant of `time.monotonic()` beyond which a call that begins now is not to wait."""
    return _latest.get()


@contextmanager
def stopped_by(end: Callable[[], object]) -> Generator[None]:
    """
    Wait for what `end` ends, as long as nobody stops that.

    Raises:
        Stopped: Somebody did; what the block gave is worth nothing.
    """
    stopping = _now.get()
    if stopping is None:
        yield
        return
    try:
        with stopping.ending(end):
            yield
    except Exception:
        # Else it is what something says that was ended.
        stopping.check()
        raise


@contextmanager
def stoppable(stream: httpcore2.NetworkStream) -> Generator[None]:
    """Use the socket of `stream`; else as `stopped_by()`."""
    with stopped_by(partial(_shut_down, stream.get_extra_info("socket"))):
        yield


def _shut_down(sock: socket.socket) -> None:
    with suppress(OSError):
        # That of a TLS socket would take away what its reader still uses.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
