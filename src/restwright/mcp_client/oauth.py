"""
Logging in to a server at a URL: discovery, registration, PKCE and tokens by the SDK, whose requests
go through our guard.

A page is shown to the person who logs in, and to nobody else; a token is kept for the URL that it
was asked for.

Source: MCP 2026-07-28, "Authorization"; RFC 8252.
"""

from __future__ import annotations

import json
import time
from functools import partial
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from restwright.calls.auth.oauth.client import Login
from restwright.errors import NoToken
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.mcp_client.settings import ServerURL
from restwright.net.policy.addresses import is_loopback_host
from restwright.net.storage import read_state, write_state

_KIND = "tokens"
_PLACE = "the server"


class TokenFile:
    """
    What was obtained for one URL, in a file that only this user reads.

    Args:
        known: The client that was registered before; None for one that registers itself.
    """

    def __init__(self, url: str, known: OAuthClientInformationFull | None = None) -> None:
        self._known = known
        self._name = f"mcp-{sha256(url.encode()).hexdigest()}"
        self._kept = self._read()

    def _read(self) -> JsonObject:
        try:
            kept: Json = json.loads(read_state(_KIND, self._name) or b"{}")
        except ValueError:
            return {}
        return kept if is_object(kept) else {}

    def _write(self, **more: object) -> None:
        self._kept = {**self._kept, **more}
        write_state(_KIND, self._name, json.dumps(self._kept).encode())

    @property
    def expires_at(self) -> float | None:
        """Seconds since the epoch; None where nobody said."""
        found = self._kept.get("expires_at")
        return found if isinstance(found, float) else None

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, valid or not."""
        tokens = self._kept.get("tokens")
        return OAuthToken.model_validate(tokens) if tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep them."""
        expires_at = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._write(tokens=tokens.model_dump(mode="json"), expires_at=expires_at)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """How this program is registered there."""
        if self._known is not None:
            return self._known
        client = self._kept.get("client")
        return OAuthClientInformationFull.model_validate(client) if client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep that; what the user gave is not written."""
        if self._known is not None:
            self._known = client_info
            return
        self._write(client=client_info.model_dump(mode="json"))


class ServerLogin(OAuthClientProvider):
    """
    Obtains a token where a server asks for one.

    Args:
        place: The server.
        client_secret: Of `place.client_id`; empty for none.
        login: How the person logs in.
        redirect_url: Where the browser comes back to.
    """

    def __init__(
        self, place: ServerURL, client_secret: str, login: Login, redirect_url: str
    ) -> None:
        self._login = login
        url, client_id = place.url, place.client_id
        is_document = client_id.startswith("https://")
        is_registered = bool(client_id) and not is_document
        kept = TokenFile(
            url, _make_client(client_id, client_secret, redirect_url) if is_registered else None
        )
        super().__init__(
            server_url=url,
            client_metadata=OAuthClientMetadata.model_validate(
                {
                    "client_name": "Restwright",
                    "redirect_uris": [redirect_url],
                    "grant_types": ["authorization_code", "refresh_token"],
                    "response_types": ["code"],
                }
            ),
            storage=kept,
            redirect_handler=self._show_page,
            callback_handler=self._await_code,
            client_metadata_url=client_id if is_document else None,
        )
        # The SDK knows of no end of a token that it did not obtain itself.
        self.context.token_expiry_time = kept.expires_at

    async def _show_page(self, url: str) -> None:
        metadata = self.context.oauth_metadata
        methods = metadata.code_challenge_methods_supported if metadata else ["S256"]
        if "S256" not in (methods or ()):
            raise NoToken(_PLACE, "", "the authorization server does not say that it checks S256")
        check_page(url)
        await anyio.to_thread.run_sync(partial(self._login.visit, url), abandon_on_cancel=True)

    async def _await_code(self) -> AuthorizationCodeResult:
        arrived = await anyio.to_thread.run_sync(self._login.arrival, abandon_on_cancel=True)
        found = parse_qs(urlsplit(arrived).query)
        if "code" not in found:
            # What stands there in its place nobody vouches for.
            raise NoToken(_PLACE, "", "the authorization server gave no code")
        state, issuer = found.get("state", [None]), found.get("iss", [None])
        return AuthorizationCodeResult(code=found["code"][0], state=state[0], iss=issuer[0])


def _make_client(
    client_id: str, client_secret: str, redirect_url: str
) -> OAuthClientInformationFull:
    """A client that was registered before."""
    about = {
        "client_id": client_id,
        "redirect_uris": [redirect_url],
        "token_endpoint_auth_method": "client_secret_basic" if client_secret else "none",
    }
    secret = {"client_secret": client_secret} if client_secret else {}
    return OAuthClientInformationFull.model_validate({**about, **secret})


def check_page(url: str) -> None:
    """
    Look at the address of a page before a browser opens it.

    Raises:
        NoToken: It is not fetched by https, or from this machine.
    """
    parts = urlsplit(url)
    is_own = parts.scheme == "http" and is_loopback_host(parts.hostname or "")
    if (parts.scheme != "https" and not is_own) or not url.isascii() or not url.isprintable():
        raise NoToken(_PLACE, "", "the page to log in at is not one of https")
