"""What every call through one transport keeps to, be it blocking or asynchronous."""

from __future__ import annotations

import time
from types import NoneType

from restwright.errors import NoResponse, require_type
from restwright.net.http.cancellation import wait_limit
from restwright.net.http.exchange import HTTPExchange
from restwright.net.http.retry import Attempt, Retry, SendContext
from restwright.net.http.throttle import LocalTraffic, SharesTraffic, TransportLimits
from restwright.net.policy.origins import OriginRules, redact_url
from restwright.net.policy.routes import RouteRequirements, route_requirements

MAX_REDIRECTS = 5
"""Redirects that are followed where nothing else is said, by reads inside their origin."""


class TransportSettings:
    """The arguments of a transport, and what it makes of them for a call. Does no I/O."""

    def __init__(
        self,
        *,
        timeout_s: float,
        max_bytes: int,
        rules: OriginRules | None,
        retry: Retry | None,
        limits: TransportLimits | None,
        max_redirects: int,
        shared: SharesTraffic | None,
    ) -> None:
        require_type(timeout_s, (int, float), what="`timeout_s`", wanted="a number of seconds")
        require_type(max_bytes, int, what="`max_bytes`", wanted="a number of bytes")
        require_type(max_redirects, int, what="`max_redirects`", wanted="a number of redirects")
        for name, value, kind in (
            ("rules", rules, OriginRules),
            ("retry", retry, Retry),
            ("limits", limits, TransportLimits),
        ):
            wanted = f"a `{kind.__module__}.{kind.__name__}` or None"
            require_type(value, (kind, NoneType), what=f"`{name}`", wanted=wanted)
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._rules, self._retry = rules or OriginRules(), retry or Retry()
        self._limits, self._max_redirects = limits or TransportLimits(), max_redirects
        self._traffic = (
            LocalTraffic(self._limits) if shared is None else shared.traffic(self._limits)
        )

    @property
    def max_concurrent(self) -> int:
        """Requests to one origin that may be under way at the same time."""
        return self._limits.max_concurrent

    def new_context(self) -> SendContext:
        """Begin a call: its deadline counts from now."""
        timeout_s = min(self._timeout_s, max(0.0, wait_limit() - time.monotonic()))
        return SendContext(
            retry=self._retry,
            traffic=self._traffic,
            deadline=time.monotonic() + timeout_s,
            timeout_s=round(timeout_s, 1),
            max_redirects=self._max_redirects,
        )

    def new_exchange(self, attempt: Attempt, context: SendContext) -> HTTPExchange:
        """Begin an attempt of a call."""
        return HTTPExchange(
            attempt.request,
            deadline=context.deadline,
            timeout_s=context.timeout_s,
            max_bytes=self._max_bytes,
            was_sent=attempt.was_sent,
        )

    def route_requirements(self, exchange: HTTPExchange) -> RouteRequirements:
        """Return which connections may carry an attempt."""
        return route_requirements(exchange.request, is_named=exchange.origin in self._rules.named)

    def queue_timeout_error(self, attempt: Attempt) -> NoResponse:
        """Make the error of an attempt whose turn did not come."""
        why = f"{self.max_concurrent} others to its origin did not end in time"
        return NoResponse(redact_url(attempt.request.url), why, sent=attempt.was_sent)
