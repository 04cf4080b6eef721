"""
What the callbacks of users give: taken as it is, or awaited where an event loop can do so.

A callback may be asynchronous in what is driven from an event loop. In a blocking call nothing
could await it, and a coroutine is true whatever it would say: that is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from restwright.net.http.cancellation import stopped_by

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")

_LOOK_S = 0.2
_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("_loop", default=None)


@contextmanager
def awaited_here() -> Generator[None]:
    """Have this event loop await what callbacks give, in the block and in threads begun there."""
    from asyncio import get_running_loop

    token = _loop.set(get_running_loop())
    try:
        yield
    finally:
        _loop.reset(token)


def settled(given: T | Awaitable[T], callback: str) -> T:
    """
    Return what a callback gave, awaited where it is to be.

    Args:
        given: By the callback, in this thread.
        callback: Its name, as users know it.

    Raises:
        TypeError: It is to be awaited, and nothing here can do so.
        Stopped: Somebody ended the run that waits for it.
    """
    if not isawaitable(given):
        return cast("T", given)
    return result_of(begun(given, callback))


def begun(given: Awaitable[T], callback: str) -> Future[T]:
    """Have the event loop await what a callback gave; raises as `settled()`."""
    loop = _loop.get()
    if loop is None or _is_on_a_loop():
        _leave(given)
        raise _refusal(callback)
    from asyncio import run_coroutine_threadsafe

    return run_coroutine_threadsafe(awaited(given), loop)


def refuse_async(**callbacks: Callable[..., object] | None) -> None:
    """
    Refuse asynchronous functions for what is called without an event loop, before it begins.

    Raises:
        TypeError: One of them is one.
    """
    for name, callback in callbacks.items():
        if is_async(callback):
            raise _refusal(name)


def is_async(callback: Callable[..., object] | None) -> bool:
    """Whether a callback is a coroutine function, or an object that is called as one."""
    return iscoroutinefunction(callback) or iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004 - a type of it, not whether there is one
    )


async def settled_async(callback: Callable[..., T | Awaitable[T]], *given: Any) -> T:
    """
    Call a callback from an event loop, and return what it gave.

    One that is not asynchronous is called in a thread; who is cancelled leaves it behind.
    """
    if is_async(callback):
        return await awaited(callback(*given))
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync

    # A person may take long to answer: that is to keep no place which others wait for.
    limiter = CapacityLimiter(1)
    task = partial(callback, *given)
    return await awaited(await run_sync(task, abandon_on_cancel=True, limiter=limiter))


async def awaited(given: T | Awaitable[T]) -> T:
    """Await what a callback gave, where it is to be awaited: it was called, and that counts."""
    return await given if isawaitable(given) else cast("T", given)


def result_of(future: Future[T]) -> T:
    """
    Wait for a future. Who is interrupted or stopped cancels it.

    Raises:
        Stopped: Somebody ended the run that waits for it.
    """
    from concurrent.futures import wait

    with _cancelled_if_left(future):
        # On Windows a wait without an end cannot be interrupted.
        while not wait([future], _LOOK_S).done:
            pass
        return future.result()


def relayed(begin: Callable[[Callable[[str], None]], Future[T]], tell: Callable[[str], None]) -> T:
    """
    Wait for a future that tells pieces of text on its way: `tell` is called in this thread.

    Args:
        begin: Given what takes a piece in any thread.
    """
    pieces: SimpleQueue[str | None] = SimpleQueue()
    future = begin(pieces.put)
    future.add_done_callback(lambda _: pieces.put(None))
    with _cancelled_if_left(future):
        while (piece := _next(pieces)) is not None:
            tell(piece)
        return future.result()


def _next(pieces: SimpleQueue[str | None]) -> str | None:
    while True:
        try:
            return pieces.get(timeout=_LOOK_S)
        except Empty:
            continue


@contextmanager
def _cancelled_if_left(future: Future[Any]) -> Generator[None]:
    try:
        with stopped_by(future.cancel):
            yield
    finally:
        future.cancel()


def _is_on_a_loop() -> bool:
    """Whether this thread is that of an event loop, which cannot await while it waits."""
    from asyncio import get_running_loop

    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True


def _leave(given: Awaitable[Any]) -> None:
    """Have Python not warn of a coroutine that nobody awaits."""
    if iscoroutine(given):
        given.close()


class NotAwaited(TypeError):
    """A callback is asynchronous where nothing can await it; it did nothing."""


def _refusal(callback: str) -> NotAwaited:
    return NotAwaited(
        f"`{callback}` is asynchronous, and nothing can await it in a blocking call: use"
        " `call_async`, `ask_async` or another asynchronous entry, or give a function that is not"
        " `async`"
    )
