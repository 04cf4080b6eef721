"""
The one `Send` that opens connections: a total deadline, a size cap, no redirect followed.

Proxies of the environment are not read yet.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

import httpx2

from restwright.errors import (
    NoResponse,
    RefusedRequest,
    ResponseTooLarge,
)
from restwright.net.guard import origin_of, shown
from restwright.net.gzipped import gunzipped
from restwright.net.message import Request, Response
from restwright.net.pool import PoolTransport, deadline_extensions

# What the transport writes itself; a request that sets one of these keeps its own.
_DEFAULT_HEADERS = (
    ("User-Agent", "restwright"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "gzip, identity"),
)


class Transport:
    """
    Sends requests and reads their responses whole. Connections are kept and used again.

    Args:
        timeout_s: Seconds for one request as a whole, from looking up the host to the last byte.
        max_bytes: Of a body, before and after decompression.
    """

    def __init__(self, *, timeout_s: float = 30.0, max_bytes: int = 10_000_000) -> None:
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._transport = PoolTransport()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()

    def __call__(self, request: Request) -> Response:
        """
        Send `request` and return its response, whatever the status.

        Raises:
            RefusedRequest: The URL is not one that may be asked.
            NoResponse: No whole response came before the deadline.
            ResponseTooLarge: Its body is over the cap.
        """
        progress = _Progress()
        try:
            return self._exchange(request, progress)
        except KeyboardInterrupt:
            # It strikes between any two lines, below `httpcore2`'s own care too.
            self.close()
            raise
        except httpx2.InvalidURL as error:
            raise RefusedRequest(shown(request.url), str(error)) from error
        except httpx2.TransportError as error:
            why = _why(error, self._timeout_s)
            raise NoResponse(shown(request.url), why, sent=progress.sent) from error
        except zlib.error as error:
            why = f"its body cannot be decompressed ({error})"
            raise NoResponse(shown(request.url), why, sent=True) from error

    def _exchange(self, request: Request, progress: _Progress) -> Response:
        started = time.monotonic()
        extensions = deadline_extensions(
            request.url, deadline=started + self._timeout_s, timeout_s=self._timeout_s
        )
        outgoing = httpx2.Request(
            request.method,
            str(origin_of(request.url)),
            headers=_headers(request),
            content=request.body or None,
            extensions={**extensions, "trace": progress},
        )
        incoming = self._transport.handle_request(outgoing)
        try:
            body = self._body(request.url, incoming)
        finally:
            incoming.close()
        return Response(
            status=incoming.status_code,
            headers=tuple(
                (name.decode("latin-1").lower(), value.decode("latin-1"))
                for name, value in incoming.headers.raw
            ),
            body=body,
            url=request.url,
            elapsed_s=time.monotonic() - started,
        )

    def _body(self, url: str, response: httpx2.Response) -> bytes:
        too_large = ResponseTooLarge(shown(url), self._max_bytes)
        chunks = _capped(response.iter_raw(), self._max_bytes, too_large)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding in {"gzip", "x-gzip"}:
            chunks = _capped(gunzipped(chunks), self._max_bytes, too_large)
        elif encoding not in {"identity", ""}:
            why = f"its body is encoded as {encoding[:40]!r}, which was not asked for"
            raise NoResponse(shown(url), why, sent=True)
        return b"".join(chunks)


class _Progress:
    """Told by the pool what it is about to do; `sent` once a byte of the request may be out."""

    def __init__(self) -> None:
        self.sent = False

    def __call__(self, event: str, _details: object) -> None:
        if event == "http11.send_request_headers.started":
            self.sent = True


def _headers(request: Request) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in request.headers}
    defaults = [pair for pair in _DEFAULT_HEADERS if pair[0].lower() not in given]
    pairs = [("Host", origin_of(request.url).authority), *defaults, *request.headers]
    return [(name.encode("utf-8"), value.encode("utf-8")) for name, value in pairs]


def _capped(chunks: Iterable[bytes], cap: int, error: ResponseTooLarge) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > cap:
            raise error
        yield chunk


def _why(error: httpx2.TransportError, timeout_s: float) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return f"not complete within {timeout_s:g} s"
    reason = str(error) or type(error).__name__
    return f"cannot connect ({reason})" if isinstance(error, httpx2.ConnectError) else reason
