"""A person with a browser, a clock and clients, for flows of OAuth."""

from __future__ import annotations

import urllib.error
import urllib.request

from tests.support.authorization_server import (
    CLIENT,
    AuthorizationServer,
)

from restwright.calls.auth.oauth.client import OAuthClient
from restwright.jsontypes import Json
from restwright.net.loopback_redirect import RedirectListener
from restwright.net.policy.origins import Origin
from restwright.openapi.model import OAuthFlow, SecurityScheme

API = Origin("https", "api.test", 443)

OIDC = SecurityScheme(name="login", type="openIdConnect")


class Browser:
    """Stands for a person with a browser; `visits` are the `(url, code)` that were opened."""

    def __init__(self, server: AuthorizationServer) -> None:
        self.server = server
        self.listener = RedirectListener(timeout_s=5)
        self.visits: list[tuple[str, str]] = []
        self.waits: list[float] = []
        self.suffix = ""

    def listen(self) -> str:
        return self.listener.listen()

    def visit(self, url: str, *, code: str = "") -> None:
        self.visits.append((url, code))
        if not code:
            target = self.redirect(url)
            urllib.request.urlopen(target, timeout=5).close()  # noqa: S310 - our own listener

    def redirect(self, url: str) -> str:
        return self.server.visited(url) + self.suffix

    def arrival(self) -> str:
        return self.listener.arrival()

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def close(self) -> None:
        self.listener.close()


class Clock:
    """Tells the time that it is told."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


def client_of(server: AuthorizationServer, **more: Json) -> OAuthClient:
    own = {"client_id": CLIENT, "token_url": f"{server.url}/token"}
    return OAuthClient(**{**own, **more})


def scheme_of(server: AuthorizationServer, flow: str = "clientCredentials") -> SecurityScheme:
    flows = OAuthFlow(
        token_url=f"{server.url}/token",
        authorization_url=f"{server.url}/authorize?tenant=7",
        device_authorization_url=f"{server.url}/device",
    )
    return SecurityScheme(name="login", type="oauth2", flows={flow: flows})
