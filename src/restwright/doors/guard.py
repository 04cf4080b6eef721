"""
Who may come in, for every server of ours that others could reach through a browser.

A page on another site can make this browser send requests here. So the name that the request is
for, the page that it comes from and a secret of this process are looked at before anything else.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from restwright.doors.access import with_user
from restwright.doors.browsers import BrowserAccess, BrowserSession

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
MAX_BODY_BYTES = 16 * 1024 * 1024
TOKEN_PARAMETER = "token"  # noqa: S105 - its name alone
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_OPEN_SCOPES = frozenset({"lifespan"})

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Not `no-referrer`: under that a form that is sent without a script has the origin `null`.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def list_loopback_hosts(port: int) -> frozenset[str]:
    """What the header `Host` says of a server of this machine; without the port where it is 80."""
    named = {f"{name}:{port}" for name in LOOPBACK_NAMES}
    return frozenset(named | set(LOOPBACK_NAMES) if port == 80 else named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """
    Why a request is not let in.

    Args:
        status: 401 without a secret, 403 from elsewhere, 413 for too much.
        why: In words; what to do stands in it.
    """

    status: int
    why: str


RenderRefusal = Callable[[Request, Refusal], Response]


def render_refusal_as_text(request: Request, refusal: Refusal) -> Response:
    """The refusal as plain text."""
    del request
    return PlainTextResponse(f"{refusal.why}\n", refusal.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """
    Middleware before all routes, in pure ASGI, so that streams pass as they come.

    A request is let in where its `Host` is one of `hosts`, its `Origin`, where it has one, is that
    host, and it has the cookie of `browsers` or one of `keys` as bearer. A cookie is sent by a
    browser whatever page asks for it, so that with a cookie each request but GET and HEAD must
    have an `Origin`. A key is sent by programs alone, which have none.

    Args:
        app: What is guarded.
        hosts: As `list_loopback_hosts()` gives them.
        browsers: Lets browsers in; None where there is nothing for them.
        keys: Let programs in; none of them is empty.
        is_open: Whether no secret is needed here: everybody on this machine is let in, or the
            application has a check of its own.
        open_prefixes: Paths that begin so are read without a secret, such as a stylesheet's.
        scheme: `https` behind a proxy that ends TLS.
        render_refusal: How a refusal is said.
    """

    app: ASGIApp
    hosts: Collection[str]
    browsers: BrowserAccess | None = None
    keys: Collection[str] = field(default=(), repr=False)
    is_open: bool = False
    open_prefixes: tuple[str, ...] = ()
    scheme: str = "http"
    render_refusal: RenderRefusal = render_refusal_as_text
    max_body_bytes: int = MAX_BODY_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] in _OPEN_SCOPES:
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        send = _with_security_headers(send)
        browser = self.browsers.find(request) if self.browsers is not None else None
        answer = self._decide(request, browser)
        if answer is not None:
            await answer(scope, receive, send)
            return
        if browser is not None:
            request = Request(with_user(scope, browser.user, browser.name))
        await self._hand_on(request, receive, send)

    def _decide(self, request: Request, browser: BrowserSession | None) -> Response | None:
        """What is answered in the place of the application; None to let the request in."""
        host = request.headers.get("host", "").lower()
        if host not in self.hosts:
            why = f"this server is not {host or 'without a name'}: use the address that it printed"
            return self._refuse(request, 403, why)
        origin = request.headers.get("origin")
        if origin is not None and origin != f"{self.scheme}://{host}":
            return self._refuse(request, 403, "a page of another origin may not ask this server")
        if (entry := self._enter(request)) is not None:
            return entry
        is_safe = request.method in _SAFE_METHODS
        is_open = is_safe and request.url.path.startswith(self.open_prefixes)
        if self.is_open or is_open or self._has_key(request):
            return None
        if browser is None:
            why = "open the address that was printed at the start; each is good for one browser"
            key = "the header `Authorization: Bearer KEY` is needed, with the key of this server"
            return self._refuse(request, 401, why if self.browsers else key)
        if origin is None and not is_safe:
            return self._refuse(request, 403, "the header `Origin` is needed to change something")
        return None

    def _enter(self, request: Request) -> Response | None:
        """A cookie for the token of an address, and the same address without it."""
        token = request.query_params.get(TOKEN_PARAMETER, "")
        if self.browsers is None or not token or request.method != "GET":
            return None
        cookie = self.browsers.redeem(token)
        if cookie is None:
            return None
        # Only the path: what stands behind `//` would be taken for a host.
        path = "/" + request.url.path.lstrip("/")
        response = RedirectResponse(path, 303)
        self.browsers.set_cookie(response, cookie, is_secure=self.scheme == "https")
        return response

    def _has_key(self, request: Request) -> bool:
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and _is_among(key.strip(), self.keys)

    def _refuse(self, request: Request, status: int, why: str) -> Response:
        response = self.render_refusal(request, Refusal(status=status, why=why))
        if status == 401 and self.browsers is None:
            response.headers["www-authenticate"] = "Bearer"
        return response

    async def _hand_on(self, request: Request, receive: Receive, send: Send) -> None:
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self.max_body_bytes:
            refused = self._refuse(request, 413, _too_large(self.max_body_bytes))
            await refused(request.scope, receive, send)
            return
        await self.app(request.scope, _limit_body(receive, self.max_body_bytes), send)


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Count what is received; an application says itself what it answers to too much."""
    left = limit

    async def receive_counted() -> Message:
        nonlocal left
        message = await receive()
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, _too_large(limit))
        return message

    return receive_counted


def _too_large(limit: int) -> str:
    return f"a request may have {limit:,} bytes"


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ())]
            given = {name.lower() for name, _ in headers}
            added = {**SECURITY_HEADERS, "cache-control": "no-store"}
            headers += [
                (name.encode(), value.encode())
                for name, value in added.items()
                if name.encode() not in given
            ]
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


def _is_among(given: str, known: Collection[str]) -> bool:
    """Compared with each of them whole, so that the time says nothing about how much fits."""
    found = [secrets.compare_digest(given.encode(), one.encode()) for one in known if one]
    return any(found)
