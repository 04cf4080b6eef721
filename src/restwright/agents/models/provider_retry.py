"""When a request that a provider did not serve is sent again, and after how long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeVar

from pydantic_ai import exceptions as said

from restwright.net.http.retry import Retry, delay_after

T = TypeVar("T")

MODEL_RETRY = Retry(attempts=4, initial_delay_s=1.0, max_delay_s=20.0, max_retry_after_s=300.0)
"""How often one request is sent where nothing else is said."""
_BUSY = (said.ModelRateLimitError, said.ModelUnavailableError)
_BROKEN = (said.ModelServerError, said.ModelConnectionError)
# What is not busy but broken is seldom whole a little later.
_BROKEN_ATTEMPTS = 2


async def send_with_retries(
    send: Callable[[], Awaitable[T]],
    retry: Retry,
    *,
    may_repeat: Callable[[], bool],
    left_s: Callable[[], float],
) -> T:
    """
    Send a request until it is served, as often as `retry` allows.

    What the provider asks for (`Retry-After`) is waited, where the deadline leaves room for that.

    Args:
        may_repeat: Whether nobody has been told a piece of the reply.
        left_s: Seconds until the deadline.

    Raises:
        ModelAPIError: What the last attempt ended with.
    """
    for number in count(1):
        try:
            return await send()
        except said.ModelAPIError as error:
            delay_s = delay_after(number, retry, asked_s=error.retry_after)
            is_last = number >= _count_attempts(error, retry)
            if is_last or not may_repeat() or delay_s >= left_s():
                raise
        await asyncio.sleep(delay_s)
    raise AssertionError  # for type checkers: it counts without end


def _count_attempts(error: said.ModelAPIError, retry: Retry) -> int:
    if isinstance(error, said.ModelTimeoutError):
        return 1
    if isinstance(error, _BUSY):
        return retry.attempts
    return min(retry.attempts, _BROKEN_ATTEMPTS) if isinstance(error, _BROKEN) else 1
