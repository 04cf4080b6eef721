"""
Which names are those of secrets. Whole words count, and what a name ends with: `client_secret` is
one, and `secretary_email`, `secret_recipient` and `X-Authorization-Amount` are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SECRETS = frozenset(
    [
        *("apikey", "credential", "credentials", "passcode", "passphrase", "passwd", "password"),
        *("passwords", "privatekey", "pwd", "secret", "secrets"),
    ]
)
_KEYS = frozenset(["access", "api", "encryption", "private", "secret", "signing"])
_TOKENS = frozenset(["access", "api", "auth", "bearer", "csrf", "refresh", "security", "session"])
# What says which of several secrets it is: `password_confirmation`, `newPassword2`.
_QUALIFIERS = frozenset(
    ["again", "confirm", "confirmation", "current", "hash", "new", "old", "repeat", "value"]
)
_IN_HEADERS = frozenset(["auth", "authenticate", "authentication", "authorization", "cookie"])
_PLACES = frozenset(["continuation", "next", "page"])
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MAX = 200


def is_secret_name(name: str) -> bool:
    """Whether what stands under `name`, in a body or a header, is a secret by that name."""
    words = _split_words(name)
    while words and words[-1] in _QUALIFIERS:
        words.pop()
    if not words:
        return False
    is_pair = _is_pair(words, "key", _KEYS) or _is_pair(words, "token", _TOKENS)
    return is_pair or words[-1] in _SECRETS


def is_hidden_input_name(name: str) -> bool:
    """Whether a person types what stands under `name` without it being shown."""
    return is_secret_name(name) or _split_words(name)[-1:] in (["otp"], ["pin"], ["token"])


def is_secret_header(name: str) -> bool:
    """Whether a header of a response may give access to something, so that no file may keep it."""
    words = _split_words(name)
    is_token = words[-1:] == ["token"] and not (words[:-1] and words[-2] in _PLACES)
    return is_secret_name(name) or is_token or not _IN_HEADERS.isdisjoint(words)


def _is_pair(words: Sequence[str], last: str, before: frozenset[str]) -> bool:
    return len(words) > 1 and words[-1].removesuffix("s") == last and words[-2] in before


def _split_words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name[-_MAX:])]
