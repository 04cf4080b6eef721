"""What a command finds around it, which a program that runs commands may give in its place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from restwright.agents.steps import Model
    from restwright.net.messages import Send
    from restwright.workspace.credentials import MakeLogin


class OpenTransport(Protocol):
    """Makes what carries requests, such as `Transport`."""

    def __call__(self, *, timeout_s: float, max_bytes: int) -> AbstractContextManager[Send]:
        """To be closed after use; seconds and bytes of one response."""
        ...


def has_terminal() -> bool:
    """Whether standard input and standard error are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """
    What a command finds around it.

    Args:
        find_model: Finds a model by its name and the URL of its server, each None where it is not
            given; None for the models of Restwright.
        open_transport: None for a `Transport`.
        make_login: How a person logs in; None for the browser of who sits at the terminal.
        is_terminal: Whether a person can be asked.
    """

    find_model: Callable[[str | None, str | None], Model] | None = None
    open_transport: OpenTransport | None = None
    make_login: MakeLogin | None = None
    is_terminal: Callable[[], bool] = has_terminal


_PROCESS = Surroundings()
_CURRENT: ContextVar[Surroundings] = ContextVar("surroundings", default=_PROCESS)


def current_surroundings() -> Surroundings:
    """What the command that runs finds around it."""
    return _CURRENT.get()


@contextmanager
def surrounded(surroundings: Surroundings) -> Generator[None]:
    """Have what runs in the block find `surroundings`."""
    before = _CURRENT.set(surroundings)
    try:
        yield
    finally:
        _CURRENT.reset(before)
