"""
How somebody else ends what a thread does on a socket.

No thread can be stopped from outside, but a socket can be shut down under it: what waits for it
goes on at once.
"""

from __future__ import annotations

import math
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock

import httpcore2


class Stopped(Exception):
    """What a thread did was ended by somebody else; it is never what came of a request."""


class Stopping:
    """Shared by threads that can be stopped together, once and for all."""

    def __init__(self) -> None:
        self.is_stopped = False
        self._sockets: set[socket.socket] = set()
        self._lock = Lock()

    def stop(self) -> None:
        """Have everything end that goes on within `heeded()`, and nothing begin there."""
        with self._lock:
            self.is_stopped = True
            for each in self._sockets:
                with suppress(OSError):
                    # That of a TLS socket would take away what its reader still uses.
                    socket.socket.shutdown(each, socket.SHUT_RDWR)

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
    def watching(self, sock: socket.socket) -> Generator[None]:
        """Let `sock` be shut down while the block waits for it."""
        with self._lock:
            self.check()
            self._sockets.add(sock)
        try:
            yield
        finally:
            with self._lock:
                self._sockets.discard(sock)
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
def stoppable(stream: httpcore2.NetworkStream) -> Generator[None]:
    """
    Use the socket of `stream`, as long as nobody stops that.

    Raises:
        Stopped: Somebody did; what the block gave is worth nothing.
    """
    stopping = _now.get()
    if stopping is None:
        yield
        return
    try:
        with stopping.watching(stream.get_extra_info("socket")):
            yield
    except Exception:
        # Else it is what a socket says that was shut down.
        stopping.check()
        raise
