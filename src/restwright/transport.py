"""What carries requests, blocking and from an event loop, and the rules that it keeps to."""

from __future__ import annotations

from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.retry import Retry
from restwright.net.http.throttle import TransportLimits
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response, Send
from restwright.net.policy.origins import OriginRules

__all__ = [
    "AsyncSend",
    "AsyncTransport",
    "OriginRules",
    "Request",
    "Response",
    "Retry",
    "Send",
    "Transport",
    "TransportLimits",
]
