"""
The vocabulary of agents: the steps that a loop yields, and the outcomes that come back.

An agent is a generator of steps. It does no I/O: a driver performs each step and sends the outcome
in, so the same loop runs synchronously, asynchronously, in tests and from a journal.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from restwright.calls.result import Result
from restwright.typing import Json, JsonObject

Speaker = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length"]
EventKind = Literal["plan", "select", "call", "response", "feedback", "result", "answer", "note"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """
    Ask the model for one reply.

    Args:
        role: Which part of the agent asks (`planner`, `selector`, `caller`, `parser`, ...).
        messages: The prompt; what changes least stands first, so that its prefix can be cached.
        schema: The reply is one JSON value under this schema; None for free text.
        max_tokens: Cap of the reply.
    """

    role: str
    messages: tuple[Message, ...]
    schema: JsonObject | None = None
    max_tokens: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """
    The model's reply to `Complete`.

    Args:
        text: As it was written.
        input_tokens: Of the prompt; 0 where the provider does not say.
        output_tokens: Of the reply.
        elapsed_s: Seconds the model took.
        finish: `length` when the cap cut it off.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    elapsed_s: float = 0.0
    finish: Finish = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    Call the tool `tool` with checked `arguments`; the outcome is a `Result`.

    Args:
        is_repaired: Whether the model had written them differently.
    """

    tool: str
    arguments: JsonObject
    is_repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Run the model's Python `code` over `body` (JSON text) in the sandbox."""

    code: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What the sandboxed code returned; `error` is set when it failed."""

    value: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """
    Something that happened in a run, for terminals, web pages and traces.

    Args:
        kind: `plan`, `select`, `call`, `response`, `feedback`, `result`, `answer` or `note`.
        text: One line or a few, for people.
        data: The same for programs.
    """

    kind: EventKind
    text: str
    data: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the user what is going on. The outcome is None."""

    event: Event


Step: TypeAlias = Complete | Call | Extract | Say
Outcome: TypeAlias = Completion | Result | Extracted | None
T = TypeVar("T")
Steps: TypeAlias = Generator[Step, Outcome, T]

Stopped = Literal["answered", "limit", "question", "refused", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a loop returns: the answer, or the best partial one, and why it ended."""

    text: str
    stopped: Stopped = "answered"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Counts of one run."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    http_calls: int = 0
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One HTTP call of a run. `status` is None when no response came."""

    tool: str
    method: str
    path: str
    arguments: JsonObject
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    The end of a run, with its trace.

    Args:
        text: The answer, or the best partial one.
        stopped: Why the run ended.
        reason: One line more about it; empty after `answered`.
        steps: What happened, in order, as JSON objects.
    """

    text: str
    stopped: Stopped
    reason: str = ""
    steps: tuple[JsonObject, ...] = field(default=(), repr=False)
    calls: tuple[CallRecord, ...] = ()
    usage: Usage = field(default_factory=Usage)
