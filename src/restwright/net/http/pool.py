"""
`httpcore2` pools whose every socket operation ends at a deadline, and whose every connection goes
to an address that was checked.

`httpcore2` hands the `timeout` extension of a request to the network backend as it is. Here that
number is not a duration but an instant of `time.monotonic()`, so one deadline covers the look-up of
the name, connecting, TLS, each write and each read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, cast

import httpcore2

from restwright.net.http.streams import DeadlineStream, seconds_left
from restwright.net.policy.dns import ResolveHost, check_addresses, check_host, resolve_host
from restwright.net.policy.origins import Origin
from restwright.net.policy.routes import Route, RouteRequirements, RouteTable

_PROXY_LOOKUP_S = 2.0


def network_stream(response: httpcore2.Response) -> Any:
    """Return the stream that a response comes in on: one with an `intake`."""
    return cast("Any", response).extensions["network_stream"]


class ConnectionPools:
    """
    A pool of kept-alive connections for each route, made when first needed.

    Args:
        resolve: Finds the addresses of a host; the system's way where None.
    """

    def __init__(self, *, resolve: ResolveHost | None = None) -> None:
        self._resolve = resolve or resolve_host
        self._routes = RouteTable()
        self._pools: dict[Route, httpcore2.ConnectionPool] = {}

    def handle(
        self,
        request: httpcore2.Request,
        origin: Origin,
        *,
        requirements: RouteRequirements,
        deadline: float,
    ) -> httpcore2.Response:
        """
        Send `request` as it is; the caller must close the response.

        Args:
            origin: Of the request.
            requirements: How it may be sent.
            deadline: As in the request.

        Raises:
            Blocked: Its origin may not be connected to.
            RefusedRequest: The proxy or the certificate is none.
        """
        route = self._routes.find_route(origin, requirements)
        if route.proxy:
            check_behind_proxy(origin, self._resolve, deadline, is_named=requirements.is_named)
        return self._pool(route, origin).handle_request(request)

    def close(self) -> None:
        """Close every connection; the pools can be used again afterwards."""
        while self._pools:
            _, pool = self._pools.popitem()
            pool.close()

    def _pool(self, route: Route, origin: Origin) -> httpcore2.ConnectionPool:
        if route not in self._pools:
            backend = DeadlineBackend(resolve=self._resolve, is_named=route.is_trusted)
            self._pools[route] = httpcore2.ConnectionPool(
                network_backend=backend, **route.pool_options(origin)
            )
        return self._pools[route]


def check_behind_proxy(
    origin: Origin, resolve: ResolveHost, deadline: float, *, is_named: bool
) -> None:
    """
    Check where a proxy would connect to, as far as it can be known here.

    A name that this machine cannot look up is left to the proxy and its rules.

    Raises:
        Blocked: The proxy must not be asked.
    """
    if check_host(origin.host, is_named=is_named):
        return
    deadline = min(deadline, time.monotonic() + _PROXY_LOOKUP_S)
    try:
        found = _look_up_host(origin.host, origin.port, deadline, resolve)
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
        return
    check_addresses(origin.host, found, is_named=is_named)


class DeadlineBackend(httpcore2.NetworkBackend):
    """
    Opens sockets to addresses that were checked; every `timeout` is an instant of
    `time.monotonic()`.

    Args:
        resolve: Finds the addresses of a host.
        is_named: Whether the user named where it connects to (an origin, or a proxy).
        below: Opens the sockets; the system's where None.
    """

    def __init__(
        self, *, resolve: ResolveHost, is_named: bool, below: httpcore2.NetworkBackend | None = None
    ) -> None:
        self._backend = below or httpcore2.SyncBackend()
        self._resolve, self._is_named = resolve, is_named

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        """Try each address of `host` in turn; a silent one gets its share of the time only."""
        addresses = self._addresses(host, port, timeout)
        failure: Exception = httpcore2.ConnectError("the host name has no address")
        for index, address in enumerate(addresses):
            share = seconds_left(timeout, httpcore2.ConnectTimeout)
            share = share and share / (len(addresses) - index)
            try:
                stream = self._backend.connect_tcp(
                    address, port, share, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return DeadlineStream(stream)
        raise failure

    def _addresses(self, host: str, port: int, deadline: float | None) -> Sequence[str]:
        written = check_host(host, is_named=self._is_named)
        if written:
            return written
        found = _look_up_host(host, port, deadline, self._resolve)
        # What was checked is what is connected to: no second look-up can give another answer.
        return check_addresses(host, found, is_named=self._is_named)


def _look_up_host(
    host: str, port: int, deadline: float | None, resolve: ResolveHost
) -> Sequence[str]:
    """
    Look up `host`, giving up at `deadline`.

    `getaddrinfo` cannot be interrupted, so it runs in a thread of its own that is left behind when
    it takes too long.
    """
    found: list[str] = []
    failures: list[Exception] = []

    def look_up() -> None:
        try:
            found.extend(resolve(host, port))
        except Exception as error:  # noqa: BLE001 - raised again outside this thread
            failures.append(error)

    thread = threading.Thread(target=look_up, name="restwright-lookup", daemon=True)
    thread.start()
    thread.join(seconds_left(deadline, httpcore2.ConnectTimeout))
    if thread.is_alive():
        raise httpcore2.ConnectTimeout("the host name could not be looked up in time")
    for failure in failures:
        if isinstance(failure, (OSError, UnicodeError)):
            raise httpcore2.ConnectError(failure) from failure
        raise failure
    return found
