"""
Documents over HTTP: credentials for their origin alone, redirects that stay there, and a cache that
asks the server each time whether its copy is still good.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urljoin

from restwright.errors import CallError, DocumentUnavailable, RefusedRequest, ResponseTooLarge
from restwright.jsontypes import Json, is_object
from restwright.net.messages import Request, Response, Send
from restwright.net.policy.origins import parse_origin, redact_url
from restwright.net.storage import read_state, write_state

MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
MAX_REDIRECTS = 5
TIMEOUT_S = 60.0

Headers = Sequence[tuple[str, str]]

_ACCEPT = ("Accept", "application/json, application/yaml, */*;q=0.5")
# RFC 9110, "Field Names" and "Field Values"; what else is in one would end or hide a header.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SENT = re.compile(r"[\x20-\x7e]*")
_KEYS = ("url_sha256", "etag", "modified", "sha256")
_RESERVED_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _CachedDocument:
    """A body of an earlier answer, and what the server said it can be recognised by."""

    url_sha256: str
    etag: str
    modified: str
    body: bytes


def make_retriever(*, headers: Headers = (), timeout_s: float = TIMEOUT_S) -> Retrieve:
    """
    Make a `Retrieve` over our own transport.

    Args:
        headers: Credentials of a protected document; sent to the origin of its URL alone.
        timeout_s: Seconds for the whole answer.
    """

    def fetch(url: str) -> bytes:
        from restwright.net.http.transport import Transport

        with Transport(timeout_s=timeout_s, max_bytes=MAX_DOCUMENT_BYTES, max_redirects=0) as send:
            return fetch_document(url, send=send, headers=headers)

    return fetch


def fetch_document(url: str, *, send: Send, headers: Headers = ()) -> bytes:
    """
    Fetch the bytes of a document.

    Up to five redirects are followed, never to another origin. A copy is kept where the server
    says how to recognise it; it is used when the server answers that it is still good (304), and
    never without asking. Copies fetched with different `headers` are different copies.

    Args:
        url: Without a user name or password; those go into `headers`.
        send: Sends each request.
        headers: Credentials; masked wherever the request is shown.

    Raises:
        DocumentUnavailable: Nothing came, or a status other than 2xx.

    Source: RFC 9110, "Conditional Requests".
    """
    _check_request(url, headers)
    name = _cache_key(url, headers)
    copy = _read_cached_document(name)
    there, response = _follow_redirects(url, send=send, headers=headers, copy=copy)
    if response.status == 304 and copy is not None:
        return copy.body
    if not 200 <= response.status < 300:
        raise DocumentUnavailable(redact_url(url), f"HTTP {response.status}")
    _write_cached_document(name, there, response)
    return response.body


def _check_request(url: str, headers: Headers) -> None:
    try:
        parse_origin(url)
    except RefusedRequest as error:
        hint = " (give it with a header)" if "password" in error.why else ""
        raise DocumentUnavailable(redact_url(url), error.why + hint) from None
    for name, value in headers:
        # The value is not repeated: it is a secret.
        if (
            not _NAME.fullmatch(name)
            or name.lower() in _RESERVED_HEADERS
            or not _VALUE.fullmatch(value)
        ):
            why = f"the header {name[:40]!r} cannot be sent as it is"
            raise DocumentUnavailable(redact_url(url), why)


def _follow_redirects(
    url: str, *, send: Send, headers: Headers, copy: _CachedDocument | None
) -> tuple[str, Response]:
    there = url
    for _ in range(MAX_REDIRECTS + 1):
        response = _send_conditional_request(there, send=send, headers=headers, copy=copy)
        location = response.header("location")
        if response.status not in {301, 302, 303, 307, 308} or not location:
            return there, response
        there = _redirect_target(there, location, response.status)
    raise DocumentUnavailable(redact_url(url), f"more than {MAX_REDIRECTS} redirects")


def _send_conditional_request(
    url: str, *, send: Send, headers: Headers, copy: _CachedDocument | None
) -> Response:
    request = Request(
        method="GET",
        url=url,
        headers=(_ACCEPT, *_conditional_headers(url, copy), *headers),
        secret_headers=frozenset(name.lower() for name, _ in headers),
        # Only what the user gave as a document is fetched, and no redirect leaves its origin.
        is_named=True,
    )
    try:
        return send(request)
    except ResponseTooLarge as error:
        why = f"it is larger than {error.max_bytes:,} bytes"
        raise DocumentUnavailable(redact_url(url), why) from error
    except CallError as error:
        raise DocumentUnavailable(
            redact_url(url), getattr(error, "why", "") or str(error)
        ) from error


def _redirect_target(url: str, location: str, status: int) -> str:
    try:
        target = urljoin(url, location).partition("#")[0]
        if parse_origin(target) == parse_origin(url):
            return target
    except (RefusedRequest, ValueError):
        target = location
    raise DocumentUnavailable(
        redact_url(url), f"HTTP {status}, it has moved to {redact_url(target)}"
    )


def _conditional_headers(url: str, copy: _CachedDocument | None) -> Iterable[tuple[str, str]]:
    if copy is None or copy.url_sha256 != _sha256(url.encode()):
        return ()
    if copy.etag:
        return (("If-None-Match", copy.etag),)
    return (("If-Modified-Since", copy.modified),)


def _cache_key(url: str, headers: Headers) -> str:
    """The name of the copy: a hash, so that neither the URL nor a credential stands on disk."""
    pairs = sorted((name.lower(), value) for name, value in headers)
    return _sha256(json.dumps([url, pairs]).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_cached_document(name: str) -> _CachedDocument | None:
    head, _, body = (read_state("documents", name) or b"").partition(b"\n")
    try:
        found: Json = json.loads(head)
    except ValueError:
        return None
    texts = [found.get(key) for key in _KEYS] if is_object(found) else []
    if not texts or not all(isinstance(text, str) and _SENT.fullmatch(text) for text in texts):
        return None
    url_sha256, etag, modified, sha256 = map(str, texts)
    if sha256 != _sha256(body):
        return None
    return _CachedDocument(url_sha256=url_sha256, etag=etag, modified=modified, body=body)


def _write_cached_document(name: str, url: str, response: Response) -> None:
    etag, modified = response.header("etag"), response.header("last-modified")
    is_known = (etag or modified) and _SENT.fullmatch(etag) and _SENT.fullmatch(modified)
    if not is_known or "no-store" in response.header("cache-control").lower():
        return
    texts = (_sha256(url.encode()), etag, modified, _sha256(response.body))
    head = json.dumps(dict(zip(_KEYS, texts, strict=True)))
    write_state("documents", name, head.encode() + b"\n" + response.body)


class Retrieve(Protocol):
    """Fetches the bytes behind a URL. All network reads of documents go through one of these."""

    def __call__(self, url: str) -> bytes:
        """
        Return the body behind `url`.

        Raises:
            DocumentUnavailable: There is none.
        """
        ...
