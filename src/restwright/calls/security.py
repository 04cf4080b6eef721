"""Credentials: read late, sent to the origin that the user named, shown to nobody."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from restwright.calls.credentials import Auth, Basic, Certificate, shown_reference
from restwright.calls.oauth import access_token
from restwright.calls.oauth_client import OAuthClient
from restwright.calls.request import is_header_name
from restwright.calls.requirements import ANY, Use, uses_of
from restwright.calls.servers import is_url, named_url
from restwright.calls.styles import Unwritable, header_value
from restwright.errors import MissingCredential, RefusedRequest
from restwright.net.guard import Origin, origin_of
from restwright.net.message import ClientCertificate, Request
from restwright.net.references import is_reference, secret_of
from restwright.net.secret import (
    MASK,
    SHORTEST,
    Secret,
    cookie_without,
    forms_of,
    url_without,
    without,
)
from restwright.openapi.model import SecurityScheme
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, Send

_TOKEN = re.compile(r"[\x21-\x7e]+")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")
_UNASKED = Secret(MASK)
"""Stands for a token that nobody asked for yet."""


@dataclass(frozen=True, slots=True)
class Connection:
    """
    How one API is reached: what the user, not the document, says.

    One for each API, call or user; nothing of it is shared between them.

    Args:
        server: Base URL; or one of the document's servers, by its number (1 is the first), its URL
            as written there, or words of its description; None for the first. Credentials go to
            an origin that is written here, or that the document comes from, not to a chosen one.
        headers: Sent with every request; their values count as secrets.
        auth: One credential for whichever scheme it fits, or `{scheme: credential}`. Text is a
            reference to a secret (`env:NAME`, `file:PATH`, `keyring:NAME`), never the secret
            itself, or `none` to send nothing.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
        server_variables: `{name: value}` for the braces in a server's URL; the others have the
            document's defaults.
    """

    server: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    auth: Auth | Mapping[str, Auth] | None = None
    allow_commands: bool = field(default=False, kw_only=True)
    server_variables: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True)

    def __repr__(self) -> str:
        headers = dict.fromkeys(self.headers, MASK)
        more = f", server_variables={self.server_variables!r}" if self.server_variables else ""
        shown = f"headers={headers!r}, auth={_shown(self.auth)}{more}"
        return f"Connection(server={self.server!r}, {shown})"

    @property
    def auths(self) -> Mapping[str, Auth]:
        """The credentials by scheme, under `""` the one for whichever scheme it fits."""
        if self.auth is None:
            return {}
        return self.auth if isinstance(self.auth, Mapping) else {ANY: self.auth}


def _shown(auth: Auth | Mapping[str, Auth] | None) -> str:
    if isinstance(auth, Mapping):
        return repr({name: _Shown(_shown(each)) for name, each in auth.items()})
    return repr(shown_reference(auth) if isinstance(auth, str) and auth else auth)


class _Shown(str):
    """Text that is shown as it is inside of a mapping."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def credential(reference: str) -> str:
    """
    Return the token that `reference` leads to.

    Raises:
        MissingCredential: It is not there, or `reference` is none. Never shows a value.
    """
    return _token(reference, secret_of(reference)).reveal()


def _token(reference: str | Secret, secret: Secret) -> Secret:
    if _TOKEN.fullmatch(secret.reveal()):
        return secret
    is_shown = isinstance(reference, str) and is_reference(reference)
    where = str(reference).partition(":")[2] if is_shown else "it"
    shown = str(reference) if is_shown else MASK
    raise MissingCredential(shown, f"{where} has characters that no token has")


def named_origin(connection: Connection, source: str) -> Origin | None:
    """
    Return the origin that the user named: the connection's server, else the document's URL.

    None where the document has a say in it, as by the default of a variable in the host.
    """
    if is_url(connection.server):
        url = named_url(connection.server, connection.server_variables)
        return None if url is None else origin_of(url)
    return origin_of(source) if is_url(source) else None


def authorize(
    request: Request,
    connection: Connection,
    *,
    named: Origin | None,
    tool: Tool | None = None,
    send: Send | None = None,
) -> Request:
    """
    Add the connection's headers, and the credentials that the document requires.

    Args:
        named: The origin that the user named; None where there is none.
        tool: What is called; None to send a token as a bearer token.
        send: How an authorization server is asked for a token; None to ask nobody, as in a dry
            run, where a token that is not there yet stays masked.

    Raises:
        RefusedRequest: There is something to add, but the request goes to another origin.
        MissingCredential: No alternative of the document can be satisfied, or a secret is missing.
        NoToken: The authorization server gave none.
    """
    static = frozenset(name.lower() for name in connection.headers)
    uses = uses_of(tool, connection.auths, static)
    if not connection.headers and not uses:
        return request
    origin = origin_of(request.url)
    if origin != named:
        owner = f"for {named}" if named else "bound to no server"
        why = f"the credentials are {owner}; name {origin} with --server to send them there"
        raise RefusedRequest(str(origin), why)
    request = _with_headers(request, connection, origin)
    for use in uses:
        placing = _Placing(use, connection, named, send)
        request = _PLACES[use.scheme.type](request, placing)
    return request


@dataclass(frozen=True, slots=True)
class _Placing:
    """One credential about to be added, and what reading it may need."""

    use: Use
    connection: Connection
    named: Origin | None
    send: Send | None

    @property
    def scheme(self) -> SecurityScheme:
        return self.use.scheme

    def secret(self) -> Secret:
        """The secret itself: a key, a token, or a user and a password."""
        auth = self.use.auth
        if isinstance(auth, OAuthClient):
            return self._access_token(auth) or _UNASKED
        if isinstance(auth, Basic):
            return Secret(f"{auth.user}:{self.read(auth.password).reveal()}")
        return self.read(auth) if isinstance(auth, str | Secret) else Secret("")

    def read(self, reference: str | Secret) -> Secret:
        """The secret behind a reference."""
        return secret_of(reference, allow_commands=self.connection.allow_commands)

    def token(self) -> Secret:
        """A secret that stands behind `Bearer`."""
        auth, secret = self.use.auth, self.secret()
        return _token(auth, secret) if isinstance(auth, str | Secret) else secret

    def _access_token(self, client: OAuthClient) -> Secret | None:
        return access_token(
            client,
            self.scheme,
            self.use.scopes,
            named=self.named,
            send=self.send,
            allow_commands=self.connection.allow_commands,
        )


def _with_headers(request: Request, connection: Connection, origin: Origin) -> Request:
    for name, value in connection.headers.items():
        secret = Secret(value)
        request = _with_header(request, name, secret, origin)
        request = _hiding(request, Secret(value.partition(" ")[2]))
    return request


def _with_header(request: Request, name: str, value: Secret, origin: Origin) -> Request:
    """`request` with a header; in place of those of its name."""
    try:
        text = header_value(value.reveal())
    except Unwritable:
        why = f"the value of header {name[:40]!r} has characters that no header has"
        raise RefusedRequest(str(origin), why) from None
    if not is_header_name(name):
        raise RefusedRequest(str(origin), f"the header {name[:40]!r} may not be set")
    kept = [pair for pair in request.headers if pair[0].lower() != name.lower()]
    added = replace(
        request,
        headers=(*kept, (name, text)),
        secret_headers=request.secret_headers | {name.lower()},
    )
    return _hiding(added, value)


def _hiding(request: Request, *secrets: Secret) -> Request:
    found = [each for each in secrets if each and each is not _UNASKED]
    return replace(request, secrets=(*request.secrets, *found)) if found else request


def _put_key(request: Request, placing: _Placing) -> Request:
    """Source: OAS 3.2, "Security Scheme Object", `apiKey`."""
    put = _KEY_PLACES.get(placing.scheme.location)
    if put is None:
        where = placing.scheme.location[:40]
        raise RefusedRequest(str(origin_of(request.url)), f"a key cannot be put in {where!r}")
    return put(request, placing.scheme.parameter, placing.secret())


def _put_in_header(request: Request, name: str, key: Secret) -> Request:
    return _with_header(request, name, key, origin_of(request.url))


def _put_in_query(request: Request, name: str, key: Secret) -> Request:
    """In place of every pair of that name."""
    url, _, query = request.url.partition("?")
    written = quote(name, safe="")
    kept = [each for each in query.split("&") if each and each.partition("=")[0] != written]
    pairs = [*kept, f"{written}={quote(key.reveal(), safe='')}"]
    return _hiding(replace(request, url=f"{url}?{'&'.join(pairs)}"), key)


def _put_in_cookie(request: Request, name: str, key: Secret) -> Request:
    """Source: RFC 6265, "Syntax"."""
    if not _COOKIE.fullmatch(key.reveal()) or not is_header_name(name):
        why = f"the cookie {name[:40]!r} has characters that no cookie has"
        raise RefusedRequest(str(origin_of(request.url)), why)
    cookies = [value for header, value in request.headers if header.lower() == "cookie"]
    pairs = [each for value in cookies for each in value.split("; ")]
    kept = [each for each in pairs if each.partition("=")[0] != name]
    headers = [pair for pair in request.headers if pair[0].lower() != "cookie"]
    value = "; ".join([*kept, f"{name}={key.reveal()}"])
    added = replace(
        request,
        headers=(*headers, ("Cookie", value)),
        secret_headers=request.secret_headers | {"cookie"},
    )
    return _hiding(added, key)


_KEY_PLACES: Mapping[str, Callable[[Request, str, Secret], Request]] = {
    "header": _put_in_header,
    "query": _put_in_query,
    "cookie": _put_in_cookie,
}


def _put_http(request: Request, placing: _Placing) -> Request:
    if placing.scheme.scheme != "basic":
        return _put_token(request, placing)
    # RFC 7617, "The 'Basic' HTTP Authentication Scheme": the user has no colon.
    pair = placing.secret()
    _, colon, password = pair.reveal().partition(":")
    if not colon:
        raise MissingCredential(
            placing.scheme.name[:60], "it must be USER:PASSWORD, or name a user"
        )
    blob = Secret(b64encode(pair.reveal().encode()).decode())
    hidden = _hiding(request, Secret(password), pair, blob)
    return _with_authorization(hidden, f"Basic {blob.reveal()}")


def _put_token(request: Request, placing: _Placing) -> Request:
    token = placing.token()
    return _with_authorization(_hiding(request, token), f"Bearer {token.reveal()}")


def _with_authorization(request: Request, value: str) -> Request:
    kept = [pair for pair in request.headers if pair[0].lower() != "authorization"]
    return replace(
        request,
        headers=(*kept, ("Authorization", value)),
        secret_headers=request.secret_headers | {"authorization"},
    )


def _put_certificate(request: Request, placing: _Placing) -> Request:
    """Handed to the transport as a value: it takes part in TLS, not in HTTP."""
    auth = placing.use.auth
    if not isinstance(auth, Certificate):
        return request
    password = placing.read(auth.password) if auth.password else None
    shown = ClientCertificate(path=auth.path, key_path=auth.key_path, password=password)
    return replace(request, client_certificate=shown)


_PLACES: Mapping[str, Callable[[Request, _Placing], Request]] = {
    "apiKey": _put_key,
    "http": _put_http,
    "oauth2": _put_token,
    "openIdConnect": _put_token,
    "mutualTLS": _put_certificate,
}


def is_unasked(request: Request) -> bool:
    """Whether a token is missing from `request` that an authorization server must be asked for."""
    return ("Authorization", f"Bearer {MASK}") in request.headers


def masked(request: Request) -> JsonObject:
    """
    Return a request as it can be shown.

    Returns:
        `{"method", "url", "headers", "body"}`; headers as `{name: value}` with secrets as `***`;
        body as a JSON value, as text, or None.
    """
    headers = {name: shown_header(request, name, value) for name, value in request.headers}
    return {
        "method": request.method,
        "url": url_without(request.url, request.secrets),
        "headers": headers,
        "body": _shown_body(request),
    }


def shown_header(request: Request, name: str, value: str) -> str:
    """The value of a header as it can be shown; of cookies those that are no secrets."""
    if name.lower() == "cookie" and request.secrets:
        return cookie_without(value, request.secrets)
    return MASK if name.lower() in request.secret_headers else without(value, request.secrets)


def _shown_body(request: Request) -> Json:
    if not request.body:
        return None
    text = without(request.body.decode("utf-8", "replace"), request.secrets)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def secrets_of(request: Request) -> tuple[str, ...]:
    """Return every text that gives a secret of `request` away, the longest first."""
    values = [
        value
        for name, value in request.headers
        if name.lower() in request.secret_headers and name.lower() != "cookie"
    ]
    tokens = [value.partition(" ")[2] for value in values]
    secrets = (*request.secrets, *(Secret(each) for each in (*values, *tokens)))
    found = {text for each in secrets for text in forms_of(each) if len(text) >= SHORTEST}
    return tuple(sorted(found, key=len, reverse=True))
