"""
The one `Send` that opens connections: checked addresses, a total deadline, a size cap, retries of
what is safe to repeat, and redirects of reads inside the origin.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from threading import BoundedSemaphore
from types import TracebackType
from typing import Self

from restwright.net.http.exchange import (
    AttemptFailure,
    HTTPExchange,
    annotate_interruption,
    annotate_request_interruptions,
)
from restwright.net.http.pool import ConnectionPools, network_stream
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
from restwright.stepping import drive


class Transport:
    """
    Sends requests and reads their responses whole. Connections are kept and used again.

    A request goes to public addresses only, except where the user named its origin: in `rules`, or
    as `Request.is_named` says. Proxies and certificates are those of the environment.

    Args:
        timeout_s: Seconds for one call as a whole, from looking up the host to the last byte, waits
            and retries included.
        max_bytes: Of a body, before and after decompression.
        rules: Which origins the user named.
        retry: How often what is safe to repeat is sent.
        limits: What one origin is asked for at most.
        max_redirects: How many are followed, by GET and HEAD and inside the origin alone; 0 for
            none.
        shared: Who the limits are shared with, such as `journal.shared_limits()`; None for those
            who use this transport.
        resolve: Finds the addresses of a host; the system's way where None.
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
        self._pools = ConnectionPools(resolve=resolve)
        self._gates: dict[Origin, BoundedSemaphore] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._pools.close()

    def __call__(self, request: Request) -> Response:
        """
        Send `request` and return its response, whatever the status.

        Raises:
            RefusedRequest: The URL is not one that may be asked.
            NoResponse: No whole response came before the deadline.
            ResponseTooLarge: Its body is over the cap.
        """
        course = self._settings.new_context()
        return drive(plan_attempts(request, course), partial(self._perform, context=course))

    def _perform(self, step: SendStep, context: SendContext) -> AttemptOutcome:
        with annotate_request_interruptions(step.request, was_sent=step.was_sent):
            match step:
                case Pause():
                    time.sleep(step.seconds)
                    return None
                case Consult():
                    return step.ask()
                case Attempt():
                    with self._gate(step, context):
                        return self._exchange(self._settings.new_exchange(step, context))

    def _exchange(self, exchange: HTTPExchange) -> Response | AttemptFailure:
        try:
            return self._transfer(exchange)
        except Exception as error:  # noqa: BLE001 - raised again where it is no failure
            return exchange.failure_from_error(error)
        except BaseException as interruption:
            # It strikes between any two lines, below `httpcore2`'s own care too.
            if exchange.sent:
                annotate_interruption(interruption, exchange.request)
            self.close()
            raise

    def _transfer(self, exchange: HTTPExchange) -> Response:
        incoming = self._pools.handle(
            exchange.to_pool_request(exchange.record_event),
            exchange.origin,
            requirements=self._settings.route_requirements(exchange),
            deadline=exchange.deadline,
        )
        stream = network_stream(incoming)
        try:
            stream.intake.expect(exchange.begin(incoming))
            for chunk in incoming.iter_stream():
                exchange.feed(chunk)
            return exchange.finish(has_more=stream.has_more())
        except BaseException:
            # What is left on the connection is not the beginning of another response.
            stream.close()
            raise
        finally:
            incoming.close()

    @contextmanager
    def _gate(self, step: Attempt, context: SendContext) -> Generator[None]:
        """Wait until fewer than `Limits.at_once` requests to the origin are under way."""
        gate = self._gates.setdefault(step.origin, BoundedSemaphore(self._settings.max_concurrent))
        if not gate.acquire(timeout=max(0.0, context.left_s())):
            raise self._settings.queue_timeout_error(step)
        try:
            yield
        finally:
            gate.release()
