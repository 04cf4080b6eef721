"""A chat with agents of manifests, whatever kind these are of: what slash commands work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from restwright.jsontypes import JsonObject
from restwright.manifests.session.session import ManifestSession


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """
    What a command came to.

    Args:
        text: For the user.
        message: What is to be said to who listens; empty for nothing.
        more: What is said next, one after another.
        is_end: Whether the chat is over.
        is_ok: Whether it did what was asked.
    """

    text: str = ""
    message: str = ""
    more: tuple[str, ...] = ()
    is_end: bool = False
    is_ok: bool = True


@dataclass(frozen=True, slots=True)
class FunctionView:
    """Something that an agent can call, as it is shown."""

    name: str
    description: str
    parameters: JsonObject


class Stage(Protocol):
    """A session, and where its agents came from."""

    session: ManifestSession
    saved: list[JsonObject]
    """Chats that may be taken up again, latest last."""
    is_verbose: bool
    """Whether the chat shows what goes on."""

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        ...

    @property
    def manifest_sets(self) -> Mapping[str, str]:
        """`{set of agents that can be switched to: its folder}`."""
        ...

    def prompt(self) -> str | None:
        """What who listens is told; None for nothing."""
        ...

    def functions(self) -> tuple[FunctionView, ...]:
        """What who listens can call."""
        ...

    def manifest(self, agent: str) -> str | None:
        """The text of an agent's manifest, with what is doubtful; None where there is no such."""
        ...

    def reload(self, *, set_name: str = "", agent: str = "") -> None:
        """
        Read the manifests again, or another set of them, and begin anew.

        Raises:
            RestwrightError: They cannot be used; everything stays as it was.
        """
        ...

    def choose_model(self, name: str) -> bool:
        """
        Ask another model from now on; False where none can be chosen.

        Raises:
            RestwrightError: There is no such model; the one before stays.
        """
        ...

    def run_test(self, name: str) -> JsonObject | None:
        """The autotest of a name; None where there is none."""
        ...
