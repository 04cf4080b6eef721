"""What the server holds between two requests of a page, within bounds."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from restwright.calls.approval.approval import APPROVAL_LIFETIME_S, hash_request
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.tools.tool import Tool

MAX_HELD = 50
"""Requests that wait for a word; the oldest goes first."""
MAX_CALLS, MAX_CALL_BYTES = 50, 64_000_000
"""Calls that are kept with their responses, and the bytes of these together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRequest:
    """
    A request that was shown, and waits for a word.

    Args:
        hash: Of the request; the word is good for that one alone.
        until: Seconds, monotonic.
    """

    tool: Tool
    arguments: JsonObject = field(repr=False)
    request: Request = field(repr=False)
    hash: str
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCall:
    """A call that was made, and what came of it."""

    tool: Tool
    arguments: JsonObject = field(repr=False)
    result: Result = field(repr=False)
    seconds: float

    @property
    def size(self) -> int:
        """Bytes of the response."""
        return len(self.result.response.body) if self.result.response else 0


@dataclass(slots=True)
class KeptCalls:
    """
    Requests that wait for a word, and the last calls.

    Args:
        now: Seconds, monotonic.
        max_bytes: Of the responses of the last calls together.
    """

    now: Callable[[], float] = time.monotonic
    max_bytes: int = MAX_CALL_BYTES
    _held: dict[str, HeldRequest] = field(default_factory=dict[str, HeldRequest])
    _calls: dict[str, KeptCall] = field(default_factory=dict[str, KeptCall])
    _lock: Lock = field(default_factory=Lock)

    def hold(self, tool: Tool, arguments: JsonObject, request: Request) -> tuple[str, HeldRequest]:
        """Keep a request until somebody says a word about it; returns by what it is asked for."""
        held = HeldRequest(
            tool=tool,
            arguments=arguments,
            request=request,
            hash=hash_request(request),
            until=self.now() + APPROVAL_LIFETIME_S,
        )
        key = secrets.token_urlsafe(16)
        with self._lock:
            self._held[key] = held
            while len(self._held) > MAX_HELD:
                del self._held[next(iter(self._held))]
        return key, held

    def spend(self, key: str, hash_shown: str) -> HeldRequest | None:
        """
        Take a request out, which happens once.

        Args:
            hash_shown: Of the request that was shown with the question.

        Returns:
            None where it is not there any more, is too old, or is another one.
        """
        with self._lock:
            held = self._held.pop(key, None)
        is_same = held is not None and secrets.compare_digest(
            held.hash.encode(), hash_shown.encode()
        )
        return held if held is not None and is_same and self.now() <= held.until else None

    def keep(self, call: KeptCall) -> str:
        """Keep a call; returns by what it is asked for."""
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._calls[key] = call
            while len(self._calls) > MAX_CALLS or (
                len(self._calls) > 1
                and sum(kept.size for kept in self._calls.values()) > self.max_bytes
            ):
                del self._calls[next(iter(self._calls))]
        return key

    def find(self, key: str) -> KeptCall | None:
        """A call that is still there."""
        return self._calls.get(key)
