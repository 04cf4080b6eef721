"""What a model reads of a call: what an API said is marked as data, what we say stands beside."""

from __future__ import annotations

from http import HTTPStatus

from restwright.agents.spotlighting import mark_data_from
from restwright.calls.response.result import Result, shorten_json
from restwright.jsontypes import Json
from restwright.tools.tool import Tool

_NEXT_MOVES = {
    "model": "Correct the arguments and call it again.",
    "user": "Only the user can mend that: tell them.",
    "waiting": "Another try may work later.",
}
_EFFECTS = {
    "unknown": "Whether it took effect is not known: look before you call it again.",
    "done": "It took effect: do not call it again.",
}


def describe_value(name: str, value: Json, max_chars: int, *, schema: Json = None) -> str:
    """
    A value as data of a tool, in about `max_chars` characters.

    Args:
        schema: What the document says of it.
    """
    return mark_data_from(name, shorten_json(value, max_chars, schema=schema))


def describe_result(tool: Tool, result: Result, *, is_write: bool, max_chars: int) -> str:
    """What came of a call of `tool`."""
    name = tool.name
    if result.ok:
        done = f"{name} was {_say_done(result)}" if is_write else ""
        if result.value is None:
            return f"{done or f'{name} was answered'}; the response is empty."
        value = describe_value(name, result.value, max_chars, schema=tool.output)
        return f"{done}.\n{value}" if done else value
    is_ours = result.error is None and not result.has_server_text
    if is_ours and result.kind != "no_response":
        return result.text
    told = mark_data_from(name, result.text)
    after = " ".join(filter(None, (_EFFECTS.get(result.effect, ""), _say_next_move(result))))
    return f"{name} failed.\n{told}\n{after}".rstrip()


def _say_done(result: Result) -> str:
    is_accepted = result.status == HTTPStatus.ACCEPTED
    return "accepted, and is not known to be finished" if is_accepted else "done"


def _say_next_move(result: Result) -> str:
    # What must not be repeated is not said to be.
    if result.effect != "none" or result.repairable_by is None:
        return ""
    move = _NEXT_MOVES[result.repairable_by]
    wait_s = result.retry_after_s
    return f"{move} The API asks to wait {wait_s:g} seconds." if wait_s else move
