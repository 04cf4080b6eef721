"""
An `httpx2` transport over an `httpcore2` pool whose every socket operation ends at a deadline.

`httpcore2` hands the `timeout` extension of a request to the network backend as it is. Here that
number is not a duration but an instant of `time.monotonic()`, so one deadline covers the look-up of
the name, connecting, TLS, each write and each read.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

import httpcore2
import httpx2

from restwright.net.guard import Origin, origin_of

_Address = tuple[str, int]
# One write at a time is at most this long, so that the deadline is looked at in between.
_WRITE_BYTES = 64 * 1024


class PoolTransport(httpx2.BaseTransport):
    """
    Sends requests over kept-alive connections of one scheme each. Follows no redirect.

    The request's `timeout` extension holds instants, as `deadline_extensions` makes them.
    """

    def __init__(self) -> None:
        self._pools: dict[str, httpcore2.ConnectionPool] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` as it is; the caller must close the response."""
        extensions = request.extensions
        url = str(extensions.get("url", request.url))
        origin = origin_of(url)
        with _translated():
            response: Any = self._pool(origin.scheme).handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=_pool_url(origin, url),
                    headers=request.headers.raw,
                    content=request.read(),
                    extensions=extensions,
                )
            )
        return httpx2.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close every connection; the transport can be used again afterwards."""
        while self._pools:
            _, pool = self._pools.popitem()
            pool.close()

    def _pool(self, scheme: str) -> httpcore2.ConnectionPool:
        if scheme not in self._pools:
            # Reading the certificates takes tens of milliseconds: only for https, and once.
            context = httpcore2.default_ssl_context() if scheme == "https" else None
            self._pools[scheme] = httpcore2.ConnectionPool(
                ssl_context=context,
                max_connections=20,
                max_keepalive_connections=8,
                keepalive_expiry=15.0,
                network_backend=DeadlineBackend(),
            )
        return self._pools[scheme]


def deadline_extensions(url: str, *, deadline: float, timeout_s: float) -> dict[str, Any]:
    """
    Return the extensions of a request that must be over at `deadline`.

    Args:
        url: Sent byte for byte; the `httpx2.URL` of a request would be normalised.
        deadline: An instant of `time.monotonic()`.
        timeout_s: Seconds to wait for a free connection of the pool.
    """
    instants = dict.fromkeys(("connect", "read", "write"), deadline)
    return {"url": url, "timeout": {**instants, "pool": timeout_s}}


def _pool_url(origin: Origin, url: str) -> httpcore2.URL:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return httpcore2.URL(
        scheme=origin.scheme.encode(),
        host=origin.host.encode(),
        port=origin.port,
        target=target.encode(),
    )


class _Closable(Protocol):
    def __iter__(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class _Body(httpx2.SyncByteStream):
    """The body of a response as it arrives."""

    def __init__(self, stream: _Closable) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _translated():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


class DeadlineBackend(httpcore2.NetworkBackend):
    """Opens sockets; every `timeout` is an instant of `time.monotonic()`."""

    def __init__(self) -> None:
        self._backend = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        """Try each address of `host` in turn; a silent one gets its share of the time only."""
        addresses = _addresses(host, port, timeout)
        failure: Exception = httpcore2.ConnectError("the host name has no address")
        for index, (address, number) in enumerate(addresses):
            share = _left(timeout, httpcore2.ConnectTimeout)
            share = share and share / (len(addresses) - index)
            try:
                stream = self._backend.connect_tcp(
                    address, number, share, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return DeadlineStream(stream)
        raise failure


class DeadlineStream(httpcore2.NetworkStream):
    """A socket; every `timeout` is an instant of `time.monotonic()`."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what there is, up to `max_bytes`; empty at the end."""
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write the whole buffer."""
        # The stream below starts its timeout anew after each partial write, so a server that reads
        # a byte at a time would never be given up.
        sock = cast("socket.socket", self._stream.get_extra_info("socket"))
        view = memoryview(buffer)
        try:
            while view:
                sock.settimeout(_left(timeout, httpcore2.WriteTimeout))
                view = view[sock.send(view[:_WRITE_BYTES]) :]
        except TimeoutError as error:
            raise httpcore2.WriteTimeout(error) from error
        except OSError as error:
            raise httpcore2.WriteError(error) from error

    def close(self) -> None:
        """Close the socket."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Return the stream inside TLS; the certificate must be for `server_hostname`."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """Return what the socket knows about `info`, such as `is_readable`."""
        return self._stream.get_extra_info(info)


def _left(deadline: float | None, late: type[Exception]) -> float | None:
    """Seconds until `deadline`; raises `late` when there are none."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise late("the deadline passed")
    return left


def _addresses(host: str, port: int, deadline: float | None) -> list[_Address]:
    """
    Look up `host`, giving up at `deadline`. What is returned is what is connected to.

    `getaddrinfo` cannot be interrupted, so it runs in a thread of its own that is left behind when
    it takes too long.
    """
    found: list[_Address] = []
    failures: list[Exception] = []

    def look_up() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend((str(info[4][0]), int(info[4][1])) for info in infos)
        except Exception as error:  # noqa: BLE001 - raised again outside this thread
            failures.append(error)

    if _is_address(host):
        return [(host, port)]
    thread = threading.Thread(target=look_up, name="restwright-lookup", daemon=True)
    thread.start()
    thread.join(_left(deadline, httpcore2.ConnectTimeout))
    if thread.is_alive():
        raise httpcore2.ConnectTimeout("the host name could not be looked up in time")
    for failure in failures:
        if isinstance(failure, (OSError, UnicodeError)):
            raise httpcore2.ConnectError(failure) from failure
        raise failure
    return list(dict.fromkeys(found))


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return True
    return False


@contextmanager
def _translated() -> Generator[None]:
    """Raise what `httpcore2` raises as the `httpx2` exception of the same name."""
    try:
        yield
    except tuple(_TRANSLATED) as error:
        raise _TRANSLATED[type(error)](str(error)) from error


_TRANSLATED: dict[type[Exception], type[httpx2.TransportError]] = {
    httpcore2.PoolTimeout: httpx2.PoolTimeout,
    httpcore2.ConnectTimeout: httpx2.ConnectTimeout,
    httpcore2.ReadTimeout: httpx2.ReadTimeout,
    httpcore2.WriteTimeout: httpx2.WriteTimeout,
    httpcore2.ConnectError: httpx2.ConnectError,
    httpcore2.ReadError: httpx2.ReadError,
    httpcore2.WriteError: httpx2.WriteError,
    httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
    httpcore2.LocalProtocolError: httpx2.LocalProtocolError,
}
