"""Responses that are too long for a result, kept for a while for whoever made the call."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

MAX_RESULTS = 64
"""Kept at the same time; the oldest goes first."""
MAX_BYTES = 64_000_000
"""Of all that is kept."""
PREFIX = "restwright://results/"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """
    One response.

    Args:
        user: Who alone may read it; empty where nobody had to say who they are.
    """

    user: str
    media_type: str
    body: bytes = field(repr=False)


@dataclass(slots=True)
class KeptResults:
    """Responses by a URI that cannot be guessed."""

    _by_uri: dict[str, KeptResult] = field(default_factory=dict[str, KeptResult])

    def keep(self, result: KeptResult) -> str:
        """Keep a response, and return its URI; empty where it is too long to be kept."""
        if len(result.body) > MAX_BYTES:
            return ""
        uri = f"{PREFIX}{secrets.token_urlsafe(18)}"
        self._by_uri[uri] = result
        while len(self._by_uri) > MAX_RESULTS or self._size > MAX_BYTES:
            del self._by_uri[next(iter(self._by_uri))]
        return uri

    def find(self, uri: str, user: str) -> KeptResult | None:
        """The response of `uri`; None where there is none, or it is another user's."""
        found = self._by_uri.get(uri)
        return found if found is not None and found.user == user else None

    @property
    def _size(self) -> int:
        return sum(len(result.body) for result in self._by_uri.values())
