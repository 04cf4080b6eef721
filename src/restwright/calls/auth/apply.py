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
from restwright.calls.auth.requirements import AppliedCredential
from restwright.calls.request.build import is_header_name
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.parameter_styles import check_header_value
from restwright.errors import MissingCredential, RefusedRequest
from restwright.net.messages import ClientCertificate, Request
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import is_secret_reference, resolve_secret
from restwright.openapi.model import SecurityScheme

_TOKEN = re.compile(r"[\x21-\x7e]+")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")
_PLACEHOLDER_TOKEN = Secret(MASK)
"""Stands for a token that nobody asked for yet."""


@dataclass(frozen=True, slots=True)
class CredentialPlacement:
    """
    One credential about to be added, and what reading it may need.

    Args:
        token: What an authorization server gave; None where nobody was asked.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
    """

    use: AppliedCredential
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
            return self.token or _PLACEHOLDER_TOKEN
        if isinstance(auth, Basic):
            return Secret(f"{auth.user}:{self.read(auth.password).reveal()}")
        return self.read(auth) if isinstance(auth, str | Secret) else Secret("")

    def read(self, reference: str | Secret) -> Secret:
        """The secret behind a reference."""
        return resolve_secret(reference, allow_commands=self.allow_commands)

    def bearer(self) -> Secret:
        """A secret that stands behind `Bearer`."""
        auth, secret = self.use.auth, self.secret()
        return check_token(auth, secret) if isinstance(auth, str | Secret) else secret


def check_token(reference: str | Secret, secret: Secret) -> Secret:
    """
    Return `secret`, if it can be a token.

    Raises:
        MissingCredential: It has characters that no token has.
    """
    if _TOKEN.fullmatch(secret.reveal()):
        return secret
    raise _invalid_credential(reference, "has characters that no token has: give the token alone")


def check_secret_header(reference: str | Secret, secret: Secret) -> Secret:
    """
    Return `secret`, if it can be the value of a header or the end of one.

    Raises:
        MissingCredential: It has characters that no header has.
    """
    with suppress(Unwritable):
        check_header_value(secret.reveal())
        return secret
    raise _invalid_credential(
        reference, "has a line break or another control character, which no header has"
    )


def _invalid_credential(reference: str | Secret, why: str) -> MissingCredential:
    is_shown = isinstance(reference, str) and is_secret_reference(reference)
    kind, _, name = str(reference).partition(":") if is_shown else ("", "", "it")
    named = "what the command printed" if kind == "cmd" else name
    shown = f"{kind}:{'...' if kind == 'cmd' else name}" if is_shown else MASK
    return MissingCredential(shown, f"{named} {why}", is_set=True)


def apply_credential(request: Request, placing: CredentialPlacement) -> Request:
    """Return `request` with one credential where its scheme says."""
    return _APPLIERS[placing.scheme.type](request, placing)


def apply_connection_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return `request` with the headers of a connection, in place of those of their names."""
    origin = parse_origin(request.url)
    for name, value in headers.items():
        if name.lower() == "cookie":
            request = _set_cookies(request, value)
            continue
        secret = Secret(value)
        request = _set_header(request, name, secret, origin)
        request = _add_secrets(request, Secret(value.partition(" ")[2]))
    return request


def _set_cookies(request: Request, value: str) -> Request:
    """`request` with the cookies of a connection; in place of those of their names."""
    for pair in filter(None, (each.strip(" ") for each in value.split(";"))):
        name, equals, text = pair.partition("=")
        if not equals or not text:
            why = "a Cookie header of a connection is written as name=value; name=value"
            raise RefusedRequest(str(parse_origin(request.url)), why)
        request = _set_key_cookie(request, name, Secret(text))
    return request


def _set_header(request: Request, name: str, value: Secret, origin: Origin) -> Request:
    """`request` with a header; in place of those of its name."""
    try:
        text = check_header_value(value.reveal())
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
    return _add_secrets(added, value)


def _add_secrets(request: Request, *secrets: Secret) -> Request:
    found = [each for each in secrets if each and each is not _PLACEHOLDER_TOKEN]
    return replace(request, secrets=(*request.secrets, *found)) if found else request


def _apply_api_key(request: Request, placing: CredentialPlacement) -> Request:
    """Source: OAS 3.2, "Security Scheme Object", `apiKey`."""
    put = _KEY_SETTERS.get(placing.scheme.location)
    if put is None:
        where = placing.scheme.location[:40]
        raise RefusedRequest(str(parse_origin(request.url)), f"a key cannot be put in {where!r}")
    return put(request, placing.scheme.parameter, placing.secret())


def _set_key_header(request: Request, name: str, key: Secret) -> Request:
    return _set_header(request, name, key, parse_origin(request.url))


def _set_key_query(request: Request, name: str, key: Secret) -> Request:
    """In place of every pair of that name."""
    url, _, query = request.url.partition("?")
    written = quote(name, safe="")
    kept = [each for each in query.split("&") if each and each.partition("=")[0] != written]
    pairs = [*kept, f"{written}={quote(key.reveal(), safe='')}"]
    return _add_secrets(replace(request, url=f"{url}?{'&'.join(pairs)}"), key)


def _set_key_cookie(request: Request, name: str, key: Secret) -> Request:
    """Source: RFC 6265, "Syntax"."""
    if not _COOKIE.fullmatch(key.reveal()) or not is_header_name(name):
        why = f"the cookie {name[:40]!r} has characters that no cookie has"
        raise RefusedRequest(str(parse_origin(request.url)), why)
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
    return _add_secrets(added, key)


_KEY_SETTERS: Mapping[str, Callable[[Request, str, Secret], Request]] = {
    "header": _set_key_header,
    "query": _set_key_query,
    "cookie": _set_key_cookie,
}


def _apply_http(request: Request, placing: CredentialPlacement) -> Request:
    if placing.scheme.scheme != "basic":
        return _apply_bearer(request, placing)
    # RFC 7617, "The 'Basic' HTTP Authentication Scheme": the user has no colon.
    pair = placing.secret()
    _, colon, password = pair.reveal().partition(":")
    if not colon:
        raise MissingCredential(
            placing.scheme.name[:60], "it must be USER:PASSWORD, or name a user"
        )
    blob = Secret(b64encode(pair.reveal().encode()).decode())
    hidden = _add_secrets(request, Secret(password), pair, blob)
    return _set_authorization(hidden, f"Basic {blob.reveal()}")


def _apply_bearer(request: Request, placing: CredentialPlacement) -> Request:
    token = placing.bearer()
    return _set_authorization(_add_secrets(request, token), f"Bearer {token.reveal()}")


def _set_authorization(request: Request, value: str) -> Request:
    kept = [pair for pair in request.headers if pair[0].lower() != "authorization"]
    return replace(
        request,
        headers=(*kept, ("Authorization", value)),
        secret_headers=request.secret_headers | {"authorization"},
    )


def _apply_certificate(request: Request, placing: CredentialPlacement) -> Request:
    """Handed to the transport as a value: it takes part in TLS, not in HTTP."""
    auth = placing.use.auth
    if not isinstance(auth, Certificate):
        return request
    password = placing.read(auth.password) if auth.password else None
    shown = ClientCertificate(path=auth.path, key_path=auth.key_path, password=password)
    return replace(request, client_certificate=shown)


_APPLIERS: Mapping[str, Callable[[Request, CredentialPlacement], Request]] = {
    "apiKey": _apply_api_key,
    "http": _apply_http,
    "oauth2": _apply_bearer,
    "openIdConnect": _apply_bearer,
    "mutualTLS": _apply_certificate,
}
