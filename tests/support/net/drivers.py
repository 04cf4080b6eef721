"""One way to send requests for tests, in two kinds: blocking and on an event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

import pytest

from restwright.errors import CallError
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.retry import Retry
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response

QUICK = Retry(min_delay_s=0.001, initial_delay_s=0.002)
"""As often as by default, with waits that nobody notices."""


class Driver(Protocol):
    """Sends requests one after the other through one transport."""

    def __call__(self, *requests: Request, **options: Any) -> list[Response | CallError]:
        """Return for each what came of it; `options` are those of the transport."""
        ...


def blocking(*requests: Request, **options: Any) -> list[Response | CallError]:
    """Send through `Transport`."""
    found = list[Response | CallError]()
    with Transport(**({"timeout_s": 5.0, "retry": QUICK} | options)) as send:
        for request in requests:
            try:
                found.append(send(request))
            except CallError as error:
                found.append(error)
    return found


def awaited(*requests: Request, **options: Any) -> list[Response | CallError]:
    """Send through `AsyncTransport`."""

    async def run() -> list[Response | CallError]:
        found = list[Response | CallError]()
        async with AsyncTransport(**({"timeout_s": 5.0, "retry": QUICK} | options)) as send:
            for request in requests:
                try:
                    found.append(await send(request))
                except CallError as error:
                    found.append(error)
        return found

    return asyncio.run(run())


both = pytest.mark.parametrize("drive", [blocking, awaited])


def response(outcome: Response | CallError) -> Response:
    """Return `outcome` where it is a response; else raise it."""
    if isinstance(outcome, CallError):
        raise outcome
    return outcome


def failure(outcome: Response | CallError) -> CallError:
    """Return `outcome` where it is a failure."""
    assert isinstance(outcome, CallError), outcome
    return outcome
