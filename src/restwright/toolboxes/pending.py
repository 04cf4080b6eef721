"""Writes that wait for a person's word: each for one exact request, which is sent once or never."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from threading import Lock
from typing import Generic, TypeVar

from restwright.errors import RefusedRequest
from restwright.jsontypes import JsonObject

T = TypeVar("T")

PENDING_LIFETIME_S = 3_600.0
"""Seconds until a write that nobody allowed is forgotten."""
MAX_PENDING = 1_000
"""As many wait at the same time; the oldest is forgotten for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """
    A write that was not sent, since a person has to allow it.

    Args:
        id: What `Toolbox.approve()` and `refuse()` take; nobody can guess it.
        tool: The full name.
        question: What to show: the tool, the method, the URL and the body, secrets masked.
        request: The same as `{"method", "url", "headers", "body"}`.
        hash: SHA-256 of the request, as hexadecimal digits: what is approved is this one.
        is_destructive: Whether it destroys something.
    """

    id: str
    tool: str
    question: str = field(repr=False)
    request: JsonObject = field(repr=False)
    hash: str = field(repr=False)
    is_destructive: bool = False


def new_pending_id() -> str:
    """An id that nobody can guess."""
    return token_urlsafe(18)


class PendingStore(Generic[T]):
    """
    What waits, each with what is needed to go on. May be used by several threads.

    Args:
        now: Seconds, monotonic.
    """

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, Lock()
        self._waiting: dict[str, tuple[float, Pending, T]] = {}

    def add(self, pending: Pending, rest: T) -> None:
        """Keep a write; too old ones, and the oldest of too many, are forgotten."""
        with self._lock:
            self._forget_old()
            while len(self._waiting) >= MAX_PENDING:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[pending.id] = (self._now() + PENDING_LIFETIME_S, pending, rest)

    def take(self, pending: Pending | str) -> tuple[Pending, T]:
        """
        Give a write out, once.

        Raises:
            RefusedRequest: It was given out before, is too old, or is of another toolbox.
        """
        id_ = pending if isinstance(pending, str) else pending.id
        with self._lock:
            self._forget_old()
            found = self._waiting.pop(id_, None)
        if found is None:
            where = "the API" if isinstance(pending, str) else pending.request["url"]
            why = "what is approved was decided before, is too old, or waits in another toolbox"
            raise RefusedRequest(where, why)
        return found[1:]

    def list(self) -> tuple[Pending, ...]:
        """What waits, the oldest first."""
        with self._lock:
            self._forget_old()
            return tuple(pending for _, pending, _ in self._waiting.values())

    def _forget_old(self) -> None:
        now = self._now()
        for id_ in [id_ for id_, (until, _, _) in self._waiting.items() if until < now]:
            del self._waiting[id_]
