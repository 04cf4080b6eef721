"""The two values that cross the network seam."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    One HTTP request as it will be sent.

    Args:
        method: Upper case.
        url: Absolute, percent-encoded once.
        headers: `(name, value)` pairs in sending order; credentials are the last thing added.
        body: The bytes to send; empty for none.
        secret_headers: Names (lower case) whose values are masked wherever the request is shown.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    secret_headers: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"Request({self.method} {self.url})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """
    One HTTP response, read whole and under the size cap.

    Args:
        status: The status code.
        headers: `(name, value)` pairs, names in lower case.
        body: The decoded body.
        url: The URL that answered.
        elapsed_s: Seconds from sending to the last byte.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    url: str = ""
    elapsed_s: float = 0.0

    def header(self, name: str) -> str:
        """The first value of header `name`, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), "")
