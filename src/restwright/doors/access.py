"""Whose a request is: nobody's in particular, or of the subject of an access token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

VerifyToken = Callable[[str], Awaitable[str | None]]
"""Says who the bearer of a token is; None for nobody."""
_USER, _NAME = "restwright.user", "restwright.user_name"


def find_user(request: Request) -> str:
    """Who asks; empty where nobody had to say who they are."""
    return request.scope.get(_USER, "")


def find_user_name(request: Request) -> str:
    """The name of who asks, for people; empty where nobody had to say who they are."""
    return request.scope.get(_NAME, "")


def with_user(scope: Scope, user: str, name: str = "") -> Scope:
    """A request of which it is known whose it is."""
    return {**scope, _USER: user, _NAME: name}


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """
    Middleware that lets in who has a token, and says whose it is.

    Args:
        challenge: Of the header `WWW-Authenticate`.
        open_paths: What everybody is told, by its path.
        refuse: Answers who has none.
    """

    app: ASGIApp
    verify: VerifyToken = field(repr=False)
    refuse: Callable[[Request], Response] = field(repr=False)
    challenge: str = "Bearer"
    open_paths: Mapping[str, ASGIApp] = field(default_factory=dict[str, ASGIApp])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http" or scope["path"] in self.open_paths:
            await self.open_paths.get(scope.get("path", ""), self.app)(scope, receive, send)
            return
        request = Request(scope)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        user = await self.verify(token.strip()) if scheme.lower() == "bearer" and token else None
        if user is None:
            response = self.refuse(request)
            response.headers["www-authenticate"] = self.challenge
            await response(scope, receive, send)
            return
        await self.app(with_user(scope, user), receive, send)
