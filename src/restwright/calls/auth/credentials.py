"""The kinds of credentials that a connection may have; every one shows no secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from restwright.calls.auth.oauth.client import OAuthClient
from restwright.net.secret import MASK, Secret
from restwright.net.secret_references import is_secret_reference, require_secret_reference

NO_CREDENTIAL = "none"
"""In place of a credential: send nothing, whatever the document requires."""


@dataclass(frozen=True, slots=True)
class Basic:
    """
    A user and a password (RFC 7617).

    Args:
        user: Shown.
        password: A reference to it, or a `Secret`.
    """

    user: str
    password: str | Secret

    def __post_init__(self) -> None:
        require_secret_reference(self.password, what="`password`")

    def __repr__(self) -> str:
        return f"Basic({self.user!r}, {mask_reference(self.password)!r})"


@dataclass(frozen=True, slots=True)
class Certificate:
    """
    A client certificate for mutual TLS.

    Args:
        path: A PEM file with the certificate.
        key_path: A PEM file with its key; None where that stands in the same file.
        password: A reference to the password of the key, or a `Secret`.
    """

    path: str
    key_path: str | None = None
    password: str | Secret | None = None

    def __post_init__(self) -> None:
        if self.password is not None:
            require_secret_reference(self.password, what="`password`")

    def __repr__(self) -> str:
        password = self.password and mask_reference(self.password)
        return f"Certificate({self.path!r}, {self.key_path!r}, {password!r})"


Auth: TypeAlias = str | Secret | Basic | Certificate | OAuthClient
"""Text is a reference: `env:NAME`, `file:PATH`, `keyring:NAME` or `cmd:COMMAND`."""


def require_auth(auth: object) -> None:
    """
    Refuse what is no credential. Never shows it.

    Raises:
        WrongType: It is none.
    """
    if auth != NO_CREDENTIAL and not isinstance(auth, Basic | Certificate | OAuthClient):
        others = ", a `Secret`, `Basic`, `Certificate`, `OAuthClient` or 'none'"
        require_secret_reference(auth, what="`auth`", others=others)


def mask_reference(reference: str | Secret) -> str:
    """`reference` as it may be shown: a secret in its place is masked."""
    is_shown = isinstance(reference, str) and (
        reference == NO_CREDENTIAL or is_secret_reference(reference)
    )
    return str(reference) if is_shown else MASK
