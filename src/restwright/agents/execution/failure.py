"""What the parts of an agent tell each other and their watchers: failures and events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from restwright.agents.steps import Event, EventKind, Say
from restwright.calls.response.http_errors import strip_model_notice
from restwright.calls.response.result import Result
from restwright.jsontypes import Json
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Failure:
    """
    Why a goal could not be reached.

    Args:
        final: Trying another way would be wrong.
        lacks_id: What a call needs names nothing: no further argument would help.
        stopped: How a run ends by it; `answered` where that it cannot be reached was found out.
    """

    why: str
    final: bool = False
    lacks_id: bool = False
    stopped: Literal["answered", "refused", "question", "error"] = "error"


def say(kind: EventKind, text: str, **data: Json) -> Say:
    """Make the step that tells of an event."""
    return Say(Event(kind, text, data))


def first_line(tool: Tool) -> str:
    """What a tool does, in its first line."""
    return tool.description.split("\n")[0][:160]


def failed(result: Result) -> Failure:
    """Why no other arguments would help, and what would."""
    if result.repairable_by == "user":
        why = strip_model_notice(result.text)
        why += " (only you can mend that: a credential, a right, a payment)"
        return Failure(why, final=True, stopped="question")
    why = strip_model_notice(result.text)
    if result.repairable_by == "waiting":
        seconds = result.retry_after_s
        when = "later" if seconds is None else f"in {seconds:,.0f} seconds"
        why = f"{why} (try again {when})"
    return Failure(why, final=True, stopped="refused" if result.kind == "refused" else "error")
