"""Where a credential goes in a request: as its scheme says, and so that it is shown nowhere."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import quote

from restwright.calls.auth.credentials import Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.requirements import Use
from restwright.calls.request.build import is_header_name
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.parameter_styles import header_value
from restwright.errors import MissingCredential, RefusedRequest
from restwright.net.messages import ClientCertificate, Request
from restwright.net.policy.origins import Origin, origin_of
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import is_reference, secret_of
from restwright.openapi.model import SecurityScheme

_TOKEN = re.compile(r"[\x21-\x7e]+")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")
_UNASKED = Secret(MASK)
"""Stands for a token that nobody asked for yet."""


@dataclass(frozen=True, slots=True)
class Placing:
    """
    One credential about to be added, and what reading it may need.

    Args:
        token: What an authorization server gave; None where nobody was asked.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
    """

    use: Use
    token: Secret | None = None
    allow_commands: bool = False

    @property
    def scheme(self) -> SecurityScheme:
        """Where it goes."""
        return self.use.scheme

    def secret(self) -> Secret:
        """The secret itself: a key, a token, or a user and a password."""
        auth = self.use.auth
        if isinstance(auth, OAuthClient):
            return self.token or _UNASKED
        if isinstance(auth, Basic):
            return Secret(f"{auth.user}:{self.read(auth.password).reveal()}")
        return self.read(auth) if isinstance(auth, str | Secret) else Secret("")

    def read(self, reference: str | Secret) -> Secret:
        """The secret behind a reference."""
        return secret_of(reference, allow_commands=self.allow_commands)

    def bearer(self) -> Secret:
        """A secret that stands behind `Bearer`."""
        auth, secret = self.use.auth, self.secret()
        return checked_token(auth, secret) if isinstance(auth, str | Secret) else secret


def checked_token(reference: str | Secret, secret: Secret) -> Secret:
    """
    Return `secret`, if it can be a token.

    Raises:
        MissingCredential: It has characters that no token has.
    """
    if _TOKEN.fullmatch(secret.reveal()):
        return secret
    raise _unfit(reference, "has characters that no token has: give the token alone")


def checked_header_value(reference: str | Secret, secret: Secret) -> Secret:
    """
    Return `secret`, if it can be the value of a header or the end of one.

    Raises:
        MissingCredential: It has characters that no header has.
    """
    with suppress(Unwritable):
        header_value(secret.reveal())
        return secret
    raise _unfit(reference, "has a line break or another control character, which no header has")


def _unfit(reference: str | Secret, why: str) -> MissingCredential:
    is_shown = isinstance(reference, str) and is_reference(reference)
    kind, _, name = str(reference).partition(":") if is_shown else ("", "", "it")
    named = "what the command printed" if kind == "cmd" else name
    shown = f"{kind}:{'...' if kind == 'cmd' else name}" if is_shown else MASK
    return MissingCredential(shown, f"{named} {why}", is_set=True)


def placed(request: Request, placing: Placing) -> Request:
    """Return `request` with one credential where its scheme says."""
    return _PLACES[placing.scheme.type](request, placing)


def with_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return `request` with the headers of a connection, in place of those of their names."""
    origin = origin_of(request.url)
    for name, value in headers.items():
        if name.lower() == "cookie":
            request = _with_cookies(request, value)
            continue
        secret = Secret(value)
        request = _with_header(request, name, secret, origin)
        request = _hiding(request, Secret(value.partition(" ")[2]))
    return request


def _with_cookies(request: Request, value: str) -> Request:
    """`request` with the cookies of a connection; in place of those of their names."""
    for pair in filter(None, (each.strip(" ") for each in value.split(";"))):
        name, equals, text = pair.partition("=")
        if not equals or not text:
            why = "a Cookie header of a connection is written as name=value; name=value"
            raise RefusedRequest(str(origin_of(request.url)), why)
        request = _put_in_cookie(request, name, Secret(text))
    return request


def _with_header(request: Request, name: str, value: Secret, origin: Origin) -> Request:
    """`request` with a header; in place of those of its name."""
    try:
        text = header_value(value.reveal())
    except Unwritable:
        why = f"the value of header {name[:40]!r} has characters that no header has"
        raise RefusedRequest(str(origin), why) from None
    if not is_header_name(name):
        why = (
            f"the header {name[:40]!r} may not be set (it has no legal name, or steers HTTP itself)"
        )
        raise RefusedRequest(str(origin), why)
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


def _put_key(request: Request, placing: Placing) -> Request:
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


def _put_http(request: Request, placing: Placing) -> Request:
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


def _put_token(request: Request, placing: Placing) -> Request:
    token = placing.bearer()
    return _with_authorization(_hiding(request, token), f"Bearer {token.reveal()}")


def _with_authorization(request: Request, value: str) -> Request:
    kept = [pair for pair in request.headers if pair[0].lower() != "authorization"]
    return replace(
        request,
        headers=(*kept, ("Authorization", value)),
        secret_headers=request.secret_headers | {"authorization"},
    )


def _put_certificate(request: Request, placing: Placing) -> Request:
    """Handed to the transport as a value: it takes part in TLS, not in HTTP."""
    auth = placing.use.auth
    if not isinstance(auth, Certificate):
        return request
    password = placing.read(auth.password) if auth.password else None
    shown = ClientCertificate(path=auth.path, key_path=auth.key_path, password=password)
    return replace(request, client_certificate=shown)


_PLACES: Mapping[str, Callable[[Request, Placing], Request]] = {
    "apiKey": _put_key,
    "http": _put_http,
    "oauth2": _put_token,
    "openIdConnect": _put_token,
    "mutualTLS": _put_certificate,
}
