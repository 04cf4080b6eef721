"""Who asks for OAuth tokens, and what has to be done to get one. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol
from uuid import uuid4

from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import is_secret_reference, require_secret_reference

FlowName = Literal["client_credentials", "authorization_code", "device", "refresh"]


class Login(Protocol):
    """How a person takes part in getting a token: a browser, and a server for its way back."""

    def listen(self) -> str:
        """Start waiting for a redirect, and return the URL for it."""
        ...

    def visit(self, url: str, *, code: str = "") -> None:
        """Ask the person to open `url`, and to type `code` there if it is not empty."""
        ...

    def arrival(self) -> str:
        """
        Return the URL that the browser was redirected to.

        Raises:
            TimeoutError: It did not come.
        """
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        ...

    def close(self) -> None:
        """Stop waiting for redirects."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthClient:
    """
    A client of an authorization server, in the name of one user.

    The servers that the document names are asked only where they are of an origin that the user
    named: the API's own, or that of one of the URLs here.

    Args:
        client_id: As registered there; not secret.
        client_secret: A reference to it, or a `Secret`; None for a public client.
        flow: None for the first that fits: client credentials where there is a secret,
            authorization code, device.
        scopes: None for those that the operation requires.
        issuer: Its metadata is read from there (OpenID Connect Discovery, RFC 8414).
        token_url: In place of the document's, as the two that follow.
        authorization_url: Where a browser is sent.
        device_url: Where a device asks for a code.
        refresh_token: A reference to one that the user has already, or a `Secret`.
        authentication: How the client shows its secret; None for what the server prefers.
        more: Further members of the requests for tokens, such as `resource` or `audience`.
        user: Whose tokens these are; they are kept by it. Tokens of somebody who logged in and
            has no name here belong to this very client, and are not written to disk.
        login: How the person takes part; None where nobody can.
        tokens: Where tokens are kept.
    """

    client_id: str
    client_secret: str | Secret | None = None
    flow: FlowName | None = None
    scopes: tuple[str, ...] | None = None
    issuer: str | None = None
    token_url: str | None = None
    authorization_url: str | None = None
    device_url: str | None = None
    refresh_token: str | Secret | None = None
    authentication: Literal["basic", "post"] | None = None
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    user: str = ""
    login: Login | None = field(default=None, compare=False)
    tokens: TokenCache = field(default_factory=TokenCache, compare=False)
    instance_id: str = field(default_factory=lambda: uuid4().hex, init=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("client_secret", "refresh_token"):
            if (value := getattr(self, name)) is not None:
                require_secret_reference(value, what=f"`{name}`")

    def __repr__(self) -> str:
        secret = self.client_secret and _mask_reference(self.client_secret)
        return f"OAuthClient(client_id={self.client_id!r}, client_secret={secret!r})"


def _mask_reference(reference: str | Secret) -> str:
    is_shown = isinstance(reference, str) and is_secret_reference(reference)
    return str(reference) if is_shown else MASK
