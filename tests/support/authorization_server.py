"""A small authorization server on the loopback interface, strict about what it is asked."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import count
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from tests.support.net.handlers import JSONHandler, serve_handler

from restwright.jsontypes import Json

CLIENT, SECRET = "shop client", "s3cret:/+canary-client"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
Answer = tuple[int, Json]


@dataclass(slots=True)
class AuthorizationServer:
    """
    What it knows and was asked; `paths` are those of the requests, in the order of arrival.

    Args:
        pending: What a device is told, in this order, before it gets its token.
        refused: Errors to answer a grant with, by its name.
        lifetime: `expires_in` of a token.
        user: Who logs in at `/authorize`; empty to have them choose on a page.
        claims: Of ID tokens, in the place of what would be said.
        token_in_place: In the place of an ID token; empty for one.
        granted: Scopes that a user grants; empty for those that were asked for.
    """

    url: str = ""
    issuer: str = ""
    pending: list[str] = field(default_factory=list[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    lifetime: Json = 3600
    user: str = ""
    claims: dict[str, Json] = field(default_factory=dict[str, Json])
    token_in_place: str = ""
    granted: str = ""
    rotates: bool = True
    paths: list[str] = field(default_factory=list[str])
    forms: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    refresh_tokens: set[str] = field(default_factory=set[str])
    numbers: Iterator[int] = field(default_factory=count)
    issued: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def grants(self) -> list[str]:
        """The grants that were asked for."""
        return [each["grant_type"] for each in self.forms if "grant_type" in each]

    def visited(self, url: str) -> str:
        """Log a person in: what the browser is redirected to from `url`."""
        query = dict(parse_qsl(urlsplit(url).query))
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        # Not by how many there are: one is gone once it was used, and two may come at once.
        code = f"code-canary-{next(self.numbers)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?code={code}&state={query['state']}"

    def metadata(self) -> Answer:
        return 200, {
            "issuer": self.issuer or self.url,
            "token_endpoint": f"{self.url}/token",
            "authorization_endpoint": f"{self.url}/authorize",
            "device_authorization_endpoint": f"{self.url}/device",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "jwks_uri": f"{self.url}/keys",
        }

    def authorize(self, url: str) -> tuple[str, str]:
        """Where a browser is sent that comes to log in, or the page on which it chooses who."""
        user = dict(parse_qsl(urlsplit(url).query)).get("user", self.user)
        if user:
            return self.visited(f"{url}&user={user}"), ""
        links = (
            f'<p><a href="{escape(url)}&amp;user={name}">I am {name}</a>' for name in ("ada", "bob")
        )
        head = '<!doctype html><html lang="en"><title>Issuer</title><link rel="icon" href="data:,">'
        return "", f"{head}{''.join(links)}"

    def keys(self) -> Answer:
        key = json.loads(RSAAlgorithm.to_jwk(signing_key().public_key()))
        return 200, {"keys": [{**key, "kid": "one", "use": "sig"}]}

    def id_token(self, asked: dict[str, str]) -> str:
        """What is said of a user to the client that asked (OpenID Connect Core, "ID Token")."""
        claims = {
            "iss": self.issuer or self.url,
            "aud": asked["client_id"],
            "sub": f"sub-of-{asked.get('user', self.user)}",
            "preferred_username": asked.get("user", self.user),
            "nonce": asked.get("nonce", ""),
            "exp": int(time.time()) + 600,
        }
        claims = {name: said for name, said in (claims | self.claims).items() if said is not None}
        return jwt.encode(claims, signing_key(), algorithm="RS256", headers={"kid": "one"})

    def device(self, form: dict[str, str], client: tuple[str, str] | None) -> Answer:
        # RFC 8628, "Device Authorization Request": needed where the client does not authenticate.
        assert client or form["client_id"]
        return 200, {
            "device_code": "device-code-canary",
            "user_code": "WDJB-MJHT",
            "verification_uri": f"{self.url}/activate",
            "expires_in": 60,
            "interval": 1,
        }

    def token(self, form: dict[str, str], client: tuple[str, str] | None) -> Answer:
        grant = form["grant_type"]
        if grant in self.refused:
            return 400, {"error": self.refused[grant], "error_description": f"no\n{form}"}
        check = {
            "client_credentials": self._of_client,
            "authorization_code": self._of_code,
            "refresh_token": self._of_refresh,
            DEVICE_GRANT: self._of_device,
        }[grant]
        asked = self.codes.get(form.get("code", ""), {})
        error = check(form, client)
        if error:
            return 401 if error == "invalid_client" else 400, {"error": error}
        issued = self._issued(grant)
        if "openid" in asked.get("scope", "").split():
            issued["id_token"] = self.token_in_place or self.id_token(asked)
            issued |= {"scope": self.granted} if self.granted else {}
        return 200, issued

    def _issued(self, grant: str) -> dict[str, Json]:
        self.issued += 1
        token: dict[str, Json] = {
            "access_token": f"access-canary-{self.issued}",
            "token_type": "Bearer",
            "expires_in": self.lifetime,
        }
        if grant != "client_credentials" and self.rotates:
            token["refresh_token"] = f"refresh-canary-{self.issued}"
            self.refresh_tokens.add(token["refresh_token"])
        return token

    def _of_client(self, form: dict[str, str], client: tuple[str, str] | None) -> str:
        given = client or (form.get("client_id", ""), form.get("client_secret", ""))
        return "" if given == (CLIENT, SECRET) else "invalid_client"

    def _of_code(self, form: dict[str, str], _: tuple[str, str] | None) -> str:
        asked = self.codes.pop(form["code"], None)
        if asked is None or asked["redirect_uri"] != form["redirect_uri"]:
            return "invalid_grant"
        hashed = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).decode().rstrip("=")
        return "" if challenge == asked["code_challenge"] else "invalid_grant"

    def _of_refresh(self, form: dict[str, str], _: tuple[str, str] | None) -> str:
        if form["refresh_token"] not in self.refresh_tokens:
            return "invalid_grant"
        if self.rotates:
            self.refresh_tokens.discard(form["refresh_token"])
        return ""

    def _of_device(self, form: dict[str, str], _: tuple[str, str] | None) -> str:
        assert form["device_code"] == "device-code-canary"
        return self.pending.pop(0) if self.pending else ""


@cache
def signing_key() -> rsa.RSAPrivateKey:
    """By which ID tokens are signed."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class _Handler(JSONHandler):
    known: AuthorizationServer

    def do_GET(self) -> None:
        self.known.paths.append(self.path)
        if self.path.startswith("/authorize"):
            target, page = self.known.authorize(f"{self.known.url}{self.path}")
            headers = {"Location": target} if target else {}
            status = 302 if target else 200
            self.answer(page.encode(), status, kind="text/html", headers=headers)
            return
        answers = {
            "/.well-known/openid-configuration": self.known.metadata,
            "/keys": self.known.keys,
        }
        status, value = answers[self.path]() if self.path in answers else (404, {})
        self.answer(value, status)

    def do_POST(self) -> None:
        self.known.paths.append(self.path)
        form = dict(parse_qsl(self.read_body().decode(), keep_blank_values=True))
        with self.known.lock:
            self.known.forms.append(form)
            if self.path == "/device":
                status, value = self.known.device(form, self._client())
            else:
                status, value = self.known.token(form, self._client())
        self.answer(value, status)

    def _client(self) -> tuple[str, str] | None:
        kind, _, blob = self.headers.get("authorization", "").partition(" ")
        if kind != "Basic":
            return None
        name, _, secret = base64.b64decode(blob).decode().partition(":")
        return unquote_plus(name), unquote_plus(secret)


@contextmanager
def authorization_server() -> Iterator[AuthorizationServer]:
    """Run one."""
    server = AuthorizationServer()

    class Handler(_Handler):
        known = server

    with serve_handler(Handler) as server.url:
        yield server
