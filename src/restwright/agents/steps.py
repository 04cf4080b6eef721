"""
The vocabulary of agents: the steps that a loop yields, and the outcomes that come back.

An agent is a generator of steps. It does no I/O: a driver performs each step and sends the outcome
in, so the same loop runs synchronously, asynchronously, in tests and from a journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from typing import Literal, Protocol, TypeAlias, TypeVar

from restwright.agents.events import Event, EventKind
from restwright.calls.response.result import Result
from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject
from restwright.tools.toolset.meta_tools import ToolCall

__all__ = [
    "Answer",
    "ApprovalDecision",
    "Approve",
    "Attachment",
    "Call",
    "CallExchange",
    "CallRecord",
    "Complete",
    "Completion",
    "Conclusion",
    "Event",
    "EventKind",
    "Extract",
    "ExtractionResult",
    "Gather",
    "Message",
    "MessageRole",
    "NoAnswer",
    "Outcome",
    "Question",
    "RoleUsage",
    "Say",
    "Step",
    "StepListener",
    "Steps",
    "StopReason",
    "Usage",
    "UserAnswer",
    "add_tokens",
]

MessageRole = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """
    An image or another file beside the words of a user.

    Args:
        media_type: Such as `image/png` or `application/pdf`.
        data: Its bytes.
    """

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """
    One message of a prompt.

    Args:
        text: Of a tool, what it gave.
        calls: The tools that the assistant called there, each with an id.
        tool: The name of the tool that speaks.
        call_id: Which call it answers.
        files: Of a user; a model that does not take one refuses the request.
        is_static: It is the same in every run, and so are those before it: a model may keep what
            it made of them. No part of what the message says.

    Calls, and messages of tools, are for models whose `calls_tools` is true.
    """

    speaker: MessageRole
    text: str
    calls: tuple[ToolCall, ...] = ()
    tool: str = ""
    call_id: str = ""
    files: tuple[Attachment, ...] = ()
    is_static: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """
    Ask the model for one reply.

    Args:
        role: Which part of the agent asks (`planner`, `selector`, `caller`, `parser`, ...).
        messages: The prompt; what changes least stands first, so that its prefix can be cached.
        schema: The reply is one JSON value under this schema; None for free text.
        max_tokens: Cap of the reply.
        tools: `{"name", "description", "parameters"}` of each tool that the model may call in place
            of a text; only for a model whose `calls_tools` is true.
        temperature: From 0, where the likeliest words are taken, to 2.
    """

    role: str
    messages: tuple[Message, ...]
    schema: JsonObject | None = None
    max_tokens: int = 256
    tools: tuple[JsonObject, ...] = ()
    temperature: float = 0.0


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
        calls: The tools of `Complete.tools` that the model calls, in its order; their arguments are
            as it wrote them, which may be JSON text.
        model: Which one answered, and
        id: of its reply; both empty where the provider does not say.
        cache_read_tokens: Of `input_tokens`, those that a cache of the provider had.
        cache_write_tokens: Of `input_tokens`, those that were put into it.
        reasoning_tokens: Of `output_tokens`, those of thoughts.
        first_s: Seconds until its first piece was told; 0 where it was not told in pieces.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    elapsed_s: float = 0.0
    finish: FinishReason = "stop"
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    id: str = ""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    first_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """
    Call the tool `tool` with checked `arguments`; the outcome is a `Result`.

    Args:
        is_repaired: Whether the model had written them differently.
        id: By which the model knows the call; empty where it gave none.
        notes: What whoever approves it should know, such as which values are the model's own.
        batch: All calls of the change that it is a part of, in words; empty for a single one.
    """

    tool: str
    arguments: JsonObject
    is_repaired: bool = False
    id: str = ""
    notes: tuple[str, ...] = ()
    batch: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Run the model's Python `code` over `body` (JSON text) in the sandbox."""

    code: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionResult:
    """What the sandboxed code returned; `error` is set when it failed."""

    value: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """
    Ask whether `tool` may be called with `arguments`; the outcome is `ApprovalDecision`.

    A `Call` asks by itself. This is for a loop that wants to know before it goes on.
    """

    tool: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecision:
    """
    The word on one exact request.

    Args:
        arguments: What to call with: those asked about, with an idempotency key where the document
            declares one. A `Call` with others is asked about again.
        why: Of a no; empty otherwise.
    """

    is_allowed: bool
    arguments: JsonObject
    why: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """
    Ask the user for what nobody else can know; the outcome is `UserAnswer` or `NoAnswer`.

    Args:
        text: As it is put to the user.
        tool: Which tool needs it; empty for none.
        schema: Of the answer, as JSON Schema; None for free text.
        name: What it is asked for, such as the name of an input; prepared answers go by it.
    """

    text: str
    tool: str = ""
    schema: JsonObject | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """What the user said: text, or a JSON value where the question has a schema."""

    value: Json


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody could or would answer; a loop stops with `question` then."""

    why: str


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the user what is going on. The outcome is None."""

    event: Event


@dataclass(frozen=True, slots=True)
class Gather:
    """
    Perform several steps together; the outcome is the tuple of their outcomes, in their order.

    Calls that only read, and extractions, go on at the same time. With anything else among them
    they are performed one after another.
    """

    steps: tuple[Step, ...]


Step: TypeAlias = Complete | Call | Extract | Approve | Question | Say | Gather
Outcome: TypeAlias = (
    Completion
    | Result
    | ExtractionResult
    | ApprovalDecision
    | UserAnswer
    | NoAnswer
    | tuple["Outcome", ...]
    | None
)
StepListener: TypeAlias = Callable[[JsonObject, Outcome], Awaitable[None] | None]
"""
Told of each entry of `Answer.steps`, with the outcome of a step that ended by it; None for others.

One that is asynchronous is for the asynchronous entries.
"""
T = TypeVar("T")
Steps: TypeAlias = Generator[Step, Outcome, T]

StopReason = Literal["answered", "limit", "question", "refused", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """
    What a loop returns: the answer, or the best partial one, and why it ended.

    Args:
        error: As of `Answer`.
    """

    text: str
    stopped: StopReason = "answered"
    reason: str = ""
    error: RestwrightError | None = None


TOKEN_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
"""The counts that a `Completion`, a `RoleUsage` and a `Usage` have."""


def add_tokens(*counted: Completion | RoleUsage | Usage) -> dict[str, int]:
    """Sum what several of them count, as `{name of TOKEN_COUNTS: tokens}`."""
    return {name: sum(getattr(item, name) for item in counted) for name in TOKEN_COUNTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleUsage:
    """What one part of an agent used of the model; the tokens are those of `Usage`."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    elapsed_s: float = 0.0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """
    Counts of one run. Tokens are 0 where the provider does not say.

    Args:
        input_tokens: Of prompts.
        output_tokens: Of replies.
        cost: US dollars that the model cost; None where its price is not known.
        roles: The same for each part of the agent (`planner`, `selector`, ...).
        apis: HTTP calls to each API, by namespace.
        cache_read_tokens: Of `input_tokens`, those that a cache of the provider had.
        cache_write_tokens: Of `input_tokens`, those that were put into it.
        reasoning_tokens: Of `output_tokens`, those of thoughts.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    http_calls: int = 0
    elapsed_s: float = 0.0
    cost: float | None = None
    roles: Mapping[str, RoleUsage] = field(default_factory=dict[str, RoleUsage])
    apis: Mapping[str, int] = field(default_factory=dict[str, int])
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A call that a run made. `status` is None where no response came."""

    tool: str
    method: str
    path: str
    arguments: JsonObject
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallExchange:
    """A call that a run made, in the way of `Answer.messages()`: what a model reads of it."""

    tool: str
    arguments: JsonObject
    text: str
    ok: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    The end of a run, with its trace.

    Args:
        text: The answer, or the best partial one.
        stopped: Why the run ended.
        reason: One line more about it; empty after `answered`.
        steps: What happened, in order, as JSON objects.
        calls: Those that were made; one that was refused or did not fit is among `steps` alone.
        session: By which it can be taken up again; empty where no journal was kept.
        error: What was raised and ended the run: ours, or a `StepFailed` whose `__cause__` it is.
            Its words may hold what those of the answer do not.
        question: What was asked.
        exchanges: What `messages()` tells of the calls.
    """

    text: str
    stopped: StopReason
    reason: str = ""
    steps: tuple[JsonObject, ...] = field(default=(), repr=False)
    calls: tuple[CallRecord, ...] = ()
    usage: Usage = field(default_factory=Usage)
    session: str = ""
    error: RestwrightError | None = field(default=None, repr=False)
    question: str = field(default="", repr=False)
    exchanges: tuple[CallExchange, ...] = field(default=(), repr=False)
    _id: str = field(default_factory=partial(token_hex, 6), compare=False, repr=False)

    def messages(self, provider: str = "openai") -> list[JsonObject]:
        """
        Return what was asked, called and answered, as the messages of a provider.

        They are for a loop of one's own, and for the `history` of another run. Results are
        shortened, and marked as data as those of a toolbox are.

        Args:
            provider: As of `Toolbox.for_()`: `openai`, `openai-responses`, `anthropic`, `gemini`,
                `ollama`...

        Raises:
            UnknownDialect: There is no such provider.
        """
        from restwright.tools.wires import wire_named

        wire = wire_named(provider)
        messages = [wire.write_asked(self.question)]
        for number, made in enumerate(self.exchanges, 1):
            # Providers want ids that no other call of the conversation has.
            call = ToolCall(made.tool, made.arguments, f"call_{self._id}_{number}")
            reply = wire.write_reply(call, made.text, not made.ok)
            messages += [*wire.write_said("", [call]), *wire.wrap([reply])]
        text = self.text or self.reason
        return [*messages, *(wire.write_said(text, ()) if text else ())]


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
