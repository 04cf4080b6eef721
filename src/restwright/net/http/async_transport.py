"""`Transport` for an event loop. Every rule is in the parts that both share."""

from __future__ import annotations

from functools import partial
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.to_thread import run_sync

from restwright.net.http.async_pool import AsyncConnectionPools
from restwright.net.http.exchange import (
    AttemptFailure,
    HTTPExchange,
    annotate_interruption,
    annotate_request_interruptions,
)
from restwright.net.http.pool import network_stream
from restwright.net.http.retry import (
    Attempt,
    AttemptOutcome,
    Consult,
    Pause,
    Retry,
    SendContext,
    SendStep,
    plan_attempts,
)
from restwright.net.http.settings import MAX_REDIRECTS, TransportSettings
from restwright.net.http.throttle import SharesTraffic, TransportLimits
from restwright.net.messages import Request, Response
from restwright.net.policy.dns import ResolveHost
from restwright.net.policy.origins import Origin, OriginRules
from restwright.stepping import drive_async

_MAX_CONSULTANTS = 8
"""Threads of a transport that ask about shared limits at the same time."""


class AsyncTransport:
    """
    Sends requests from one event loop. Arguments and failures are those of `Transport`.

    A cancelled call is cancelled at once; the exception has a note where something was sent that
    may have had an effect.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 30.0,
        max_bytes: int = 10_000_000,
        rules: OriginRules | None = None,
        retry: Retry | None = None,
        limits: TransportLimits | None = None,
        max_redirects: int = MAX_REDIRECTS,
        shared: SharesTraffic | None = None,
        resolve: ResolveHost | None = None,
    ) -> None:
        self._settings = TransportSettings(
            timeout_s=timeout_s,
            max_bytes=max_bytes,
            rules=rules,
            retry=retry,
            limits=limits,
            max_redirects=max_redirects,
            shared=shared,
        )
        self._pools = AsyncConnectionPools(resolve=resolve)
        self._gates: dict[Origin, anyio.Semaphore] = {}
        self._consultants: anyio.CapacityLimiter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._pools.close()

    async def __call__(self, request: Request) -> Response:
        """
        Send `request` and return its response, whatever the status.

        Raises:
            RefusedRequest: The URL is not one that may be asked.
            NoResponse: No whole response came before the deadline.
            ResponseTooLarge: Its body is over the cap.
        """
        course = self._settings.new_context()
        steps = plan_attempts(request, course)
        return await drive_async(steps, partial(self._perform, context=course))

    async def _perform(self, step: SendStep, context: SendContext) -> AttemptOutcome:
        with annotate_request_interruptions(step.request, was_sent=step.was_sent):
            match step:
                case Pause():
                    await anyio.sleep(step.seconds)
                    return None
                case Consult():
                    return await self._consult(step)
                case Attempt():
                    return await self._attempt(step, context)

    async def _consult(self, step: Consult) -> AttemptOutcome:
        # Threads of its own: those of the loop may all be busy with calls that wait for a turn.
        if self._consultants is None:
            self._consultants = anyio.CapacityLimiter(_MAX_CONSULTANTS)
        return await run_sync(step.ask, limiter=self._consultants, abandon_on_cancel=True)

    async def _attempt(self, step: Attempt, context: SendContext) -> AttemptOutcome:
        gate = self._gates.setdefault(step.origin, anyio.Semaphore(self._settings.max_concurrent))
        with anyio.move_on_after(max(0.0, context.left_s())) as waiting:
            await gate.acquire()
        if waiting.cancelled_caught:
            raise self._settings.queue_timeout_error(step)
        try:
            return await self._exchange(self._settings.new_exchange(step, context), context)
        finally:
            gate.release()

    async def _exchange(
        self, exchange: HTTPExchange, context: SendContext
    ) -> Response | AttemptFailure:
        try:
            # One limit over all: also for a write that the server takes a byte at a time.
            with anyio.fail_after(max(0.0, context.left_s())):
                return await self._transfer(exchange)
        except Exception as error:  # noqa: BLE001 - raised again where it is no failure
            return exchange.failure_from_error(error)
        except BaseException as interruption:
            if exchange.sent:
                annotate_interruption(interruption, exchange.request)
            raise

    async def _transfer(self, exchange: HTTPExchange) -> Response:
        async def note(event: str, details: dict[str, Any]) -> None:
            exchange.record_event(event, details)

        incoming = await self._pools.handle(
            exchange.to_pool_request(note),
            exchange.origin,
            requirements=self._settings.route_requirements(exchange),
            deadline=exchange.deadline,
        )
        stream = network_stream(incoming)
        try:
            stream.intake.expect(exchange.begin(incoming))
            async for chunk in incoming.aiter_stream():
                exchange.feed(chunk)
            return exchange.finish(has_more=await stream.has_more())
        except BaseException:
            with anyio.CancelScope(shield=True):
                # What is left on the connection is not the beginning of another response.
                await stream.aclose()
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await incoming.aclose()
