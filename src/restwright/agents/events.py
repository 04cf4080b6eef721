"""
What happens in a run, as values: all that terminals, web pages and traces are told.

Every kind of event is in one table here. An event has words for people and the same for programs;
no credential is in either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, TypedDict

from restwright.calls.result import Result
from restwright.calls.security import masked
from restwright.net.message import Request
from restwright.typing import Json, JsonObject

EventKind = Literal[
    "plan",
    "select",
    "question",
    "approval",
    "call",
    "response",
    "feedback",
    "result",
    "answer",
    "note",
]

MEANINGS: Mapping[EventKind, str] = MappingProxyType(
    {
        "plan": "a part of the task, in words",
        "select": "a tool is chosen; `tool`, and those it was chosen from in `offered`",
        "question": "the user is asked; `name`, `tool`",
        "approval": "the user has approved a write, or refused it; `tool`, `is_allowed`",
        "call": (
            "a request is about to be sent, or a function (`function:NAME`) to run;"
            " `method`, `url`, `headers`, `body`, masked"
        ),
        "response": "what came back; `outcome`, `status`",
        "feedback": "what a model is told that did something wrong; `tool`, `is_mismatch`",
        "result": "what was found; `value`",
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
        kind: One of `MEANINGS`.
        text: One line or a few, for people.
        data: The same for programs.
    """

    kind: EventKind
    text: str
    data: JsonObject = field(default_factory=dict[str, Json])

    def record(self) -> EventRecord:
        """Return it as a JSON object."""
        return {"kind": self.kind, "text": self.text, "data": self.data}


Listener: TypeAlias = Callable[[Event], None]


def to_all(*listeners: Listener | None) -> Listener:
    """Return a listener that passes each event on to all of these, in their order."""
    present = [each for each in listeners if each is not None]

    def listen(event: Event) -> None:
        for each in present:
            each(event)

    return listen


def call_event(request: Request) -> Event:
    """Tell that `request` is about to be sent, without its secrets."""
    shown = masked(request)
    return Event("call", f"{shown['method']} {shown['url']}", shown)


def response_event(result: Result) -> Event:
    """Tell what came back."""
    if result.response is None:
        return Event("response", result.text, {"outcome": result.kind})
    size = len(result.response.body)
    text = f"{result.response.status}, {size:,} bytes in {result.response.elapsed_s * 1000:.0f} ms"
    return Event("response", text, {"outcome": result.kind, "status": result.status})
