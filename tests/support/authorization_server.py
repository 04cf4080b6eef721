"""A small authorization server on the loopback interface, strict about what it is asked."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import parse_qsl, unquote_plus, urlsplit

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
    """

    url: str = ""
    issuer: str = ""
    pending: list[str] = field(default_factory=list[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    lifetime: Json = 3600
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
        }

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
        error = check(form, client)
        if error:
            return 401 if error == "invalid_client" else 400, {"error": error}
        return 200, self._issued(grant)

    def _issued(self, grant: str) -> Json:
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


@contextmanager
def authorization_server() -> Iterator[AuthorizationServer]:
    """Run one."""
    server = AuthorizationServer()

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            server.paths.append(self.path)
            known = {"/.well-known/openid-configuration"}
            status, value = server.metadata() if self.path in known else (404, {})
            self.answer(value, status)

        def do_POST(self) -> None:
            server.paths.append(self.path)
            form = dict(parse_qsl(self.read_body().decode(), keep_blank_values=True))
            with server.lock:
                server.forms.append(form)
                if self.path == "/device":
                    status, value = server.device(form, self._client())
                else:
                    status, value = server.token(form, self._client())
            self.answer(value, status)

        def _client(self) -> tuple[str, str] | None:
            kind, _, blob = self.headers.get("authorization", "").partition(" ")
            if kind != "Basic":
                return None
            name, _, secret = base64.b64decode(blob).decode().partition(":")
            return unquote_plus(name), unquote_plus(secret)

    with serve_handler(Handler) as server.url:
        yield server
