"""What a run has done so far, as a model reads it: in few characters, and marked as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from restwright.agents.spotlighting import mark_data_from
from restwright.calls.response.result import Result, shorten_json
from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Tool

LATEST = 2_000
"""Characters of a result, as long as they are few."""

ROOM = 8_000
"""Characters of all results together, but for what each has at least."""

_LEAST = 200
_MOST_ARGUMENTS, _MOST_NAMED = 300, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """
    One call that was answered.

    Args:
        tool: Its name; of a tool about tools too.
        value: What came back.
        is_fact: Whether an API said it, and so something that the user may be told.
        is_accepted: Whether it was only taken in, to be done later (202).
    """

    tool: str
    arguments: JsonObject
    value: Json
    is_write: bool = False
    is_fact: bool = True
    is_accepted: bool = False

    def __str__(self) -> str:
        return called(self.tool, self.arguments)


def done_by(tool: Tool, arguments: JsonObject, result: Result, *, is_write: bool) -> Done:
    """What a call that succeeded has done."""
    return Done(
        tool=tool.name,
        arguments=arguments,
        value=result.value,
        is_write=is_write,
        is_accepted=is_write and result.status == HTTPStatus.ACCEPTED,
    )


def called(tool: str, arguments: JsonObject) -> str:
    """A call in a line, its arguments shortened."""
    return f"{tool} {shorten_json(arguments, _MOST_NAMED)}" if arguments else tool


def told(done: Sequence[Done], *, room: int = ROOM) -> str:
    """What was done, oldest first, of which the least is told; empty where there is nothing."""
    texts: list[str] = []
    for each in reversed(done):
        allowed = max(min(LATEST, room), _LEAST)
        text = shorten_json(each.value, allowed)
        room -= len(text)
        exchange = _exchange(each.tool, each.arguments, text)
        texts.append(f"{each.tool} was called{_effect(each, ', and it is ')}:\n{exchange}")
    return "\n".join(reversed(texts))


def told_error(tool: str, arguments: JsonObject, text: str) -> str:
    """A call that an API answered with an error, in its words."""
    return f"{tool} was called, and failed:\n{_exchange(tool, arguments, text)}"


def told_again(tool: str, arguments: JsonObject) -> str:
    """A call that failed before, and is made again with the same arguments."""
    return told_held(tool, arguments, "called again with what failed before, so it was not sent")


def told_held(tool: str, arguments: JsonObject, why: str) -> str:
    """A call that was not made, and that may be made yet."""
    text = mark_data_from(tool, f"arguments: {shorten_json(arguments, _MOST_ARGUMENTS)}")
    return f"{tool} was {why}:\n{text}"


def facts(done: Sequence[Done]) -> str:
    """What APIs said, for the best partial answer of a run that ended early."""
    return "\n".join(_fact(each) for each in done if each.is_fact)


def _fact(done: Done) -> str:
    effect = f" ({said})" if (said := _effect(done)) else ""
    is_told = not (done.is_write and done.value is None)
    return f"- {done}{effect}" + (f": {shorten_json(done.value, 600)}" if is_told else "")


def _effect(done: Done, before: str = "") -> str:
    """What a write has done; empty for a read."""
    if not done.is_write:
        return ""
    said = "accepted, and not known to be finished" if done.is_accepted else "done"
    return f"{before}{said}"


def _exchange(tool: str, arguments: JsonObject, text: str) -> str:
    # What a model gave may repeat what it has read.
    return mark_data_from(
        tool, f"arguments: {shorten_json(arguments, _MOST_ARGUMENTS)}\nresult: {text}"
    )
