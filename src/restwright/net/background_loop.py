"""An event loop in a thread of its own, for coroutines that several threads wait for together."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from threading import Lock, Thread
from typing import Any, Generic, NamedTuple, TypeVar

C = TypeVar("C")
T = TypeVar("T")


class _RunningLoop(NamedTuple, Generic[C]):
    """A loop that runs, and what was opened in it."""

    loop: asyncio.AbstractEventLoop
    closing: asyncio.Event
    opened: C


class BackgroundLoop(Generic[C]):
    """
    Runs coroutines beside each other in one loop, which is begun with the first of them.

    What is open in the loop, such as connections, lives until `close()`; what comes after that
    opens it again.

    Args:
        connect: Makes what is open as long as the loop runs. It must not refer to who has this.
        name: Of the thread.
    """

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[C]], name: str) -> None:
        self._connect = connect
        self._name = name
        self._lock = Lock()
        self._running: tuple[Thread, _RunningLoop[C]] | None = None

    def submit(self, make: Callable[[C], Coroutine[Any, Any, T]]) -> Future[T]:
        """Begin a coroutine; to cancel its future cancels it. The lock is for no longer."""
        with self._lock:
            if self._running is None:
                self._running = self._ensure_running()
            running = self._running[1]
            return asyncio.run_coroutine_threadsafe(make(running.opened), running.loop)

    def close(self) -> None:
        """Cancel what is under way, and close what is open."""
        with self._lock:
            if self._running is not None:
                thread, running = self._running
                self._running = None
                _stop_loop(running)
                thread.join()

    def _ensure_running(self) -> tuple[Thread, _RunningLoop[C]]:
        opened: Future[_RunningLoop[C]] = Future()
        # The end of the process does not wait for a daemon.
        thread = Thread(target=_run_loop, args=(self._connect, opened), name=self._name)
        thread.daemon = True
        thread.start()
        running = opened.result()
        weakref.finalize(self, _stop_loop, running)
        return thread, running


def _run_loop(
    connect: Callable[[], AbstractAsyncContextManager[C]], opened: Future[_RunningLoop[C]]
) -> None:
    try:
        asyncio.run(_serve_until_closed(connect, opened))
    except BaseException as error:
        if opened.done():
            raise
        opened.set_exception(error)


async def _serve_until_closed(
    connect: Callable[[], AbstractAsyncContextManager[C]], opened: Future[_RunningLoop[C]]
) -> None:
    closing = asyncio.Event()
    async with connect() as made:
        opened.set_result(_RunningLoop(asyncio.get_running_loop(), closing, made))
        await closing.wait()
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _stop_loop(running: _RunningLoop[Any]) -> None:
    if not running.loop.is_closed():
        running.loop.call_soon_threadsafe(running.closing.set)
