"""Things that are done in threads of their own, for which nobody has to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_EXCEPTION, Future, wait
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeAlias, TypeVar

_LOOK_S = 0.2

T = TypeVar("T")
_Task: TypeAlias = "tuple[Future[T], Callable[[], T]]"


def run_concurrently(tasks: Sequence[Callable[[], T]], *, at_once: int) -> tuple[T, ...]:
    """
    Do several things at the same time.

    An error keeps those from beginning that did not yet, and is raised when the others have ended.
    An interruption of who waits is raised at once: what is under way is left behind.

    Args:
        tasks: Each is run in the context of who calls this.
        at_once: As many are under way.

    Returns:
        What they gave, in their order.
    """
    queue: SimpleQueue[_Task[T]] = SimpleQueue()
    futures: list[Future[T]] = []
    for task in tasks:
        futures.append(Future())
        queue.put((futures[-1], partial(copy_context().run, task)))
    try:
        for _ in range(min(at_once, len(tasks))):
            _start_worker(queue)
        _wait_for(futures, FIRST_EXCEPTION)
        _cancel_pending(futures)
        _wait_for(futures, ALL_COMPLETED)
    finally:
        _cancel_pending(futures)
    for future in futures:
        if not future.cancelled() and (error := future.exception()) is not None:
            raise error
    return tuple(future.result() for future in futures)


async def run_in_thread(task: Callable[[], T]) -> T:
    """
    Do one thing without blocking the event loop.

    Who is cancelled meanwhile leaves it behind. A thread of `asyncio.to_thread` would be waited for
    at the end of the loop.
    """
    queue: SimpleQueue[_Task[T]] = SimpleQueue()
    future: Future[T] = Future()
    queue.put((future, partial(copy_context().run, task)))
    _start_worker(queue)
    return await asyncio.wrap_future(future)


def _start_worker(queue: SimpleQueue[_Task[T]]) -> None:
    # The end of the process does not wait for a daemon.
    Thread(target=_run_queue, args=(queue,), name="restwright-step", daemon=True).start()


def _run_queue(queue: SimpleQueue[_Task[T]]) -> None:
    while True:
        try:
            future, task = queue.get_nowait()
        except Empty:
            return
        if not future.set_running_or_notify_cancel():
            continue
        try:
            given = task()
        except StopIteration as error:
            # No future of an event loop takes it, and who waits for that would wait for ever.
            stopped = RuntimeError("StopIteration was raised")
            stopped.__cause__ = error
            future.set_exception(stopped)
        except BaseException as error:  # noqa: BLE001 - raised by who waits for it
            future.set_exception(error)
        else:
            future.set_result(given)


def _wait_for(futures: Sequence[Future[T]], until: str) -> None:
    # On Windows a wait without an end cannot be interrupted.
    while True:
        done, others = wait(futures, _LOOK_S, return_when=until)
        has_failed = any(not future.cancelled() and future.exception() for future in done)
        if not others or (until == FIRST_EXCEPTION and has_failed):
            return


def _cancel_pending(futures: Sequence[Future[T]]) -> None:
    """Keep those from beginning that did not yet."""
    for future in futures:
        future.cancel()
