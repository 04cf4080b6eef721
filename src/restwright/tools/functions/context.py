"""What a function can tell and ask whoever called it, while it runs."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from restwright.errors import Said
from restwright.jsontypes import JsonObject

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """
    A form for the user. It is answered by what they wrote, None where they declined.

    Args:
        text: What they are told.
        schema: JSON Schema of an object of plain values. None of them may be a secret.
    """

    text: str
    schema: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """
    A prompt for the model of who called. It is answered by a text, None where that is refused.

    Args:
        max_tokens: Of the answer.
        system: What the model is told before; empty for nothing.
    """

    prompt: str
    max_tokens: int = 1_000
    system: str = ""


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that who called works in. It is answered by their URIs."""


ClientQuestion: TypeAlias = Form | Sample | Roots


class CallContext:
    """
    Who called a function, for a parameter that is `Annotated[CallContext, Injected]`.

    This one is of calls in a program, which wait for the result alone. Clients of
    `restwright mcp serve` are told and asked.
    """

    def can_ask(self, kind: type[ClientQuestion]) -> bool:
        """Whether questions of this kind reach somebody."""
        del kind
        return False

    async def ask(self, **questions: ClientQuestion) -> dict[str, Any]:
        """
        Ask questions, all at once, and wait for what is answered, by their names.

        Raises:
            Said: Nobody is there who could be asked.
        """
        raise Said(f"nobody can be asked for {', '.join(questions)}")

    async def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell how far it is; `done` grows, up to `total` where that is known."""

    async def log(self, text: str, level: LogLevel = "info") -> None:
        """Tell what happens, to whoever wants to know that much."""

    async def announce_changes(self) -> None:
        """Tell all clients that tools, prompts and resources are to be listed again."""


CALL_CONTEXT: ContextVar[CallContext] = ContextVar("CALL_CONTEXT", default=CallContext())  # noqa: B039
"""Of the call that is made now."""
