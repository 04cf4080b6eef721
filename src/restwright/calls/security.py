"""Credentials: read late, sent to the origin that the user named, shown to nobody."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from restwright.calls.request import is_header_name
from restwright.calls.styles import Unwritable, header_value
from restwright.errors import MissingCredential, RefusedRequest
from restwright.net.guard import Origin, origin_of
from restwright.net.message import Request
from restwright.typing import Json, JsonObject

MASK = "***"
_REFERENCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Connection:
    """
    How one API is reached: what the user, not the document, says.

    Args:
        server: Base URL; None to take the document's.
        headers: Sent with every request; their values count as secrets.
        auth: A reference to a bearer token, `env:NAME`; never the token itself.
    """

    server: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    auth: str | None = None

    def __repr__(self) -> str:
        headers = dict.fromkeys(self.headers, MASK)
        auth = self.auth if self.auth and _REFERENCE.fullmatch(self.auth) else self.auth and MASK
        return f"Connection(server={self.server!r}, headers={headers!r}, auth={auth!r})"


def credential(reference: str) -> str:
    """
    Return the secret that `reference` leads to.

    Raises:
        MissingCredential: The variable is not set, or `reference` is none. Never shows a value.
    """
    match = _REFERENCE.fullmatch(reference)
    if not match:
        raise MissingCredential(MASK, "name an environment variable, as in env:SHOP_TOKEN")
    value = os.environ.get(match[1], "").strip()
    if not value:
        raise MissingCredential(reference, f"set the environment variable {match[1]}")
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise MissingCredential(reference, f"{match[1]} has characters that no token has")
    return value


def named_origin(connection: Connection, source: str) -> Origin | None:
    """Return the origin that the user named: the connection's server, else the document's URL."""
    url = connection.server or source
    return origin_of(url) if url.startswith(("http://", "https://")) else None


def authorize(request: Request, connection: Connection, *, named: Origin | None) -> Request:
    """
    Add the connection's headers and token.

    Args:
        named: The origin that the user named; None where there is none.

    Raises:
        RefusedRequest: There is something to add, but the request goes to another origin.
        MissingCredential: The token is not there.
    """
    if not connection.headers and connection.auth is None:
        return request
    origin = origin_of(request.url)
    if origin != named:
        owner = f"for {named}" if named else "bound to no server"
        why = f"the credentials are {owner}; name {origin} with --server to send them there"
        raise RefusedRequest(str(origin), why)
    added = dict(_static_headers(connection, origin))
    if connection.auth is not None:
        added["Authorization"] = f"Bearer {credential(connection.auth)}"
    names = frozenset(name.lower() for name in added)
    kept = [pair for pair in request.headers if pair[0].lower() not in names]
    return replace(
        request,
        headers=(*kept, *added.items()),
        secret_headers=request.secret_headers | names,
    )


def _static_headers(connection: Connection, origin: Origin) -> Mapping[str, str]:
    has_token = connection.auth is not None
    headers = {
        name: value
        for name, value in connection.headers.items()
        if not (has_token and name.lower() == "authorization")
    }
    for name, value in headers.items():
        try:
            header_value(value)
        except Unwritable:
            why = f"the value of header {name[:40]!r} has characters that no header has"
            raise RefusedRequest(str(origin), why) from None
        if not is_header_name(name):
            raise RefusedRequest(str(origin), f"the header {name[:40]!r} may not be set")
    return headers


def masked(request: Request) -> JsonObject:
    """
    Return a request as it can be shown.

    Returns:
        `{"method", "url", "headers", "body"}`; headers as `{name: value}` with secrets as `***`;
        body as a JSON value, as text, or None.
    """
    headers = {
        name: MASK if name.lower() in request.secret_headers else value
        for name, value in request.headers
    }
    return {
        "method": request.method,
        "url": request.url,
        "headers": headers,
        "body": _shown_body(request.body),
    }


def _shown_body(body: bytes) -> Json:
    if not body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


def secrets_of(request: Request) -> tuple[str, ...]:
    """Return the secret texts that `request` carries, the longest first."""
    values = [value for name, value in request.headers if name.lower() in request.secret_headers]
    tokens = [value.partition(" ")[2] for value in values]
    found = {text for text in (*values, *tokens) if len(text) >= 6}
    return tuple(sorted(found, key=len, reverse=True))
