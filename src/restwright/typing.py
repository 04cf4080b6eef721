"""Aliases for JSON, and the Protocols whose values users bring."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from restwright.agents.steps import Complete, Completion
    from restwright.net.messages import Request, Response
    from restwright.tools.tool import Tool

Json: TypeAlias = Any
"""Any JSON value as `json.loads` returns it."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""


def is_object(value: Json) -> TypeGuard[JsonObject]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Json) -> TypeGuard[Sequence[Json]]:
    """Whether `value` is a JSON array; a tuple counts as one."""
    return isinstance(value, (list, tuple))


class Model(Protocol):
    """
    A language model. Runs that go on together ask it from several threads at the same time.

    One that takes `Complete.tools` says so by an attribute `calls_tools`, which is true. One that
    decides several things in one reply well says so by an attribute `is_small`, which is false.
    One that can tell its reply while it writes has a method `stream` besides: as `complete`, with
    an argument `tell` that is called with each piece of the text.
    """

    @property
    def name(self) -> str:
        """The name it was chosen by, such as `local` or `openai:gpt-5`."""
        ...

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """
        Answer `request` within `deadline_s` seconds.

        Raises:
            ModelUnavailable: It cannot be reached or loaded.
            LimitReached: The deadline passed.
        """
        ...


class AsyncModel(Protocol):
    """A `Model` whose `complete` is awaited, and `stream` too; for the asynchronous entries."""

    @property
    def name(self) -> str:
        """The name it was chosen by."""
        ...

    def complete(self, request: Complete, *, deadline_s: float) -> Awaitable[Completion]:
        """Answer as that of a `Model`; it is cancelled where nobody waits for it any more."""
        ...


AnyModel: TypeAlias = Model | AsyncModel


class Retrieve(Protocol):
    """Fetches the bytes behind a URL. All network reads of documents go through one of these."""

    def __call__(self, url: str) -> bytes:
        """
        Return the body behind `url`.

        Raises:
            DocumentUnavailable: There is none.
        """
        ...


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


class Scorer(Protocol):
    """Ranks tools for a query: one score a tool, the higher the better, 0 for no match."""

    def __call__(self, query: str, tools: Sequence[Tool]) -> Sequence[float]:
        """Return as many scores as there are tools, in their order."""
        ...
