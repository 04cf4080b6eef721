"""
The login of users at an authorization server, by the authorization code flow in their browsers.

A browser is let in for the user that an ID token names: for this client, with the nonce of this
very login, to the browser that began it. The access token is not used, and nothing of it is kept.

Source: OpenID Connect Core 1.0, "Authentication using the Authorization Code Flow"; RFC 9700.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field, replace
from secrets import compare_digest
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.auth.oauth.messages import (
    ClientRegistration,
    build_authorization_url,
    build_token_request,
    create_code_verifier,
    parse_oauth_response,
    parse_redirect,
)
from restwright.calls.auth.oauth.metadata import (
    ServerEndpoints,
    TrustedOrigins,
    discover_endpoints,
)
from restwright.calls.truncate import compact_json
from restwright.doors.browsers import BrowserAccess, BrowserSession, new_secret
from restwright.errors import CallError, NoToken
from restwright.jsontypes import JsonObject
from restwright.net.callbacks import await_if_needed
from restwright.net.messages import Request as SentRequest
from restwright.net.policy.origins import parse_origin
from restwright.net.secret import Secret
from restwright.openapi.model import SecurityScheme
from restwright.stepping import drive_async
from restwright.web.rendering import render_page

LOGIN, CALLBACK, LOGOUT = "/login", "/login/callback", "/logout"
LOGIN_S = 600.0
"""For how long somebody may take to log in."""
MAX_SESSION_S = 12 * 3_600.0
"""After which everybody logs in again, whatever the authorization server says."""
MAX_WAITING = 1_000
_SCOPE = "openid"
_MAX_NAME = 80
_FAILED = "This login let nobody in"

ReadClaims = Callable[[str, str], Awaitable[JsonObject | None]]
"""What the issuer says in a token for an audience; None where it is no such token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginClient:
    """
    This server, as the authorization server knows it.

    Args:
        url: Of this server, as browsers know it.
        scopes: That a user must have been granted.
    """

    issuer: str
    url: str
    client_id: str
    secret: Secret | None = field(default=None, repr=False)
    scopes: tuple[str, ...] = ()

    @property
    def redirect_uri(self) -> str:
        """Where browsers come back to."""
        return f"{self.url}{CALLBACK}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _BegunLogin:
    browser: str
    nonce: str
    verifier: Secret
    path: str
    until: float


@dataclass(slots=True, kw_only=True)
class PageLogin:
    """
    The routes by which users log in and out.

    Args:
        browsers: Those that are let in.
        send: Asks the authorization server.
        read_claims: Of its tokens, whose signature is checked.
    """

    client: LoginClient
    browsers: BrowserAccess
    send: AsyncSend = field(repr=False)
    read_claims: ReadClaims = field(repr=False)
    now: Callable[[], float] = time.time
    _begun: dict[str, _BegunLogin] = field(default_factory=dict[str, _BegunLogin], repr=False)

    def routes(self) -> list[BaseRoute]:
        """Where browsers log in and out."""
        return [
            Route(LOGIN, self.begin),
            Route(CALLBACK, self.finish),
            Route(LOGOUT, self.end, methods=["POST"]),
        ]

    @property
    def _is_secure(self) -> bool:
        return self.client.url.startswith("https:")

    @property
    def _binding(self) -> str:
        """The cookie by which the browser is known again that began a login."""
        return f"{self.browsers.cookie}-login"

    async def begin(self, request: Request) -> Response:
        """Send a browser to the authorization server."""
        # By an address that the issuer does not know, it could not come back.
        host = request.headers.get("host", "")
        if not self.client.url.lower().endswith(f"://{host.lower()}"):
            return self._fail(request, f"open this page by its own address: {self.client.url}")
        try:
            endpoints = await self._perform(self._discover())
        except CallError as error:
            return self._fail(request, error.message)
        begun = _BegunLogin(
            browser=self.browsers.read_cookie(request, self._binding) or new_secret(),
            nonce=new_secret(),
            verifier=create_code_verifier(),
            path=_own_path(request.query_params.get("to", "")),
            until=self.now() + LOGIN_S,
        )
        state = new_secret()
        self._begun[state] = begun
        while len(self._begun) > MAX_WAITING:
            del self._begun[next(iter(self._begun))]
        url = build_authorization_url(
            self._registration(endpoints),
            endpoints.authorization,
            redirect_uri=self.client.redirect_uri,
            scopes=(_SCOPE, *self.client.scopes),
            state=state,
            verifier=begun.verifier,
            more={"nonce": begun.nonce},
        )
        response = RedirectResponse(url, 303)
        response.set_cookie(
            self._binding,
            begun.browser,
            max_age=int(LOGIN_S),
            path="/",
            httponly=True,
            samesite="lax",
            secure=self._is_secure,
        )
        return response

    async def finish(self, request: Request) -> Response:
        """Let a browser in that comes back from its login."""
        state = request.query_params.get("state", "")
        begun = self._begun.pop(state, None)
        own = self.browsers.read_cookie(request, self._binding)
        if begun is None or begun.until < self.now():
            return self._fail(request, "no login waits for this page, or it took too long")
        if not compare_digest(begun.browser.encode(), own.encode()):
            return self._fail(request, "the login was begun in another browser")
        try:
            session = await self._log_in(str(request.url), state, begun)
        except CallError as error:
            return self._fail(request, error.message)
        self.browsers.forget(request)
        response = RedirectResponse(begun.path, 303)
        self.browsers.set_cookie(response, self.browsers.admit(session), is_secure=self._is_secure)
        self._drop_cookie(response, self._binding)
        return response

    async def end(self, request: Request) -> Response:
        """Let a browser in no more."""
        self.browsers.forget(request)
        response = render_page(request, "logged_out.html", user_name="", is_shared=True)
        self._drop_cookie(response, self.browsers.cookie)
        return response

    def refuse(self, request: Request) -> Response | None:
        """What a browser is answered that is not let in; None where it cannot log in there."""
        is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        if not is_page or request.headers.get("hx-request") == "true":
            return None
        to = f"{request.url.path}?{request.url.query}".removesuffix("?")
        return RedirectResponse(f"{LOGIN}?to={quote(_own_path(to))}", 303)

    def _drop_cookie(self, response: Response, name: str) -> None:
        # Of a name that begins with `__Host-` a browser takes no other `Set-Cookie`.
        response.delete_cookie(
            name, path="/", httponly=True, samesite="lax", secure=self._is_secure
        )

    async def _log_in(self, url: str, state: str, begun: _BegunLogin) -> BrowserSession:
        """Whose a browser is, and for how long."""
        answer = await self._perform(self._redeem(url, state, begun))
        token = answer.get("id_token")
        claims = None
        if isinstance(token, str):
            claims = await self.read_claims(token, self.client.client_id)
        if claims is None:
            raise self._refused("there is no ID token for this server in the answer")
        if not compare_digest(str(claims.get("nonce", "")).encode(), begun.nonce.encode()):
            raise self._refused("the ID token is of another login")
        if claims.get("azp", self.client.client_id) != self.client.client_id:
            raise self._refused("the ID token is for another client")
        # Source: RFC 6749, "Successful Response": as asked for where nothing is said.
        granted = answer.get("scope")
        if isinstance(granted, str) and not {*self.client.scopes} <= {*granted.split()}:
            raise self._refused(f"the user lacks a scope: {' '.join(self.client.scopes)}")
        subject = str(claims["sub"])
        left = min(float(claims["exp"]) - self.now(), MAX_SESSION_S)
        named = (claims.get(name) for name in ("preferred_username", "email", "name"))
        shown = next((name for name in named if isinstance(name, str) and name), subject)
        return BrowserSession(
            user=compact_json([self.client.issuer, subject]),
            name=shown[:_MAX_NAME],
            until=self.browsers.now() + left,
        )

    def _discover(self) -> Generator[SentRequest, Any, ServerEndpoints]:
        own = OAuthClient(client_id=self.client.client_id, issuer=self.client.issuer)
        trust = TrustedOrigins.of(own, None)
        scheme = SecurityScheme(name="login", type="openIdConnect")
        endpoints = yield from discover_endpoints(own, scheme, "authorization_code", trust)
        known = trust.with_delegated(endpoints)
        known.check_url(endpoints.token)
        known.check_browser_url(endpoints.authorization)
        return endpoints

    def _redeem(
        self, url: str, state: str, begun: _BegunLogin
    ) -> Generator[SentRequest, Any, JsonObject]:
        """The answer to the code that a browser came back with."""
        endpoints = yield from self._discover()
        client = self._registration(endpoints)
        code = parse_redirect(client, url, state=state, issuer=self.client.issuer)
        sent = {
            "grant_type": "authorization_code",
            "code": code.reveal(),
            "redirect_uri": self.client.redirect_uri,
            "code_verifier": begun.verifier.reveal(),
        }
        request = build_token_request(client, endpoints.token, sent, secrets=(code, begun.verifier))
        is_named = parse_origin(endpoints.token) == parse_origin(self.client.issuer)
        request = replace(request, is_named=is_named)
        return parse_oauth_response(client, request, (yield request))

    def _registration(self, endpoints: ServerEndpoints) -> ClientRegistration:
        secret = self.client.secret
        return ClientRegistration(
            name="login",
            client_id=self.client.client_id,
            secret=secret,
            method=endpoints.method if secret else "none",
        )

    async def _perform(self, steps: Generator[SentRequest, Any, Any]) -> Any:
        async def perform(request: SentRequest) -> Any:
            return await await_if_needed(self.send(request))

        return await drive_async(steps, perform)

    def _refused(self, why: str) -> NoToken:
        return NoToken("login", "refused", why)

    def _fail(self, request: Request, why: str) -> Response:
        response = render_page(
            request, "login_failed.html", why=f"{_FAILED}: {why}", is_shared=True
        )
        response.status_code = 403
        return response


def _own_path(path: str) -> str:
    """A path of this server; its first page for anything else, as what leads elsewhere."""
    is_own = path.startswith("/") and not path.startswith(("//", "/\\", LOGIN, LOGOUT))
    return path if is_own and path.isprintable() and "\\" not in path else "/"
