"""The pools of `pool`, for an event loop: the same routes, the same checked addresses."""

from __future__ import annotations

import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio
import anyio.to_thread
import httpcore2

from restwright.net.http.body_limits import ReceiveBuffer
from restwright.net.http.pool import check_behind_proxy
from restwright.net.policy.dns import ResolveHost, check_addresses, check_host, resolve_host
from restwright.net.policy.origins import Origin
from restwright.net.policy.routes import Route, RouteRequirements, RouteTable

_RECORD_BYTES = 16 * 1024


class AsyncConnectionPools:
    """
    A pool of kept-alive connections for each route, made when first needed.

    Args:
        resolve: Finds the addresses of a host, in a thread; the system's way where None.
    """

    def __init__(self, *, resolve: ResolveHost | None = None) -> None:
        self._resolve = resolve or resolve_host
        self._routes = RouteTable()
        self._pools: dict[Route, httpcore2.AsyncConnectionPool] = {}

    async def handle(
        self,
        request: httpcore2.Request,
        origin: Origin,
        *,
        requirements: RouteRequirements,
        deadline: float,
    ) -> httpcore2.Response:
        """
        Send `request` as it is; the caller must close the response.

        Raises:
            Blocked: Its origin may not be connected to.
            RefusedRequest: The proxy or the certificate is none.
        """
        route = self._routes.find_route(origin, requirements)
        if route.proxy:
            await anyio.to_thread.run_sync(
                lambda: check_behind_proxy(
                    origin, self._resolve, deadline, is_named=requirements.is_named
                ),
                abandon_on_cancel=True,
            )
        return await self._pool(route, origin).handle_async_request(request)

    async def close(self) -> None:
        """Close every connection; the pools can be used again afterwards."""
        while self._pools:
            _, pool = self._pools.popitem()
            await pool.aclose()

    def _pool(self, route: Route, origin: Origin) -> httpcore2.AsyncConnectionPool:
        if route not in self._pools:
            backend = AsyncDeadlineBackend(resolve=self._resolve, is_named=route.is_trusted)
            self._pools[route] = httpcore2.AsyncConnectionPool(
                network_backend=backend, **route.pool_options(origin)
            )
        return self._pools[route]


class AsyncDeadlineBackend(httpcore2.AsyncNetworkBackend):
    """
    Opens sockets to addresses that were checked; every `timeout` is an instant.

    Args:
        resolve: Finds the addresses of a host.
        is_named: Whether the user named where it connects to (an origin, or a proxy).
        below: Opens the sockets; the system's where None.
    """

    def __init__(
        self,
        *,
        resolve: ResolveHost,
        is_named: bool,
        below: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._backend: Any = below or httpcore2.AnyIOBackend()
        self._resolve, self._is_named = resolve, is_named

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore2
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Try each address of `host` in turn; a silent one gets its share of the time only."""
        addresses = await self._addresses(host, port)
        failure: Exception = httpcore2.ConnectError("the host name has no address")
        for index, address in enumerate(addresses):
            share = _seconds_left(timeout)
            share = None if share is None else share / (len(addresses) - index)
            try:
                stream = await self._backend.connect_tcp(
                    address, port, share, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return AsyncDeadlineStream(stream)
        raise failure

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        written = check_host(host, is_named=self._is_named)
        if written:
            return written
        try:
            found = await anyio.to_thread.run_sync(
                self._resolve, host, port, abandon_on_cancel=True
            )
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(error) from error
        return check_addresses(host, found, is_named=self._is_named)


class AsyncDeadlineStream(httpcore2.AsyncNetworkStream):
    """A socket; every `timeout` is an instant of `time.monotonic()`."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self.intake = ReceiveBuffer()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Return what there is, up to `max_bytes`; empty at the end."""
        if not self.intake.has_more:
            try:
                self.intake.put(await self._stream.read(max_bytes, _seconds_left(timeout)))
            except ssl.SSLError as error:
                # In TLS 1.3 a server says no to a certificate after the handshake.
                raise httpcore2.ReadError(error) from error
        return self.intake.take(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Write the whole buffer."""
        self.intake.restart()
        try:
            await self._stream.write(buffer, _seconds_left(timeout))
        except ssl.SSLError as error:
            raise httpcore2.WriteError(error) from error

    async def has_more(self) -> bool:
        """Whether something came in behind the end of a response."""
        if not self.intake.has_more and self._stream.get_extra_info("ssl_object"):
            # Another record of TLS may have come in with the last one; no socket shows it.
            with suppress(httpcore2.NetworkError, httpcore2.TimeoutException, ssl.SSLError):
                self.intake.put(await self._stream.read(_RECORD_BYTES, 0.0))
        return self.intake.has_more

    async def aclose(self) -> None:
        """Close the socket."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore2
    ) -> httpcore2.AsyncNetworkStream:
        """Return the stream inside TLS; the certificate must be for `server_hostname`."""
        try:
            inside = await self._stream.start_tls(
                ssl_context, server_hostname, _seconds_left(timeout)
            )
        except BaseException:
            # A handshake that is cancelled is closed by nobody else.
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()
            raise
        return AsyncDeadlineStream(inside)

    def get_extra_info(self, info: str) -> Any:
        """Return what the socket knows about `info`, such as `is_readable`."""
        return self._stream.get_extra_info(info)


def _seconds_left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())
