"""Who may use a server over HTTP: who knows a token, or has one of an authorization server."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import jwt
from jwt import PyJWKSet, PyJWTError
from mcp.server.auth.provider import AccessToken

from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.auth.oauth.messages import well_known_url
from restwright.errors import CallError
from restwright.jsontypes import JsonObject, is_array, is_object
from restwright.net.messages import Request
from restwright.net.policy.origins import parse_origin
from restwright.net.secret import Secret

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""By which tokens may be signed: only such whose keys a server can show to everybody."""
KEYS_TTL_S = 600.0
MIN_REFRESH_S = 10.0
"""Between two requests for keys, however many tokens name one that is not known."""
_METADATA = ("openid-configuration", "oauth-authorization-server")


@dataclass(frozen=True, slots=True)
class SharedToken:
    """Takes one token, which everybody has who may use the server."""

    secret: Secret = field(repr=False)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Say whose a token is; None for nobody's."""
        if not hmac.compare_digest(token.encode(), self.secret.reveal().encode()):
            return None
        # The token itself is needed by nobody from here on.
        return AccessToken(token="", client_id="token", scopes=[])


@dataclass(slots=True, kw_only=True)
class IssuedTokens:
    """
    Takes the access tokens (RFC 9068) that an authorization server has made for this server.

    Args:
        issuer: Its URL, which the user named.
        resource: The URL of this server, for which a token must be.
        send: Asks the authorization server for its keys.
        report_error: Told why they cannot be had, for whoever runs the server.
    """

    issuer: str
    resource: str
    send: AsyncSend = field(repr=False)
    report_error: Callable[[str], None] = field(repr=False)
    now: Callable[[], float] = time.monotonic
    _keys: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _fetched_at: float = float("-inf")
    _lock: anyio.Lock = field(default_factory=anyio.Lock)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Say whose a token is; None where it is not for here, not signed, or too old."""
        claims = await self.read_claims(token, self.resource)
        return None if claims is None else self._read_claims(claims)

    async def read_claims(self, token: str, audience: str) -> JsonObject | None:
        """What the issuer says in a token for `audience`; None where it is no such one."""
        try:
            header = jwt.get_unverified_header(token)
            key = await self._find_key(str(header.get("kid", "")))
            if key is None or header.get("alg") not in ALGORITHMS:
                return None
            return jwt.decode(
                token,
                key.key,
                algorithms=[str(header["alg"])],
                audience=audience,
                issuer=self.issuer,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (PyJWTError, ValueError, TypeError):
            return None

    def _read_claims(self, claims: JsonObject) -> AccessToken:
        return AccessToken(
            token="",
            client_id=str(claims.get("client_id") or claims.get("azp") or ""),
            scopes=_read_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self.resource,
            subject=str(claims["sub"]),
            claims={"iss": claims["iss"]},
        )

    async def _find_key(self, identifier: str) -> Any:
        async with self._lock:
            age = self.now() - self._fetched_at
            is_unknown = identifier not in self._keys and age > MIN_REFRESH_S
            if age > KEYS_TTL_S or is_unknown:
                self._fetched_at = self.now()
                try:
                    self._keys = await self._fetch_keys()
                except (CallError, PyJWTError, ValueError) as error:
                    self.report_error(f"no keys of {self.issuer}: {type(error).__name__}: {error}")
            return self._keys.get(identifier)

    async def _fetch_keys(self) -> Mapping[str, Any]:
        metadata = await self._fetch_metadata()
        if str(metadata.get("issuer", "")) != self.issuer:
            raise ValueError("its metadata are of another issuer")
        address = str(metadata.get("jwks_uri", ""))
        keys = PyJWKSet.from_dict(await self._fetch_json(address))
        return {str(key.key_id or ""): key for key in keys.keys}

    async def _fetch_metadata(self) -> JsonObject:
        for name in _METADATA:
            try:
                return await self._fetch_json(well_known_url(self.issuer, name))
            except ValueError:
                continue
        raise ValueError("it publishes no metadata")

    async def _fetch_json(self, url: str) -> JsonObject:
        """What stands at a URL; elsewhere than at the issuer only public addresses are asked."""
        is_named = parse_origin(url) == parse_origin(self.issuer)
        headers = (("Accept", "application/json"),)
        request = Request(method="GET", url=url, headers=headers, is_named=is_named)
        response = await self.send(request)
        value = json.loads(response.body) if response.status == 200 else None
        if not is_object(value):
            raise ValueError(f"there is nothing (status {response.status})")
        return value


def _read_scopes(claims: JsonObject) -> list[str]:
    """Source: RFC 9068, "Data Structure"; some servers write a list, or `scp`."""
    given = claims.get("scope", claims.get("scp", ""))
    if isinstance(given, str):
        return given.split()
    return [str(scope) for scope in given] if is_array(given) else []
