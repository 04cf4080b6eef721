"""The browsers that a server knows by a cookie, and whose they are."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf

from starlette.requests import Request
from starlette.responses import Response

MAX_BROWSERS = 32
"""Of one user, known at the same time; the oldest goes first."""
MAX_ALL_BROWSERS = 10_000
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """
    A browser that was let in.

    Args:
        user: Whose it is; empty where nobody had to say who they are.
        name: Of the user, for people.
        until: Seconds, monotonic.
    """

    user: str = ""
    name: str = ""
    until: float = inf


@dataclass(slots=True)
class BrowserAccess:
    """
    The token of a printed address, and the cookies of the browsers that were let in.

    A token is worth nothing after it was used, so that it may lie in a history or a log. Each one
    that is used is followed by another, for one more browser.

    Args:
        cookie: The name of the cookie. Cookies know no ports, so the port belongs in it.
        on_new_token: Told of each token that follows one.
        is_by_login: Whether users log in elsewhere, so that no printed address lets anybody in.
    """

    cookie: str
    on_new_token: Callable[[str], None] | None = field(default=None, repr=False)
    token: str = field(default="", repr=False)
    is_by_login: bool = False
    now: Callable[[], float] = time.monotonic
    _sessions: dict[str, BrowserSession] = field(
        default_factory=dict[str, BrowserSession], repr=False
    )

    def __post_init__(self) -> None:
        if not self.is_by_login:
            self.token = self.token or new_secret()

    def redeem(self, token: str) -> str | None:
        """The cookie for a token, which is then worth nothing; None where it is not this one."""
        if self.is_by_login or not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = new_secret()
        cookie = self.admit(BrowserSession())
        if self.on_new_token is not None:
            self.on_new_token(self.token)
        return cookie

    def admit(self, session: BrowserSession) -> str:
        """Let a browser in; returns its cookie."""
        now = self.now()
        known = {key: own for key, own in self._sessions.items() if own.until > now}
        same = [key for key, own in known.items() if own.user == session.user]
        # Who lets in many browsers puts none of another user out.
        for key in same[: max(0, len(same) + 1 - MAX_BROWSERS)]:
            del known[key]
        while len(known) >= MAX_ALL_BROWSERS:
            del known[next(iter(known))]
        cookie = new_secret()
        self._sessions = {**known, _hash(cookie): session}
        return cookie

    def find(self, request: Request) -> BrowserSession | None:
        """The browser that a request is of; None for one that is not, or no longer, let in."""
        session = self._sessions.get(_hash(self.read_cookie(request)))
        return session if session is not None and session.until > self.now() else None

    def forget(self, request: Request) -> None:
        """Let the browser of a request in no more."""
        self._sessions.pop(_hash(self.read_cookie(request)), None)

    def read_cookie(self, request: Request, name: str = "") -> str:
        """What a browser sends; empty for nothing."""
        # Not by `http.cookies`, which gives up at what others on this host may have set.
        return request.cookies.get(name or self.cookie, "")

    def set_cookie(self, response: Response, cookie: str, *, is_secure: bool) -> None:
        """Have a browser send a cookie from now on."""
        response.set_cookie(
            self.cookie,
            cookie,
            httponly=True,
            # Who comes back from a login comes from another site.
            samesite="lax" if self.is_by_login else "strict",
            secure=is_secure,
            path="/",
        )


def name_cookie(url: str, port: int) -> str:
    """
    Name the cookie of a server.

    Over TLS by the prefix that no other host of the domain, and nobody on the way, can set it for.
    Source: RFC 6265bis, "The "__Host-" Prefix".
    """
    return f"{'__Host-' if url.startswith('https:') else ''}restwright-{port}"


def new_secret() -> str:
    """Something that nobody guesses."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def _hash(cookie: str) -> str:
    # By its hash, so that the time of looking it up says nothing about a cookie.
    return sha256(cookie.encode()).hexdigest()
