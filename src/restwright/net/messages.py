"""The two values that cross the network seam."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from restwright.errors import require_type
from restwright.net.secret import Secret, mask_url


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCertificate:
    """
    What a client shows of itself in TLS.

    Args:
        path: A PEM file with the certificate, and with those that signed it.
        key_path: A PEM file with its key; None where that stands in the same file.
        password: Of the key; None where it has none.
    """

    path: str
    key_path: str | None = None
    password: Secret | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    One HTTP request as it will be sent, or a function as it will be called (`function:NAME`).

    Args:
        method: Upper case.
        url: Absolute, percent-encoded once.
        headers: `(name, value)` pairs in sending order; credentials are the last thing added.
        body: The bytes to send; empty for none.
        secret_headers: Names (lower case) whose values are masked wherever the request is shown.
        secrets: The values in it that are shown nowhere, be they in the URL, a header or the body.
        client_certificate: Shown to the server where it asks for one.
        is_named: The user named the origin of `url` (as that of a connection, in a configuration,
            or as the URL of the document), so that it may be this machine or in a private network.
        propagates_trace: The server is told which trace it is a part of, where there is one.
        notes: What whoever approves it should know; not sent.
        batch: All requests of the change that it is a part of, in words; empty for a single one.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    secret_headers: frozenset[str] = frozenset()
    secrets: tuple[Secret, ...] = ()
    client_certificate: ClientCertificate | None = None
    is_named: bool = False
    propagates_trace: bool = False
    notes: tuple[str, ...] = ()
    batch: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("method", "url"):
            require_type(getattr(self, name), str, what=f"`{name}`", wanted="text")
        _require_parts(self.headers, self.body)

    def header(self, name: str) -> str:
        """The first value of header `name`, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    def __repr__(self) -> str:
        return f"Request({self.method} {mask_url(self.url, self.secrets)})"


FUNCTION = "function:"


def is_function_request(request: Request) -> bool:
    """Whether it stands for a function of this process: it is shown and approved, never sent."""
    return request.url.startswith(FUNCTION)


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
        attempts: How often the request went out, or may have, until this came.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)
    # It may hold a key, as the request's does; what is shown of an answer goes by the request.
    url: str = field(default="", repr=False)
    elapsed_s: float = 0.0
    attempts: int = 1

    def __post_init__(self) -> None:
        require_type(self.status, int, what="`status`", wanted="a number such as 200")
        _require_parts(self.headers, self.body)

    def header(self, name: str) -> str:
        """The first value of header `name`, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key == wanted), "")


def _require_parts(headers: object, body: object) -> None:
    wanted = "pairs such as (('accept', 'text/html'),)"
    require_type(headers, (tuple, list), what="`headers`", wanted=wanted)
    require_type(body, bytes, what="`body`", wanted="bytes")


class Send(Protocol):
    """Sends one request as it is, byte for byte."""

    def __call__(self, request: Request) -> Response:
        """
        Return the bounded response, whatever its status.

        Raises:
            NoResponse: None came within the deadline.
            ResponseTooLarge: It was longer than the cap.
        """
        ...
