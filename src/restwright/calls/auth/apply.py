"""How a secret is put into a request: in place of what stood there, and so that none is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from restwright.calls.auth.handler import PLACEHOLDER_TOKEN
from restwright.calls.request.build import is_header_name
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.parameter_styles import check_header_value
from restwright.errors import MissingCredential, RefusedRequest
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import is_secret_reference

_TOKEN = re.compile(r"[\x21-\x7e]+")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")


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


def apply_connection_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return `request` with the headers of a connection, in place of those of their names."""
    origin = parse_origin(request.url)
    for name, value in headers.items():
        if name.lower() == "cookie":
            request = _set_cookies(request, value)
            continue
        secret = Secret(value)
        request = set_header(request, name, secret, origin)
        request = add_secrets(request, Secret(value.partition(" ")[2]))
    return request


def _set_cookies(request: Request, value: str) -> Request:
    """`request` with the cookies of a connection; in place of those of their names."""
    for pair in filter(None, (part.strip(" ") for part in value.split(";"))):
        name, equals, text = pair.partition("=")
        if not equals or not text:
            why = "a Cookie header of a connection is written as name=value; name=value"
            raise RefusedRequest(str(parse_origin(request.url)), why)
        request = set_cookie(request, name, Secret(text))
    return request


def set_header(request: Request, name: str, value: Secret, origin: Origin) -> Request:
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
    return add_secrets(added, value)


def add_secrets(request: Request, *secrets: Secret) -> Request:
    """`request` with values that are shown nowhere."""
    found = [secret for secret in secrets if secret and secret is not PLACEHOLDER_TOKEN]
    return replace(request, secrets=(*request.secrets, *found)) if found else request


def set_cookie(request: Request, name: str, key: Secret) -> Request:
    """
    `request` with a cookie; in place of those of its name.

    Source: RFC 6265, "Syntax".
    """
    if not _COOKIE.fullmatch(key.reveal()) or not is_header_name(name):
        why = f"the cookie {name[:40]!r} has characters that no cookie has"
        raise RefusedRequest(str(parse_origin(request.url)), why)
    cookies = [value for header, value in request.headers if header.lower() == "cookie"]
    pairs = [part for value in cookies for part in value.split("; ")]
    kept = [pair for pair in pairs if pair.partition("=")[0] != name]
    headers = [pair for pair in request.headers if pair[0].lower() != "cookie"]
    value = "; ".join([*kept, f"{name}={key.reveal()}"])
    added = replace(
        request,
        headers=(*headers, ("Cookie", value)),
        secret_headers=request.secret_headers | {"cookie"},
    )
    return add_secrets(added, key)


def set_authorization(request: Request, value: str) -> Request:
    """`request` with that `Authorization` alone."""
    kept = [pair for pair in request.headers if pair[0].lower() != "authorization"]
    return replace(
        request,
        headers=(*kept, ("Authorization", value)),
        secret_headers=request.secret_headers | {"authorization"},
    )
