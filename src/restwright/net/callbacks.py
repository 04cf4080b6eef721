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

from restwright.net.http.cancellation import allow_cancellation

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")

_LOOK_S = 0.2
_loop: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("_loop", default=None)


@contextmanager
def enable_async_callbacks() -> Generator[None]:
    """Have this event loop await what callbacks give, in the block and in threads begun there."""
    from asyncio import get_running_loop

    token = _loop.set(get_running_loop())
    try:
        yield
    finally:
        _loop.reset(token)


def await_callback_result(given: T | Awaitable[T], callback: str) -> T:
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
    return wait_for_future(schedule_callback_result(given, callback))


def can_await() -> bool:
    """Whether an event loop awaits what is given to it from this thread."""
    return _loop.get() is not None and not _is_in_event_loop()


def schedule_callback_result(given: Awaitable[T], callback: str) -> Future[T]:
    """Have the event loop await what a callback gave; raises as `await_callback_result()`."""
    loop = _loop.get()
    if loop is None or not can_await():
        _close_coroutine(given)
        raise _make_refusal(callback)
    from asyncio import run_coroutine_threadsafe

    return run_coroutine_threadsafe(await_if_needed(given), loop)


def refuse_async(**callbacks: Callable[..., object] | None) -> None:
    """
    Refuse asynchronous functions for what is called without an event loop, before it begins.

    Raises:
        TypeError: One of them is one.
    """
    for name, callback in callbacks.items():
        if is_async_callback(callback):
            raise _make_refusal(name)


def is_async_callback(callback: Callable[..., object] | None) -> bool:
    """Whether a callback is a coroutine function, or an object that is called as one."""
    return iscoroutinefunction(callback) or iscoroutinefunction(
        getattr(callback, "__call__", None)  # noqa: B004 - a type of it, not whether there is one
    )


async def call_callback_async(callback: Callable[..., T | Awaitable[T]], *given: Any) -> T:
    """
    Call a callback from an event loop, and return what it gave.

    One that is not asynchronous is called in a thread; who is cancelled leaves it behind.
    """
    if is_async_callback(callback):
        return await await_if_needed(callback(*given))
    from anyio import CapacityLimiter
    from anyio.to_thread import run_sync

    # A person may take long to answer: that is to keep no place which others wait for.
    limiter = CapacityLimiter(1)
    task = partial(callback, *given)
    return await await_if_needed(await run_sync(task, abandon_on_cancel=True, limiter=limiter))


async def await_if_needed(given: T | Awaitable[T]) -> T:
    """Await what a callback gave, where it is to be awaited: it was called, and that counts."""
    return await given if isawaitable(given) else cast("T", given)


def wait_for_future(future: Future[T]) -> T:
    """
    Wait for a future. Who is interrupted or stopped cancels it.

    Raises:
        Stopped: Somebody ended the run that waits for it.
    """
    from concurrent.futures import wait

    with _cancel_on_exit(future):
        # On Windows a wait without an end cannot be interrupted.
        while not wait([future], _LOOK_S).done:
            pass
        return future.result()


def relay_pieces(
    begin: Callable[[Callable[[str], None]], Future[T]], tell: Callable[[str], None]
) -> T:
    """
    Wait for a future that tells pieces of text on its way: `tell` is called in this thread.

    Args:
        begin: Given what takes a piece in any thread.
    """
    pieces: SimpleQueue[str | None] = SimpleQueue()
    future = begin(pieces.put)
    future.add_done_callback(lambda _: pieces.put(None))
    with _cancel_on_exit(future):
        while (piece := _next_piece(pieces)) is not None:
            tell(piece)
        return future.result()


def _next_piece(pieces: SimpleQueue[str | None]) -> str | None:
    while True:
        try:
            return pieces.get(timeout=_LOOK_S)
        except Empty:
            continue


@contextmanager
def _cancel_on_exit(future: Future[Any]) -> Generator[None]:
    try:
        with allow_cancellation(future.cancel):
            yield
    finally:
        future.cancel()


def _is_in_event_loop() -> bool:
    """Whether this thread is that of an event loop, which cannot await while it waits."""
    from asyncio import get_running_loop

    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True


def _close_coroutine(given: Awaitable[Any]) -> None:
    """Have Python not warn of a coroutine that nobody awaits."""
    if iscoroutine(given):
        given.close()


class UnawaitedCallback(TypeError):
    """A callback is asynchronous where nothing can await it; it did nothing."""


def _make_refusal(callback: str) -> UnawaitedCallback:
    return UnawaitedCallback(
        f"`{callback}` is asynchronous, and nothing can await it in a blocking call: use"
        " `call_async`, `ask_async` or another asynchronous entry, or give a function that is not"
        " `async`"
    )
