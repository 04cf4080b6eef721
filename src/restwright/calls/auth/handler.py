"""What one kind of security scheme is: one record, with a flow of requests and responses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from restwright.calls.auth.credentials import Auth, Basic
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.net.messages import Request
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import resolve_secret
from restwright.openapi.model import SecurityScheme

PLACEHOLDER_TOKEN = Secret(MASK)
"""Stands for a token that nobody asked for yet."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedCredential:
    """One credential, and the scheme that says where it goes."""

    scheme: SecurityScheme
    auth: Auth
    scopes: tuple[str, ...] = ()


class AuthMemory:
    """What servers said to the requests of one connection, for the next ones; safe in threads."""

    __slots__ = ("_lock", "_values")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[Hashable, Any] = {}

    def update(
        self, key: Hashable, change: Callable[[_Value | None], _Value | None]
    ) -> _Value | None:
        """Put what `change` makes of the value of `key` in its place; None removes it."""
        with self._lock:
            value = change(self._values.pop(key, None))
            if value is not None:
                self._values[key] = value
            return value


@dataclass(frozen=True, slots=True)
class CredentialPlacement:
    """
    One credential about to be added, and what reading it may need.

    Args:
        token: What an authorization server gave; None where nobody was asked.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
        memory: Of the connection.
    """

    credential: AppliedCredential
    token: Secret | None = None
    allow_commands: bool = False
    memory: AuthMemory = field(default_factory=AuthMemory, compare=False, repr=False)

    @property
    def scheme(self) -> SecurityScheme:
        """Where it goes."""
        return self.credential.scheme

    def resolve(self) -> Secret:
        """The secret itself: a key, a token, or a user and a password."""
        auth = self.credential.auth
        if isinstance(auth, OAuthClient):
            return self.token or PLACEHOLDER_TOKEN
        if isinstance(auth, Basic):
            return Secret(f"{auth.user}:{self.resolve_reference(auth.password).reveal()}")
        return self.resolve_reference(auth) if isinstance(auth, str | Secret) else Secret("")

    def resolve_reference(self, reference: str | Secret) -> Secret:
        """The secret behind a reference."""
        return resolve_secret(reference, allow_commands=self.allow_commands)


@dataclass(frozen=True, slots=True)
class AuthorizeStep:
    """Answered by the request with all its credentials, tokens that were asked for included."""

    request: Request


@dataclass(frozen=True, slots=True)
class DropTokensStep:
    """Forget the access tokens that a request was sent with; answered by whether it had any."""

    request: Request


AuthFlow: TypeAlias = Generator[Request | AuthorizeStep | DropTokensStep, Any, None]
"""Yields a request to send and is answered by its response, as often as it wants; or a step."""


def send_once(request: Request, placing: CredentialPlacement) -> AuthFlow:
    """The flow of a scheme that takes any response for the answer."""
    del placing
    yield request


def authorization_place(scheme: SecurityScheme) -> tuple[str, str]:
    """The place of what goes into the header `Authorization`."""
    del scheme
    return "header", "authorization"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecuritySchemeHandler:
    """
    One kind of security scheme.

    Args:
        matches: Whether a scheme of a document is of this kind.
        accepts: Whether a credential fits it.
        apply: Returns the request with the credential, as it is shown and approved. Nothing is
            sent for it; it may be called again with what it returned.
        auth_flow: What is sent, starting from what `apply` returned.
        place: `(location, name)` of what it adds; names of headers in lower case.
        example: How a credential is written for the command line.
        default_for: The type of credential that is used so where the document has no scheme.
        default: The scheme that it is then used as.
    """

    matches: Callable[[SecurityScheme], bool]
    accepts: Callable[[Auth], bool]
    apply: Callable[[Request, CredentialPlacement], Request]
    auth_flow: Callable[[Request, CredentialPlacement], AuthFlow] = send_once
    place: Callable[[SecurityScheme], tuple[str, str]] = authorization_place
    example: str = "env:NAME"
    default_for: tuple[type, ...] = ()
    default: SecurityScheme | None = None
