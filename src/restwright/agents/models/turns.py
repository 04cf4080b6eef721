"""Places that are had in the order in which threads ask for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from threading import TIMEOUT_MAX, Event, Lock

from restwright.net.http.cancellation import allow_cancellation


class Turns:
    """
    Lets some threads in at a time: who came first, goes first.

    Args:
        places: How many.
    """

    def __init__(self, places: int = 1) -> None:
        self._lock = Lock()
        self._free = places
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
            if self._free:
                self._free -= 1
                turn.begin()
            else:
                self._waiting.append(turn)
        return turn

    def _leave(self, turn: _Turn) -> None:
        """Let the next one in; who gives up waiting only leaves the queue."""
        with self._lock:
            if not turn.came:
                self._waiting.remove(turn)
            elif self._waiting:
                self._waiting.popleft().begin()
            else:
                self._free += 1


class _Turn:
    """That of one thread."""

    def __init__(self) -> None:
        self.wake, self.came = Event(), False

    def begin(self) -> None:
        """Let its thread in."""
        self.came = True
        self.wake.set()
