"""Leases on sessions: who has one renews it while it lives; one thread does, for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

Renew = Callable[[Mapping[str, str]], None]


@dataclass(slots=True)
class Heartbeat:
    """
    Renews leases before they run out. To be stopped.

    Args:
        renew: Given `{session: token}` of all that are held.
        every_s: How often; a third of a lease.
    """

    renew: Renew
    every_s: float
    _held: dict[str, str] = field(default_factory=dict[str, str])
    _lock: Lock = field(default_factory=Lock)
    _is_over: Event = field(default_factory=Event)
    _thread: Thread | None = None
    _renewed: float = 0.0

    def has_renewed(self, within_s: float) -> bool:
        """Whether all that are held were renewed so lately."""
        with self._lock:
            return not self._held or time.monotonic() - self._renewed < within_s

    def add(self, session: str, token: str) -> None:
        """Renew this one too from now on."""
        with self._lock:
            if not self._held:
                self._renewed = time.monotonic()
            self._held[session] = token
            if self._thread is None:
                self._thread = Thread(target=self._beat, name="restwright leases", daemon=True)
                self._thread.start()

    def remove(self, session: str, token: str) -> bool:
        """Renew it no more, and return whether it was; another one of the same session stays."""
        with self._lock:
            if is_held := self._held.get(session) == token:
                del self._held[session]
        return is_held

    def stop(self) -> None:
        """Renew nothing more."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()

    def _beat(self) -> None:
        while not self._is_over.wait(self.every_s):
            with self._lock:
                held, began = dict(self._held), time.monotonic()
            if held:
                # Where the database is away nobody else can take them up either.
                with suppress(OSError):
                    self.renew(held)
                    self._renewed = began


@dataclass(slots=True)
class Lease:
    """A session that is had until it is closed, or its process was gone for as long as a lease."""

    session: str
    token: str
    heartbeat: Heartbeat
    free: Callable[[str, str], None]

    def close(self) -> None:
        """Let others have it at once; where that cannot be told, when it has run out."""
        if self.heartbeat.remove(self.session, self.token):
            with suppress(OSError):
                self.free(self.session, self.token)
