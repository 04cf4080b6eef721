"""What a handler is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from restwright.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """
    A request as it arrives.

    Args:
        path: Below the API's prefix, still percent-encoded.
        query: Name and value, decoded, in the order they came in.
        headers: Names in lower case.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    A request that was let in and fits the document; values have the types of their schemas.

    Args:
        template: The path as the document writes it.
        query: Defaults of the document filled in.
    """

    method: str
    template: str
    path: Mapping[str, Json]
    query: Mapping[str, Json]
    body: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    What comes back.

    Args:
        body: JSON; None for none.
        media_type: As which the body is declared.
        cut: Only so many bytes of the body are sent; None for all.
        delay_s: Seconds until it is sent.
    """

    status: int = 200
    body: Json = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    media_type: str = "application/json"
    cut: int | None = None
    delay_s: float = 0.0

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        return b"" if self.body is None else orjson.dumps(self.body)[: self.cut]


class Refused(Exception):
    """
    A handler cannot do what it is asked, such as for an id that leads to nothing.

    Args:
        status: 400 to 499.
        reason: One sentence.
        headers: What is said beside the body, such as `Retry-After`.
    """

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, headers or {}


class State(Protocol):
    """The data of one API. It changes by what handlers do to it, and by nothing else."""

    def snapshot(self) -> JsonObject:
        """Everything that calls can change, as JSON; equal for equal states."""
        ...


Handler = Callable[..., Answer]
"""`(state, asked) -> answer`."""

Handlers = Mapping[tuple[str, str], Handler]
"""`{(method in upper case, template): handler}`."""
