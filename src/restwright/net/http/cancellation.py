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


class OperationCanceled(Exception):
    """What a thread did was ended by somebody else; it is never what came of a request."""


class CancelToken:
    """Shared by threads that can be stopped together, once and for all."""

    def __init__(self) -> None:
        self.is_canceled = False
        self._callbacks: set[Callable[[], object]] = set()
        self._lock = Lock()

    def cancel(self) -> None:
        """Have everything end that goes on within `cancelable()`, and nothing begin there."""
        with self._lock:
            self.is_canceled = True
            for end in self._callbacks:
                end()

    def check(self) -> None:
        """
        Find out whether to go on.

        Raises:
            Stopped: It is over.
        """
        if self.is_canceled:
            raise OperationCanceled

    @contextmanager
    def cancelable(self) -> Generator[None]:
        """Let what this thread does in the block be stopped."""
        token = _current_token.set(self)
        try:
            yield
        finally:
            _current_token.reset(token)

    @contextmanager
    def on_cancel(self, end: Callable[[], object]) -> Generator[None]:
        """Let `end` be called, by another thread, while the block waits for what it ends."""
        with self._lock:
            self.check()
            self._callbacks.add(end)
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.discard(end)
        self.check()


_current_token: ContextVar[CancelToken | None] = ContextVar("_now", default=None)
_current_wait_limit: ContextVar[float] = ContextVar("_latest", default=math.inf)


@contextmanager
def limit_wait(instant: float) -> Generator[None]:
    """Let no call that begins in the block wait for a response beyond an instant of the clock."""
    token = _current_wait_limit.set(min(instant, wait_limit()))
    try:
        yield
    finally:
        _current_wait_limit.reset(token)


def wait_limit() -> float:
    """The instant of `time.monotonic()` beyond which a call that begins now is not to wait."""
    return _current_wait_limit.get()


@contextmanager
def allow_cancellation(end: Callable[[], object]) -> Generator[None]:
    """
    Wait for what `end` ends, as long as nobody stops that.

    Raises:
        Stopped: Somebody did; what the block gave is worth nothing.
    """
    stopping = _current_token.get()
    if stopping is None:
        yield
        return
    try:
        with stopping.on_cancel(end):
            yield
    except Exception:
        # Else it is what something says that was ended.
        stopping.check()
        raise


@contextmanager
def allow_socket_shutdown(stream: httpcore2.NetworkStream) -> Generator[None]:
    """Use the socket of `stream`; else as `allow_cancellation()`."""
    with allow_cancellation(partial(_shut_down_socket, stream.get_extra_info("socket"))):
        yield


def _shut_down_socket(sock: socket.socket) -> None:
    with suppress(OSError):
        # That of a TLS socket would take away what its reader still uses.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
