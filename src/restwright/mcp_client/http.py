"""
A server of MCP at a URL: every connection goes to an address that was checked.

The user named the origin of the URL, and nothing else. Where a server sends us to log in is public
or not asked; headers of the user go to the origin that they are for.

Source: MCP 2025-11-25 and 2026-07-28, "Streamable HTTP".
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpcore2
import httpx2
from mcp.client.streamable_http import streamable_http_client

from restwright.errors import RefusedRequest
from restwright.mcp_client.settings import ServerSettings, ServerURL
from restwright.net.http.async_pool import AsyncConnectionPools
from restwright.net.policy.dns import BlockedDestination
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.policy.routes import RouteRequirements
from restwright.net.secret_references import is_secret_reference, resolve_secret

_EVENTS = b"text/event-stream"


class GuardedTransport(httpx2.AsyncBaseTransport):
    """
    Carries requests of `httpx2` over our own pools, which check each address.

    Args:
        named: The origin that the user named, which may be this machine.
        headers: Sent to that origin alone.
        also_named: Other origins that the user named, such as of a server to log in at.
        timeout_s: Seconds to connect, and of any response that is no stream of events.
        max_bytes: Of a response that is no stream of events.
    """

    def __init__(
        self,
        named: Origin,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        max_bytes: int,
        also_named: Collection[Origin] = (),
    ) -> None:
        self._named, self._headers = named, headers
        self._all_named = {named, *also_named}
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._pools = AsyncConnectionPools()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """
        Send one request.

        Raises:
            httpx2.ConnectError: Its address may not be asked, or is not reached.
        """
        origin = self._find_origin(request)
        if origin == self._named:
            for name, value in self._headers.items():
                request.headers[name] = value
        deadline = time.monotonic() + self._timeout_s
        limits = {"connect": deadline, "write": deadline, "pool": self._timeout_s, "read": math.inf}
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=await request.aread(),
            extensions={"timeout": limits},
        )
        needs = RouteRequirements(is_named=origin in self._all_named)
        try:
            got = await self._pools.handle(sent, origin, requirements=needs, deadline=deadline)
        except (BlockedDestination, RefusedRequest) as error:
            raise httpx2.ConnectError(error.why, request=request) from None
        except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
            raise httpx2.ConnectError(type(error).__name__, request=request) from None
        except (httpcore2.ProtocolError, httpcore2.ProxyError) as error:
            raise httpx2.RemoteProtocolError(type(error).__name__, request=request) from None
        body = _Body(got, math.inf if _is_stream(got) else self._max_bytes)
        return httpx2.Response(got.status, headers=got.headers, stream=body, request=request)

    def _find_origin(self, request: httpx2.Request) -> Origin:
        try:
            return parse_origin(str(request.url))
        except RefusedRequest as error:
            raise httpx2.UnsupportedProtocol(error.message, request=request) from None

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pools.close()


def _is_stream(response: httpcore2.Response) -> bool:
    return any(
        name.lower() == b"content-type" and value.lower().startswith(_EVENTS)
        for name, value in response.headers
    )


class _Body(httpx2.AsyncByteStream):
    """The body of a response, up to a cap."""

    def __init__(self, response: httpcore2.Response, max_bytes: float) -> None:
        self._response, self._max_bytes = response, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        try:
            async for piece in self._response.aiter_stream():
                length += len(piece)
                if length > self._max_bytes:
                    raise httpx2.ReadError(f"over {self._max_bytes:,} bytes")
                yield piece
        except (
            httpcore2.NetworkError,
            httpcore2.TimeoutException,
            httpcore2.ProtocolError,
        ) as error:
            raise httpx2.ReadError(type(error).__name__) from None

    async def aclose(self) -> None:
        await self._response.aclose()


class HTTPConnector:
    """
    Opens connections to a server at a URL.

    Raises:
        MissingCredential: A header refers to a secret that there is not.
    """

    def __init__(self, settings: ServerSettings, place: ServerURL) -> None:
        self._settings, self._place = settings, place
        self._headers = {
            name: _fill_in(value, allow_commands=settings.allow_commands)
            for name, value in place.headers.items()
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of its headers, and what follows the scheme in them."""
        values = self._headers.values()
        return tuple({text for value in values for text in (value, value.rpartition(" ")[2])})

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Any]:
        """What carries messages, open."""
        limits = self._settings.limits
        transport = GuardedTransport(
            parse_origin(self._place.url),
            self._headers,
            timeout_s=limits.start_s,
            max_bytes=limits.line_bytes,
            also_named=[parse_origin(url) for url in self._place.origins],
        )
        async with (
            self._find_login() as auth,
            httpx2.AsyncClient(
                transport=transport, timeout=None, trust_env=False, auth=auth
            ) as client,
            streamable_http_client(
                self._place.url, http_client=client, max_sse_event_size=limits.line_bytes
            ) as streams,
        ):
            yield streams

    @asynccontextmanager
    async def _find_login(self) -> AsyncGenerator[httpx2.Auth | None]:
        """What obtains a token where the server wants one, and nobody gave one."""
        make_login = self._settings.make_login
        has_token = "authorization" in {name.lower() for name in self._headers}
        login = None if make_login is None or has_token else make_login()
        if login is None:
            yield None
            return
        from restwright.mcp_client.oauth import ServerLogin

        try:
            secret = _fill_in(
                self._place.client_secret, allow_commands=self._settings.allow_commands
            )
            yield ServerLogin(self._place, secret, login, login.listen())
        finally:
            login.close()


def _fill_in(value: str, *, allow_commands: bool) -> str:
    """`Bearer env:NAME` with what the variable holds."""
    before, space, reference = value.rpartition(" ")
    if not is_secret_reference(reference):
        return value
    secret = resolve_secret(reference, allow_commands=allow_commands).reveal()
    return f"{before}{space}{secret}"
