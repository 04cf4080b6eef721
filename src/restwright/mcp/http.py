"""A server over streamable HTTP: on loopback for everybody there, elsewhere for who has a token."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from mcp.server import Server
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from restwright.errors import UsageError
from restwright.mcp.landing import PATH as LOGIN_PATH
from restwright.mcp.landing import LoginRoute
from restwright.net.http_server import find_address
from restwright.net.http_server import open_listener as open_socket
from restwright.net.policy.origins import LOOPBACK_HOSTS

PATH = "/mcp"
MAX_BODY_BYTES = 4 * 1024 * 1024
_CHALLENGES = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPAddress:
    """
    Where a server listens.

    Args:
        url: As its clients know it, without the path of its one route.
    """

    host: str
    port: int
    url: str = ""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK_HOSTS

    @property
    def public_url(self) -> str:
        """The URL that clients are told."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.url.rstrip('/') or f'http://{host}:{self.port}'}{PATH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPAccess:
    """
    Who may use a server.

    Args:
        verifier: Says whose a token is; None where none is wanted.
        issuer: The authorization server that clients are sent to; empty for none.
        scopes: That every token must have.
    """

    verifier: TokenVerifier | None = None
    issuer: str = ""
    scopes: Sequence[str] = ()


def parse_address(text: str, *, url: str = "", has_access: bool) -> HTTPAddress:
    """
    From `HOST:PORT`, `:PORT` or `PORT` to where a server listens.

    Args:
        url: As its clients know it.
        has_access: Whether a token is wanted of everybody.

    Raises:
        UsageError: It is none, or others could reach it without a token.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"{text!r} is not HOST:PORT", setting="--http")
    if url and not urlsplit(url).netloc:
        raise UsageError(f"{url!r} is no URL", setting="--url")
    address = HTTPAddress(host=host, port=int(port), url=url.rstrip("/").removesuffix(PATH))
    if not address.is_loopback and not has_access:
        why = f"everybody who can reach {host} could call the APIs with your credentials"
        raise UsageError(why, setting="--http", next_move="give --token REF or --oauth ISSUER")
    if not address.is_loopback and not url:
        why = "what its clients call it is not known, and requests to other names are refused"
        raise UsageError(why, setting="--http", next_move="give --url https://HOST")
    return address


def make_app(
    server: Server[Any],
    address: HTTPAddress,
    access: HTTPAccess,
    login: LoginRoute | None = None,
) -> ASGIApp:
    """
    The application: one route, and the metadata that say where tokens are to be had.

    Args:
        login: What browsers come back to after a login; None where they come to this machine.
    """
    routes: list[Route] = []
    if login is not None:
        login.url = address.public_url.removesuffix(PATH) + LOGIN_PATH
        routes.append(Route(LOGIN_PATH, login.handle, methods=["GET"]))
    security = _make_security(address)
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=security,
        host=address.host,
        auth=_make_auth(address, access),
        token_verifier=access.verifier,
        custom_starlette_routes=routes,
    )
    return _Guard(_Challenge(app, tuple(access.scopes)), security)


def _make_security(address: HTTPAddress) -> TransportSecuritySettings:
    hosts = [f"{_bracket(host)}:*" for host in sorted(LOOPBACK_HOSTS)]
    origins = [f"http://{host}" for host in hosts]
    if address.url:
        named = urlsplit(address.url)
        hosts.append(named.netloc)
        origins.append(f"{named.scheme}://{named.netloc}")
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
    )


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _make_auth(address: HTTPAddress, access: HTTPAccess) -> AuthSettings | None:
    if access.verifier is None:
        return None
    url = address.public_url
    return AuthSettings.model_validate(
        {
            "issuer_url": access.issuer or url,
            # Without an authorization server there is nothing that clients could be sent to.
            "resource_server_url": url if access.issuer else None,
            "required_scopes": [*access.scopes],
            "validate_token_resource": bool(access.issuer),
        }
    )


@dataclass(frozen=True, slots=True)
class _Guard:
    """Refuses names and pages of others on every route, before anything else looks at them."""

    app: ASGIApp
    settings: TransportSecuritySettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            security = TransportSecurityMiddleware(self.settings)
            refusal = await security.validate_request(Request(scope, receive), is_post=False)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _Challenge:
    """Adds to a refused token's answer which scopes a token must have, all of them at once."""

    app: ASGIApp
    scopes: tuple[str, ...]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_scopes(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _CHALLENGES:
                message = {**message, "headers": self._add_scopes(message["headers"])}
            await send(message)

        await self.app(scope, receive, send_with_scopes if self.scopes else send)

    def _add_scopes(self, headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        more = f', scope="{" ".join(self.scopes)}"'.encode()
        return [
            (name, value + more if name.lower() == b"www-authenticate" else value)
            for name, value in headers
        ]


def open_listener(address: HTTPAddress) -> tuple[socket.socket, HTTPAddress]:
    """
    Listen at an address; returns it with its port where any free one was asked for.

    Raises:
        OSError: It is taken, or none of this machine.
    """
    listener = open_socket(address.host, address.port, wants_secret=not address.is_loopback)
    return listener, replace(address, port=find_address(listener)[1])
