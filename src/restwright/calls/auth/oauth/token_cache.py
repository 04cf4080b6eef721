"""Access tokens that were obtained, kept until they expire: in memory, and in 0600 files."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256

from restwright.jsontypes import Json, is_object
from restwright.net.secret import Secret
from restwright.net.storage import lock_state, read_state, write_state

SKEW_S = 60.0
"""A token counts as expired so long before it is, or a tenth of its lifetime where that is less."""
DEFAULT_LIFETIME_S = 600.0
"""How long a token is used whose server does not say how long it lasts."""
_POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """
    An access token.

    Args:
        access_token: Itself.
        refresh_token: What a new one is asked for with; None where the server gave none.
        expires_at: Seconds since the epoch.
    """

    access_token: Secret
    refresh_token: Secret | None = None
    expires_at: float

    def is_valid(self, now: float) -> bool:
        """Whether it can still be used."""
        return now < self.expires_at


def expiry_from_lifetime(lifetime_s: float | None, *, now: float) -> float:
    """Until when a token of that lifetime is used."""
    if lifetime_s is None:
        return now + DEFAULT_LIFETIME_S
    return now + lifetime_s - min(SKEW_S, lifetime_s / 10)


@dataclass(frozen=True, slots=True)
class TokenKey:
    """
    What tells a token from others.

    Args:
        text: A hash of everything that it was asked for with.
        is_in_memory: Whether it is known to this process alone, so that nothing is written for it.
    """

    text: str
    is_in_memory: bool = False


@dataclass(slots=True)
class TokenCache:
    """
    Tokens by key; safe to use from several threads, and over files from several processes.

    Args:
        now: Seconds since the epoch.
        is_persistent: Whether tokens are written to this user's cache, too.
    """

    now: Callable[[], float] = time.time
    is_persistent: bool = True
    _tokens: dict[TokenKey, AccessToken] = field(
        default_factory=dict[TokenKey, AccessToken], repr=False
    )
    # One a key: a person who takes minutes to log in keeps nobody else waiting.
    _locks: dict[TokenKey, threading.Lock] = field(
        default_factory=dict[TokenKey, threading.Lock], repr=False
    )

    def token(
        self, key: TokenKey, obtain: Callable[[AccessToken | None], AccessToken]
    ) -> AccessToken:
        """
        Return a good token; `obtain` is called with the old one where there is none.

        Args:
            key: As `token_key_from_parts()` makes it.
        """
        if (ready := self._valid_token(key)) is not None:
            return ready
        with self._lock(key), self._file_lock(key):
            found = self._newest_token(key)
            if found is None or not found.is_valid(self.now()):
                found = self._store(key, obtain(found))
            return found

    async def token_async(
        self, key: TokenKey, obtain: Callable[[AccessToken | None], Awaitable[AccessToken]]
    ) -> AccessToken:
        """Do the same as `token` without blocking the event loop."""
        if (ready := self._valid_token(key)) is not None:
            return ready
        async with self._exclusive(key):
            found = self._newest_token(key)
            if found is None or not found.is_valid(self.now()):
                found = self._store(key, await obtain(found))
            return found

    def drop(self, key: TokenKey, access: Secret) -> None:
        """
        Count a token as expired that a server refused.

        Args:
            access: What was refused. Where another took its place meanwhile, that stays.
        """
        with self._lock(key), self._file_lock(key):
            self._expire(key, access)

    async def drop_async(self, key: TokenKey, access: Secret) -> None:
        """Do the same as `drop` without blocking the event loop."""
        async with self._exclusive(key):
            self._expire(key, access)

    def peek(self, key: TokenKey) -> AccessToken | None:
        """A good token that is there already; None where there is none."""
        ready = self._valid_token(key)
        found = ready or (_load_token(key) if self._is_persistent(key) else None)
        return found if found is not None and found.is_valid(self.now()) else None

    def _valid_token(self, key: TokenKey) -> AccessToken | None:
        found = self._tokens.get(key)
        return found if found is not None and found.is_valid(self.now()) else None

    def _newest_token(self, key: TokenKey) -> AccessToken | None:
        """The newest token, good or not; another process may have written it."""
        if (ready := self._valid_token(key)) is not None:
            return ready
        found = (_load_token(key) if self._is_persistent(key) else None) or self._tokens.get(key)
        if found is not None:
            self._tokens[key] = found
        return found

    def _store(self, key: TokenKey, token: AccessToken) -> AccessToken:
        if self._is_persistent(key):
            _save_token(key, token)
        self._tokens[key] = token
        return token

    def _expire(self, key: TokenKey, access: Secret) -> None:
        # What is in the file may be newer than what this process remembers.
        found = (_load_token(key) if self._is_persistent(key) else None) or self._tokens.get(key)
        if found is None:
            return
        self._store(key, replace(found, expires_at=0.0) if found.access_token == access else found)

    def _is_persistent(self, key: TokenKey) -> bool:
        return self.is_persistent and not key.is_in_memory

    def _lock(self, key: TokenKey) -> threading.Lock:
        return self._locks.setdefault(key, threading.Lock())

    def _file_lock(self, key: TokenKey) -> AbstractContextManager[None]:
        # Two processes at once would spend the same refresh token twice.
        return lock_state("tokens", key.text) if self._is_persistent(key) else nullcontext()

    @asynccontextmanager
    async def _exclusive(self, key: TokenKey) -> AsyncGenerator[None]:
        # It takes long to import, and the command line has no loop.
        import anyio
        from anyio.to_thread import run_sync

        lock, files = self._lock(key), self._file_lock(key)
        # Threads and event loops share the lock, so no event of a loop could tell of it.
        while not lock.acquire(blocking=False):  # noqa: ASYNC110
            await anyio.sleep(_POLL_S)
        try:
            # A thread of its own: those of the loop may all wait for what the holder does in one.
            await run_sync(files.__enter__, limiter=anyio.CapacityLimiter(1))
            try:
                yield
            finally:
                files.__exit__(None, None, None)
        finally:
            lock.release()


def token_key_from_parts(*parts: Json, is_fleeting: bool = False) -> TokenKey:
    """Make the key of a token of all that tells it from others."""
    text = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return TokenKey(text, is_in_memory=is_fleeting)


def _load_token(key: TokenKey) -> AccessToken | None:
    data = read_state("tokens", key.text)
    if data is None:
        return None
    try:
        value = json.loads(data)
        if not is_object(value):
            return None
        refresh = value["refresh"]
        return AccessToken(
            access_token=Secret(str(value["access"])),
            refresh_token=Secret(str(refresh)) if refresh else None,
            expires_at=float(value["good_until"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _save_token(key: TokenKey, token: AccessToken) -> None:
    refresh = token.refresh_token.reveal() if token.refresh_token else None
    value = {
        "access": token.access_token.reveal(),
        "refresh": refresh,
        "good_until": token.expires_at,
    }
    write_state("tokens", key.text, json.dumps(value).encode())
