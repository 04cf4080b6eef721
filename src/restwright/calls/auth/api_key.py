"""`type: apiKey`: a secret in a header, the query or a cookie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import quote

from restwright.calls.auth.apply import add_secrets, set_cookie, set_header
from restwright.calls.auth.handler import CredentialPlacement, SecuritySchemeHandler
from restwright.errors import RefusedRequest
from restwright.net.messages import Request
from restwright.net.policy.origins import parse_origin
from restwright.net.secret import Secret
from restwright.openapi.model import SecurityScheme


def _apply_api_key(request: Request, placing: CredentialPlacement) -> Request:
    """Source: OAS 3.2, "Security Scheme Object", `apiKey`."""
    put = _KEY_SETTERS.get(placing.scheme.location)
    if put is None:
        where = placing.scheme.location[:40]
        raise RefusedRequest(str(parse_origin(request.url)), f"a key cannot be put in {where!r}")
    return put(request, placing.scheme.parameter, placing.resolve())


def _set_key_header(request: Request, name: str, key: Secret) -> Request:
    return set_header(request, name, key, parse_origin(request.url))


def _set_key_query(request: Request, name: str, key: Secret) -> Request:
    """In place of every pair of that name."""
    url, _, query = request.url.partition("?")
    written = quote(name, safe="")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] != written]
    pairs = [*kept, f"{written}={quote(key.reveal(), safe='')}"]
    return add_secrets(replace(request, url=f"{url}?{'&'.join(pairs)}"), key)


_KEY_SETTERS: Mapping[str, Callable[[Request, str, Secret], Request]] = {
    "header": _set_key_header,
    "query": _set_key_query,
    "cookie": set_cookie,
}


def _place(scheme: SecurityScheme) -> tuple[str, str]:
    is_header = scheme.location == "header"
    return scheme.location, scheme.parameter.lower() if is_header else scheme.parameter


API_KEY = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type == "apiKey",
    accepts=lambda auth: isinstance(auth, str | Secret),
    apply=_apply_api_key,
    place=_place,
)
