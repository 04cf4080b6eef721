"""Access tokens that were obtained, kept until they expire: in memory, and shared by processes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Protocol, TypeVar

from restwright.jsontypes import Json, is_object
from restwright.net.secret import Secret
from restwright.net.storage import lock_state, read_state, write_state

T = TypeVar("T")

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
        keeps_refresh_token: Whether the server answered a refresh and changed the refresh token
            not.
        is_spent: Whether its refresh token was sent by somebody who was gone before the answer was
            kept; then it is left out.
    """

    access_token: Secret
    refresh_token: Secret | None = None
    expires_at: float
    keeps_refresh_token: bool = False
    is_spent: bool = False

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


class UnreachableStore(Exception):
    """Where processes share tokens cannot be reached, or read; never carries a secret."""


class TokenStore(Protocol):
    """
    Where processes share tokens.

    Raises:
        UnreachableStore: From any of its methods.
    """

    def lock(self, key: TokenKey) -> AbstractContextManager[None]:
        """Keep others, in other processes too, from asking for the same token meanwhile."""
        ...

    def load(self, key: TokenKey) -> AccessToken | None:
        """Return what was saved last, good or not; None where there is none."""
        ...

    def save(self, key: TokenKey, token: AccessToken) -> None:
        """Keep a token."""
        ...

    def mark_spent(self, key: TokenKey, *, is_spent: bool) -> None:
        """Keep that the refresh token goes out now, or that it was not used after all."""
        ...


class TokenFiles:
    """Tokens in 0600 files of this user; where nothing can be written nothing is kept."""

    def lock(self, key: TokenKey) -> AbstractContextManager[None]:
        """Lock a file."""
        return lock_state("tokens", key.text)

    def load(self, key: TokenKey) -> AccessToken | None:
        """Read a file."""
        data = read_state("tokens", key.text)
        return None if data is None else token_from_json(data)

    def save(self, key: TokenKey, token: AccessToken) -> None:
        """Write a file."""
        write_state("tokens", key.text, token_to_json(token).encode())

    def mark_spent(self, key: TokenKey, *, is_spent: bool) -> None:
        """Who uses these files is one user of one machine, who can log in again."""


@dataclass(slots=True)
class TokenCache:
    """
    Tokens by key; safe to use from several threads, and over a store from several processes.

    Args:
        now: Seconds since the epoch.
        is_persistent: Whether tokens are written to the store, too.
        store: Files of this user, or a database that machines share.
    """

    now: Callable[[], float] = time.time
    is_persistent: bool = True
    store: TokenStore = field(default_factory=TokenFiles, repr=False, compare=False)
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
        with self._lock(key), self._store_lock(key):
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
            found = await _in_thread(partial(self._newest_token, key))
            if found is None or not found.is_valid(self.now()):
                token = await obtain(found)
                found = await _in_thread(partial(self._store, key, token))
            return found

    def drop(self, key: TokenKey, access: Secret) -> bool:
        """
        Count a token as expired that a server refused.

        Args:
            access: What was refused. Where another took its place meanwhile, that stays.

        Returns:
            Whether another is asked for now; not where the store cannot be reached.
        """
        try:
            with self._lock(key), self._store_lock(key):
                self._expire(key, access)
        except UnreachableStore:
            return False
        return True

    async def drop_async(self, key: TokenKey, access: Secret) -> bool:
        """Do the same as `drop` without blocking the event loop."""
        try:
            async with self._exclusive(key):
                await _in_thread(partial(self._expire, key, access))
        except UnreachableStore:
            return False
        return True

    def mark_spent(self, key: TokenKey, *, is_spent: bool) -> None:
        """Keep that a refresh token goes out now, or that it was not used after all."""
        if self._is_persistent(key):
            self.store.mark_spent(key, is_spent=is_spent)

    def peek(self, key: TokenKey) -> AccessToken | None:
        """A good token that is there already; None where there is none."""
        ready = self._valid_token(key)
        found = ready or (self.store.load(key) if self._is_persistent(key) else None)
        return found if found is not None and found.is_valid(self.now()) else None

    def _valid_token(self, key: TokenKey) -> AccessToken | None:
        found = self._tokens.get(key)
        return found if found is not None and found.is_valid(self.now()) else None

    def _newest_token(self, key: TokenKey) -> AccessToken | None:
        """The newest token, good or not; another process may have written it."""
        if (ready := self._valid_token(key)) is not None:
            return ready
        found = (self.store.load(key) if self._is_persistent(key) else None) or self._tokens.get(
            key
        )
        if found is not None:
            self._tokens[key] = found
        return found

    def _store(self, key: TokenKey, token: AccessToken) -> AccessToken:
        self._tokens[key] = token
        if self._is_persistent(key):
            self.store.save(key, token)
        return token

    def _expire(self, key: TokenKey, access: Secret) -> None:
        # What is in the file may be newer than what this process remembers.
        found = (self.store.load(key) if self._is_persistent(key) else None) or self._tokens.get(
            key
        )
        if found is None:
            return
        self._store(key, replace(found, expires_at=0.0) if found.access_token == access else found)

    def _is_persistent(self, key: TokenKey) -> bool:
        return self.is_persistent and not key.is_in_memory

    def _lock(self, key: TokenKey) -> threading.Lock:
        return self._locks.setdefault(key, threading.Lock())

    def _store_lock(self, key: TokenKey) -> AbstractContextManager[None]:
        # Two processes at once would spend the same refresh token twice.
        return self.store.lock(key) if self._is_persistent(key) else nullcontext()

    @asynccontextmanager
    async def _exclusive(self, key: TokenKey) -> AsyncGenerator[None]:
        # It takes long to import, and the command line has no loop.
        import anyio

        lock, shared = self._lock(key), self._store_lock(key)
        # Threads and event loops share the lock, so no event of a loop could tell of it.
        while not lock.acquire(blocking=False):  # noqa: ASYNC110
            await anyio.sleep(_POLL_S)
        try:
            await _in_thread(shared.__enter__)
            try:
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await _in_thread(partial(shared.__exit__, None, None, None))
        finally:
            lock.release()


def token_key_from_parts(*parts: Json, is_fleeting: bool = False) -> TokenKey:
    """Make the key of a token of all that tells it from others."""
    text = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return TokenKey(text, is_in_memory=is_fleeting)


async def _in_thread(work: Callable[[], T]) -> T:
    """Do what may block in a thread of its own; those of the loop may all wait for its outcome."""
    import anyio
    from anyio.to_thread import run_sync

    return await run_sync(work, limiter=anyio.CapacityLimiter(1))


def token_from_json(data: str | bytes) -> AccessToken | None:
    """Read what `token_to_json()` wrote; None where it is something else."""
    try:
        value = json.loads(data)
        if not is_object(value):
            return None
        refresh = value["refresh"]
        return AccessToken(
            access_token=Secret(str(value["access"])),
            refresh_token=Secret(str(refresh)) if refresh else None,
            expires_at=float(value["good_until"]),
            keeps_refresh_token=value.get("keeps_refresh") is True,
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def token_to_json(token: AccessToken) -> str:
    """Write a token as it is kept, secrets and all."""
    refresh = token.refresh_token.reveal() if token.refresh_token else None
    value = {
        "access": token.access_token.reveal(),
        "refresh": refresh,
        "good_until": token.expires_at,
        "keeps_refresh": token.keeps_refresh_token,
    }
    return json.dumps(value)
