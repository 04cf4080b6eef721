"""A lock that is had in the order in which threads ask for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from threading import TIMEOUT_MAX, Event, Lock

from restwright.net.http.cancellation import allow_cancellation


class Turns:
    """Lets one thread in at a time: who came first, goes first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = False
        self._waiting: deque[_Turn] = deque()

    @contextmanager
    def take(self, timeout_s: float, *, is_cancelable: bool = True) -> Generator[None]:
        """
        Have the turn for the block.

        Args:
            is_cancelable: Whether the wait ends with the run that this thread is part of.

        Raises:
            TimeoutError: It did not come in time.
            OperationCanceled: Somebody ended the wait.
        """
        turn = self._enter()
        try:
            with allow_cancellation(turn.wake.set) if is_cancelable else nullcontext():
                turn.wake.wait(min(max(timeout_s, 0.0), TIMEOUT_MAX))
            if not turn.came:
                raise TimeoutError
            yield
        finally:
            self._leave(turn)

    def _enter(self) -> _Turn:
        turn = _Turn()
        with self._lock:
            if self._is_taken:
                self._waiting.append(turn)
            else:
                self._is_taken = True
                turn.begin()
        return turn

    def _leave(self, turn: _Turn) -> None:
        """Let the next one in; who gives up waiting only leaves the queue."""
        with self._lock:
            if not turn.came:
                self._waiting.remove(turn)
            elif self._waiting:
                self._waiting.popleft().begin()
            else:
                self._is_taken = False


class _Turn:
    """That of one thread."""

    def __init__(self) -> None:
        self.wake, self.came = Event(), False

    def begin(self) -> None:
        """Let its thread in."""
        self.came = True
        self.wake.set()
