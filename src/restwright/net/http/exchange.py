"""
One request and its response without any I/O: what goes out, what is made of what comes in, and what
a failure means. `Transport` and `AsyncTransport` only move the bytes.
"""

from __future__ import annotations

import re
import socket
import ssl
import sys
import time
import zlib
from array import array
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

import httpcore2

from restwright.errors import NoResponse, RefusedRequest, ResponseTooLarge, RestwrightError
from restwright.net.gunzip import GzipDecoder
from restwright.net.http.cancellation import OperationCanceled
from restwright.net.messages import Request, Response
from restwright.net.policy.dns import BlockedDestination
from restwright.net.policy.origins import DEFAULT_PORTS, Origin, parse_origin, redact_url

MAX_JSON_DEPTH = 500
ENDLESS = sys.maxsize
_FIRST_ERROR = 400

# What the transport writes itself; a request that sets one of these keeps its own.
_DEFAULT_HEADERS = (
    ("User-Agent", "restwright"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "gzip, identity"),
)
_ENCODINGS = re.compile(r"(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|identity|[, ]){1,20}")
_NOT_MARKS = bytes(set(range(256)) - set(b'[]{}"'))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_PIECE = 400  # brackets; fewer than a limit cannot go past it from outside
# What the network, the server or a proxy does; everything else is a mistake of ours.
_TRANSPORT_ERRORS = (
    zlib.error,
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
    TimeoutError,
)
_ERRORS_QUOTING_PEER = (httpcore2.RemoteProtocolError, httpcore2.ProxyError)
_TRANSIENT_PROXY_STATUSES = frozenset({"408", "429", "502", "503", "504"})
# RFC 9110, "Safe Methods"; of these an interruption leaves nothing to look after.
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})


@dataclass(frozen=True, slots=True)
class AttemptFailure:
    """
    An attempt without a usable response.

    Args:
        error: What the caller is told when it was the last one.
        cause: What happened below.
        is_transient: It may go better the next time.
    """

    error: NoResponse
    cause: Exception | None = None
    is_transient: bool = True


class HTTPExchange:
    """
    One attempt to send `request`.

    Args:
        request: As it is sent.
        deadline: The instant of `time.monotonic()` at which all is over.
        timeout_s: What the deadline was made from; for messages.
        max_bytes: Of the body, before and after decompression.
        was_sent: Whether an earlier attempt went out, or may have.
    """

    def __init__(
        self,
        request: Request,
        *,
        deadline: float,
        timeout_s: float,
        max_bytes: int,
        was_sent: bool = False,
    ) -> None:
        self.request, self.origin = request, parse_origin(request.url)
        self.sent = self._was_sent = was_sent
        self.deadline, self._timeout_s, self._max_bytes = deadline, timeout_s, max_bytes
        self._started = time.monotonic()
        self._response: httpcore2.Response | None = None
        self._gunzip: GzipDecoder | None = None
        self._chunks: list[bytes] = []
        self._wire = self._decoded = 0

    def to_pool_request(self, trace: Any) -> httpcore2.Request:
        """Return the request for the pool; `trace` is called with the progress (`record_event`)."""
        request, instants = (
            self.request,
            dict.fromkeys(("connect", "read", "write"), self.deadline),
        )
        pool_s = max(0.0, self.deadline - time.monotonic())
        headers = _encode_headers(request, self.origin)
        return httpcore2.Request(
            method=request.method,
            url=_to_pool_url(self.origin, request.url),
            headers=headers,
            content=request.body or None,
            extensions={"timeout": {**instants, "pool": pool_s}, "trace": trace},
        )

    def record_event(self, event: str, details: dict[str, Any]) -> None:
        """Take in what the pool is about to do; `sent` once a byte of the request may be out."""
        if event == "http11.send_request_headers.started":
            # A proxy is asked for a tunnel first; that is not the request yet.
            self.sent = self.sent or details["request"].method != b"CONNECT"
        if not event.endswith(".started"):
            # The pool logs at DEBUG what is left in here: headers of responses, and lines of them
            # in errors. What it is about to do has no secret in it, and is still in use below.
            details.clear()

    def begin(self, response: httpcore2.Response) -> int | None:
        """
        Take in the head of the response.

        Returns:
            The bytes of its body as they are sent, `ENDLESS` where the connection ends it; None
            where it comes in chunks.

        Raises:
            NoResponse: Its body is encoded in a way that was not asked for.
            ResponseTooLarge: It announces too much.
        """
        self._response = response
        encoding = self._header(b"content-encoding").strip().lower()
        if encoding in {"gzip", "x-gzip"}:
            self._gunzip = GzipDecoder()
        elif encoding not in {"identity", ""}:
            # Other words are not repeated: a server may echo a credential anywhere.
            how = f"as {encoding!r}" if _ENCODINGS.fullmatch(encoding) else "in an unknown way"
            why = f"its body is encoded {how}, which was not asked for"
            raise self._no_response(why)
        length = self._length()
        if length is not None and self._max_bytes < length < ENDLESS:
            raise self._too_large()
        return length

    def feed(self, chunk: bytes) -> None:
        """
        Take in a part of the body.

        Raises:
            ResponseTooLarge: The parts are too long together.
        """
        self._wire += len(chunk)
        if self._wire > self._max_bytes:
            raise self._too_large()
        for piece in self._gunzip.feed(chunk) if self._gunzip else (chunk,):
            self._decoded += len(piece)
            if self._decoded > self._max_bytes:
                raise self._too_large()
            self._chunks.append(piece)

    def finish(self, *, has_more: bool) -> Response:
        """
        Return the response.

        Args:
            has_more: Something came in behind its end.

        Raises:
            NoResponse: The body is not what it was announced to be.
        """
        if self._response is None:
            raise ValueError("finish() before begin()")
        if self._gunzip:
            self._gunzip.finish()
        body = b"".join(self._chunks)
        if has_more:
            # It would be read as the answer to the next request.
            why = "more came in than its head says"
            raise self._no_response(why)
        if _is_json(self._header(b"content-type")) and is_json_too_deep(body, MAX_JSON_DEPTH):
            why = f"its JSON is nested deeper than {MAX_JSON_DEPTH} levels"
            raise self._no_response(why)
        return Response(
            status=self._response.status,
            headers=tuple(
                (name.decode("latin-1").lower(), value.decode("latin-1"))
                for name, value in self._response.headers
            ),
            body=body,
            url=self.request.url,
            elapsed_s=time.monotonic() - self._started,
        )

    def failure_from_error(self, error: Exception) -> AttemptFailure:
        """
        Say what `error` means for the request.

        Raises:
            RefusedRequest: The request is not one that may be sent.
            Exception: `error` itself, which is no failure of an attempt.
        """
        if isinstance(error, NoResponse):
            return AttemptFailure(error, is_transient=False)
        if not isinstance(error, (*_TRANSPORT_ERRORS, BlockedDestination)):
            if not self.sent or isinstance(error, RestwrightError | OperationCanceled):
                raise error
            why = f"it cannot be read ({type(error).__name__})"
            return AttemptFailure(self._no_response(why), error, is_transient=False)
        if isinstance(error, BlockedDestination):
            if self.sent:
                # That it may not be sent again says nothing about the first time.
                return AttemptFailure(self._no_response(error.why), error, is_transient=False)
            raise self._refused_request(error) from error
        if isinstance(error, httpcore2.LocalProtocolError | httpcore2.UnsupportedProtocol):
            # Neither `error` nor its text goes on: a credential may be what is wrong.
            raise RefusedRequest(redact_url(self.request.url), _strip_quoted_bytes(error)) from None
        url = redact_url(self.request.url)
        if isinstance(error, zlib.error):
            why = f"its body cannot be decompressed ({error})"
            return AttemptFailure(self._no_response(why), error, is_transient=False)
        why = _describe_error(error, self._timeout_s)
        # What repeats words of the server or of a proxy does not go on: a secret may be in them.
        cause = None if isinstance(error, _ERRORS_QUOTING_PEER) else error
        lost = NoResponse(url, why, sent=self.sent, status=self._known_status)
        return AttemptFailure(lost, cause, _is_transient(error))

    @property
    def _status(self) -> int | None:
        return self._response.status if self._response else None

    @property
    def _known_status(self) -> int | None:
        """The status, unless an earlier attempt may be why this one was refused (404 to DELETE)."""
        is_doubtful = self._was_sent and (self._status or 0) >= _FIRST_ERROR
        return None if is_doubtful else self._status

    def _no_response(self, why: str) -> NoResponse:
        return NoResponse(redact_url(self.request.url), why, sent=True, status=self._known_status)

    def _length(self) -> int | None:
        """RFC 9112, "Message Body Length"."""
        if self.request.method == "HEAD" or self._status in {204, 304}:
            return 0
        if self._header(b"transfer-encoding"):
            return None
        length = self._header(b"content-length").partition(",")[0].strip()
        return int(length[:20]) if length.isascii() and length.isdigit() else ENDLESS

    def _too_large(self) -> ResponseTooLarge:
        return ResponseTooLarge(
            redact_url(self.request.url), self._max_bytes, status=self._known_status
        )

    def _refused_request(self, error: BlockedDestination) -> RefusedRequest:
        origin = str(self.origin) if error.is_nameable else ""
        return RefusedRequest(redact_url(self.request.url), error.why, origin)

    def _header(self, name: bytes) -> str:
        headers = self._response.headers if self._response else ()
        values = [value for key, value in headers if key.lower() == name]
        return b", ".join(values).decode("latin-1")


def annotate_interruption(
    interruption: BaseException, request: Request, *, is_write: bool = False
) -> None:
    """
    Write down on what ends a call from outside that the outcome of a write is not known.

    Args:
        is_write: Whether it is one whatever its method says.
    """
    note = f"{request.method} {redact_url(request.url)} was sent; its outcome is unknown"
    is_write = is_write or request.method not in SAFE
    if is_write and note not in getattr(interruption, "__notes__", ()):
        interruption.add_note(note)


@contextmanager
def annotate_request_interruptions(request: Request, *, was_sent: bool) -> Generator[None]:
    """Write on what interrupts the block that `request` went out before, where it did."""
    try:
        yield
    except Exception:
        raise
    except BaseException as interruption:
        if was_sent:
            annotate_interruption(interruption, request)
        raise


def is_json_too_deep(body: bytes, limit: int) -> bool:
    """Whether JSON is nested more than `limit` levels deep, told without parsing it."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    # Methods of bytes alone: an expression goes back, and a loop holds the interpreter for seconds.
    marks = body.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_MARKS)
    depth, is_inside = 0, False
    for start in range(0, len(marks), _PIECE):
        pieces = marks[start : start + _PIECE].split(b'"')
        outside = b"".join(pieces[is_inside::2])
        is_inside ^= len(pieces) % 2 == 0
        opened = outside.count(b"[") + outside.count(b"{")
        if depth + opened > limit:
            steps = array("b", outside.translate(_STEPS))
            if max(accumulate(steps, initial=depth)) > limit:
                return True
        depth += 2 * opened - len(outside)
    return False


def _is_json(media_type: str) -> bool:
    return media_type.partition(";")[0].strip().lower().endswith(("/json", "+json"))


def _to_pool_url(origin: Origin, url: str) -> httpcore2.URL:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return httpcore2.URL(
        scheme=origin.scheme.encode(),
        host=origin.host.encode(),
        # A proxy is sent the whole URL; the default port is left out there, as in `Host`.
        port=None if origin.port == DEFAULT_PORTS[origin.scheme] else origin.port,
        target=target.encode(),
    )


def _encode_headers(request: Request, origin: Origin) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in request.headers}
    defaults = [pair for pair in _DEFAULT_HEADERS if pair[0].lower() not in given]
    pairs = [("Host", origin.authority), *defaults, *request.headers]
    has_length = "content-length" in given or "transfer-encoding" in given
    if not has_length and (request.body or request.method in {"POST", "PUT", "PATCH"}):
        pairs.append(("Content-Length", str(len(request.body))))
    return [(name.encode("utf-8"), value.encode("utf-8")) for name, value in pairs]


def _is_transient(error: Exception) -> bool:
    if isinstance(error, httpcore2.ProxyError):
        # Its text begins with the status of the proxy's answer.
        return str(error)[:3] in _TRANSIENT_PROXY_STATUSES
    # The pool raises its errors `from None`; what they were made from is their argument.
    cause: object = error
    while isinstance(cause, httpcore2.NetworkError) and cause.args:
        cause = cause.args[0]
    if isinstance(cause, socket.gaierror):
        return cause.errno == socket.EAI_AGAIN
    if isinstance(cause, ssl.SSLEOFError):
        return True
    return not isinstance(cause, ssl.SSLError | UnicodeError)


def _describe_error(error: Exception, timeout_s: float) -> str:
    if isinstance(error, (httpcore2.TimeoutException, TimeoutError)):
        return f"not complete within {timeout_s:g} s"
    reason = _strip_quoted_bytes(error) or type(error).__name__
    if isinstance(error, httpcore2.ConnectError):
        return f"cannot connect ({reason})"
    if isinstance(error, httpcore2.ProxyError):
        # The rest is the proxy's own words.
        return f"the proxy did not let it through (HTTP {reason[:3]})"
    return reason


def _strip_quoted_bytes(error: Exception) -> str:
    """What `h11` says, without the bytes that it quotes: they may hold a secret."""
    text = str(error)
    if not isinstance(error, httpcore2.ProtocolError):
        return text
    return re.split(r"""(?:bytearray\()?b['"]""", text, maxsplit=1)[0].rstrip(": ")
