"""From the values of --auth to credentials. None of them is a secret, and none is repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from restwright.errors import UsageError

if TYPE_CHECKING:
    from restwright.calls.auth.credentials import Auth
    from restwright.calls.auth.oauth.client import Login

    MakeLogin = Callable[[], Login | None]

# A reference has a colon before any `=` that is in it; the name of a scheme has none.
_SCHEME = re.compile(r"([^=:]+)=(.+)", re.DOTALL)
_TERMINAL_USER = "terminal"
"""Whoever sits at the terminal is one user, whose login is kept from command to command."""


def parse_auth(
    texts: Sequence[str], make_login: MakeLogin | None = None
) -> Auth | Mapping[str, Auth] | None:
    """
    The credentials of one document: one alone, or by scheme.

    Args:
        make_login: How a person logs in with OAuth, made when it is needed; None where nobody can.

    Raises:
        UsageError: One is written in no known form, or two are for one scheme.
    """
    found: dict[str, Auth] = {}
    for text in texts:
        match = _SCHEME.fullmatch(text)
        scheme, value = (match[1], match[2]) if match else ("", text)
        if scheme in found:
            where = f"for the scheme {scheme}" if scheme else "for one document"
            raise UsageError(f"--auth is given twice {where}")
        found[scheme] = _parse_credential(value, make_login)
    return found[""] if [*found] == [""] else found or None


def _parse_credential(text: str, make_login: MakeLogin | None) -> Auth:
    from restwright.calls.auth.credential_text import credential_from_text

    login = make_login() if make_login and text.startswith("oauth:") else None
    try:
        return credential_from_text(text, what="--auth", user=_TERMINAL_USER, login=login)
    except ValueError as error:
        raise UsageError(str(error)) from None
