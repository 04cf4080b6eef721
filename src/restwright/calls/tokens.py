"""Access tokens that were obtained, kept until they expire: in memory, and in 0600 files."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from restwright.net.files import locked_state, read_state, write_state
from restwright.net.secret import Secret
from restwright.typing import Json, is_object

SKEW_S = 60.0
"""A token counts as expired so long before it is, or a tenth of its lifetime where that is less."""
UNSAID_S = 600.0
"""How long a token is used whose server does not say how long it lasts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """
    An access token.

    Args:
        access: Itself.
        refresh: What a new one is asked for with; None where the server gave none.
        good_until: Seconds since the epoch.
    """

    access: Secret
    refresh: Secret | None = None
    good_until: float

    def is_good(self, now: float) -> bool:
        """Whether it can still be used."""
        return now < self.good_until


def good_until(lifetime_s: float | None, *, now: float) -> float:
    """Until when a token of that lifetime is used."""
    if lifetime_s is None:
        return now + UNSAID_S
    return now + lifetime_s - min(SKEW_S, lifetime_s / 10)


@dataclass(slots=True)
class Tokens:
    """
    Tokens by key; safe to use from several threads, and over files from several processes.

    Args:
        now: Seconds since the epoch.
        is_kept: Whether tokens are written to this user's cache, too.
    """

    now: Callable[[], float] = time.time
    is_kept: bool = True
    _tokens: dict[str, Token] = field(default_factory=dict[str, Token], repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def token(self, key: str, obtain: Callable[[Token | None], Token]) -> Token:
        """
        Return a good token; `obtain` is called with the old one where there is none.

        Args:
            key: As `token_key()` makes it.
        """
        with self._lock:
            found = self._tokens.get(key)
            if found is not None and found.is_good(self.now()):
                return found
            if not self.is_kept:
                self._tokens[key] = obtain(found)
                return self._tokens[key]
            # Two processes at once would spend the same refresh token twice.
            with locked_state("tokens", key):
                kept = _read(key) or found
                is_good = kept is not None and kept.is_good(self.now())
                token = kept if kept is not None and is_good else obtain(kept)
                if not is_good:
                    _write(key, token)
            self._tokens[key] = token
            return token

    def peek(self, key: str) -> Token | None:
        """A good token that is there already; None where there is none."""
        found = self._tokens.get(key) or (_read(key) if self.is_kept else None)
        return found if found is not None and found.is_good(self.now()) else None


def token_key(*parts: Json) -> str:
    """The key of a token: a hash of everything that it was asked for with but the secrets."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _read(key: str) -> Token | None:
    data = read_state("tokens", key)
    if data is None:
        return None
    try:
        value = json.loads(data)
        if not is_object(value):
            return None
        refresh = value["refresh"]
        return Token(
            access=Secret(str(value["access"])),
            refresh=Secret(str(refresh)) if refresh else None,
            good_until=float(value["good_until"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _write(key: str, token: Token) -> None:
    refresh = token.refresh.reveal() if token.refresh else None
    value = {"access": token.access.reveal(), "refresh": refresh, "good_until": token.good_until}
    write_state("tokens", key, json.dumps(value).encode())
