"""The messages of OAuth 2: requests for tokens, and what comes back. Does no I/O."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest
from importlib import import_module
from typing import Any, NoReturn
from urllib.parse import parse_qs, parse_qsl, quote_plus, urlencode, urlsplit

from restwright.calls.auth.oauth.token_cache import AccessToken, expiry_from_lifetime
from restwright.errors import NoToken
from restwright.jsontypes import JsonObject, is_object
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret, mask_secrets

_ACCESS_TOKEN = re.compile(r"[\x21-\x7e]+")
_MAX_TEXT_CHARS = 200
_MAX_LIFETIME_S = 1e12  # a float has no more digits, a clock no later instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistration:
    """
    A client as the server knows it.

    Args:
        name: What errors call it: the security scheme.
        method: `basic`, `post`, or `none` for a public client.
    """

    name: str
    client_id: str
    secret: Secret | None = None
    method: str = "none"


def build_token_request(
    client: ClientRegistration,
    url: str,
    members: Mapping[str, str],
    *,
    secrets: tuple[Secret, ...] = (),
) -> Request:
    """
    A request to a token endpoint, or to that of a device.

    Args:
        secrets: What of `members` is secret.

    Source: RFC 6749, "Client Password"; RFC 6750.
    """
    sent = dict(members)
    headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        # One large provider answers with a form otherwise.
        ("Accept", "application/json"),
    ]
    hidden = list(secrets)
    if client.secret is not None and client.method == "basic":
        pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret.reveal())}"
        blob = b64encode(pair.encode()).decode()
        headers.append(("Authorization", f"Basic {blob}"))
        hidden += [client.secret, Secret(blob)]
    else:
        sent["client_id"] = client.client_id
    if client.secret is not None and client.method == "post":
        sent["client_secret"] = client.secret.reveal()
        hidden.append(client.secret)
    return Request(
        method="POST",
        url=url,
        headers=tuple(headers),
        body=urlencode(sent).encode(),
        secret_headers=frozenset({"authorization"}),
        secrets=tuple(hidden),
    )


def parse_token_response(
    client: ClientRegistration, request: Request, response: Response, *, now: float
) -> AccessToken:
    """
    The token of a response.

    Raises:
        NoToken: There is none; it says what the server says, without secrets.

    Source: RFC 6749, "Issuing an Access Token".
    """
    answer = parse_oauth_response(client, request, response)
    access = answer.get("access_token")
    if not isinstance(access, str) or not _ACCESS_TOKEN.fullmatch(access):
        raise NoToken(client.name, "invalid_response", "there is no access token in the answer")
    kind = answer.get("token_type", "bearer")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise NoToken(client.name, "invalid_response", "the token is no bearer token")
    refresh = answer.get("refresh_token")
    return AccessToken(
        access_token=Secret(access),
        refresh_token=Secret(refresh) if isinstance(refresh, str) and refresh else None,
        expires_at=expiry_from_lifetime(_parse_seconds(answer.get("expires_in")), now=now),
    )


def parse_oauth_response(
    client: ClientRegistration, request: Request, response: Response
) -> JsonObject:
    """
    The members of an answer.

    Raises:
        NoToken: It is an error, or no object.
    """
    answer = _decode_members(response)
    if response.status == 200 and answer is not None and "error" not in answer:
        return answer
    if answer is not None and isinstance(answer.get("error"), str):
        _raise_refusal(client, answer, request.secrets)
    raise NoToken(client.name, "invalid_response", f"the server answered {response.status}")


def _decode_members(response: Response) -> JsonObject | None:
    try:
        if response.header("content-type").startswith("application/x-www-form-urlencoded"):
            return dict(parse_qsl(response.body.decode()))
        value = json.loads(response.body)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None


def _raise_refusal(
    client: ClientRegistration, answer: Mapping[str, Any], secrets: tuple[Secret, ...]
) -> NoReturn:
    said = [
        sanitize_server_text(str(answer.get(literal, "")), secrets)
        for literal in ("error", "error_description")
    ]
    raise NoToken(client.name, *said)


def sanitize_server_text(text: str, secrets: tuple[Secret, ...] = ()) -> str:
    """Text of a server on one line, short and without secrets."""
    plain = "".join(
        mask_secret if mask_secret.isprintable() else " "
        for mask_secret in mask_secrets(text, secrets)
    )
    return plain[:_MAX_TEXT_CHARS]


def _parse_seconds(value: object) -> float | None:
    # Some servers write the number as text.
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        value = int(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not value < _MAX_LIFETIME_S:
        return None
    return max(0.0, float(value))


def build_authorization_url(
    client: ClientRegistration,
    url: str,
    *,
    redirect_uri: str,
    scopes: tuple[str, ...],
    state: str,
    verifier: Secret,
    more: Mapping[str, str],
) -> str:
    """
    Where a browser is sent.

    Source: RFC 6749, "Authorization Request"; RFC 7636, "Client Sends the Code Challenge".
    """
    challenge = _import_authlib("rfc7636.challenge").create_s256_code_challenge(verifier.reveal())
    return _import_authlib("rfc6749.parameters").prepare_grant_uri(
        url,
        client.client_id,
        "code",
        redirect_uri=redirect_uri,
        scope=list(scopes) or None,
        state=state,
        code_challenge=challenge,
        code_challenge_method="S256",
        **more,
    )


def parse_redirect(
    client: ClientRegistration, url: str, *, state: str, issuer: str | None
) -> Secret:
    """
    The code of a redirect.

    Raises:
        NoToken: The redirect is not the answer to our request, or says that there is no code.

    Source: RFC 6749, "Authorization Response"; RFC 9207; RFC 9700, "Mix-Up Attacks".
    """
    query = parse_qs(urlsplit(url).query, keep_blank_values=True)
    if any(len(values) > 1 for values in query.values()):
        raise NoToken(client.name, "invalid_response", "the redirect says something twice")
    answer = {name: values[0] for name, values in query.items()}
    # Before anything else is believed: an error may be forged as well as a code.
    if not compare_digest(answer.get("state", "").encode(), state.encode()):
        raise NoToken(client.name, "invalid_state", "the redirect is not the answer to our request")
    if issuer is not None and answer.get("iss", issuer) != issuer:
        raise NoToken(client.name, "invalid_issuer", "the redirect is of another server")
    if "error" in answer:
        _raise_refusal(client, answer, ())
    if not answer.get("code"):
        raise NoToken(client.name, "invalid_response", "the redirect has no code")
    return Secret(answer["code"])


def well_known_url(issuer: str, suffix: str) -> str:
    """Where an issuer publishes its metadata (RFC 8414, "Obtaining Metadata")."""
    if suffix == "openid-configuration":
        # OpenID Connect Discovery appends where RFC 8414 inserts.
        return f"{issuer.rstrip('/')}/.well-known/{suffix}"
    return _import_authlib("rfc8414").get_well_known_url(issuer, external=True, suffix=suffix)


def create_code_verifier() -> Secret:
    """A code verifier (RFC 7636, "Client Creates a Code Verifier")."""
    import secrets

    return Secret(secrets.token_urlsafe(48))


def _import_authlib(module: str) -> Any:
    # It has no types; only parts that write and read messages are used, none that opens anything.
    return import_module(f"authlib.oauth2.{module}")
