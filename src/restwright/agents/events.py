"""
What happens in a run, as values: all that terminals, web pages and traces are told.

Every kind of event is in one table here. An event has words for people and the same for programs;
no credential is in either.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, TypedDict, TypeVar

from restwright.calls.auth.connection import mask_request
from restwright.calls.response.redact import mask_value
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject
from restwright.net.callbacks import await_callback_result
from restwright.net.messages import Request

T = TypeVar("T")

EventKind = Literal[
    "plan",
    "select",
    "question",
    "approval",
    "call",
    "response",
    "refusal",
    "feedback",
    "result",
    "words",
    "answer",
    "note",
]

EVENT_MEANINGS: Mapping[EventKind, str] = MappingProxyType(
    {
        "plan": "a part of the task, in words; of a step of `rest`, its `type` and `quantity`",
        "select": "a tool is chosen; `tool`, and those it was chosen from in `offered`",
        "question": "the user is asked; `name`, `tool`",
        "approval": "the user has approved a write, or refused it; `tool`, `is_allowed`",
        "call": (
            "a request is about to be sent, or a function (`function:NAME`) to run; `tool`, `id` of"
            " the call, `method`, `url`, `headers`, `body`, masked; a call that needs a token first"
            " has several"
        ),
        "response": "what came back of a call; `tool`, `id`, `outcome`, `status`",
        "refusal": "a call was not made, and why; `tool`, `id`, `outcome`",
        "feedback": "what a model is told that did something wrong; `tool`, `is_mismatch`",
        "result": "what was found; `value`",
        "words": "a piece of the answer, in a stream alone; `reply`, the wording that it is of",
        "answer": "the words for the user",
        "note": "anything else worth knowing",
    }
)
"""What each kind tells, and the names in its `data`."""


class EventRecord(TypedDict):
    """An event as JSON, for a web page or a log."""

    kind: EventKind
    text: str
    data: JsonObject


@dataclass(frozen=True, slots=True)
class Event:
    """
    Something that happened in a run, for terminals, web pages and traces.

    Args:
        kind: One of `EVENT_MEANINGS`.
        text: One line or a few, for people.
        data: The same for programs.
    """

    kind: EventKind
    text: str
    data: JsonObject = field(default_factory=dict[str, Json])

    def record(self) -> EventRecord:
        """Return it as a JSON object."""
        return {"kind": self.kind, "text": self.text, "data": self.data}


Listener: TypeAlias = Callable[[Event], Awaitable[None] | None]
"""Told of each event. One that is asynchronous is for the asynchronous entries."""


def combine_listeners(
    *listeners: Callable[[T], Awaitable[None] | None] | None, name: str = "on_event"
) -> Callable[[T], None]:
    """
    Return a listener that passes what it is told on to all of these, in their order.

    Args:
        name: Of the listener, as users know it.
    """
    present = [listener for listener in listeners if listener is not None]

    def listen(told: T) -> None:
        for item in present:
            await_callback_result(item(told), name)

    return listen


def call_event(request: Request, *, tool: str, id: str, hidden: Sequence[str] = ()) -> Event:  # noqa: A002
    """
    Tell that `request` is about to be sent, without its secrets.

    Args:
        tool: Which is called.
        id: Of the call; what comes of it has the same.
        hidden: Texts that are no credentials, and are not told either.
    """
    shown = mask_request(request)
    text, data = mask_value([f"{shown['method']} {shown['url']}", shown], tuple(hidden))
    return Event("call", text, {"tool": tool, "id": id, **data})


def end_event(result: Result, *, tool: str, id: str) -> Event:  # noqa: A002
    """Tell what came of a call: a response, none, or that it was not made."""
    data: JsonObject = {"tool": tool, "id": id, "outcome": result.kind}
    if not result.was_attempted:
        return Event("refusal", result.text, data)
    if result.response is None:
        return Event("response", result.text, data)
    size = len(result.response.body)
    text = f"{result.response.status}, {size:,} bytes in {result.response.elapsed_s * 1000:.0f} ms"
    return Event("response", text, {**data, "status": result.status})
