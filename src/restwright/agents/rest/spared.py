"""
What a message names to leave it as it is, as a small model says it in a question of its own.

It plans `leave X as it is` as a part of what is done. What it says here narrows a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.provenance import find_quoted
from restwright.agents.steps import Steps
from restwright.jsontypes import JsonObject

_MAX_TOKENS = 120


def spare_named(message: str, reply: JsonObject) -> Steps[JsonObject]:
    """
    Return a plan whose changes of several things leave out what the message does.

    It is asked where the plan itself leaves out nothing: of what it does, a small model would name
    another one too.
    """
    steps = cast("list[JsonObject]", reply["steps"])
    names = [*dict.fromkeys(name.strip() for name in find_quoted(message))]
    is_asked = any(map(_is_of_several, steps)) and not any(step.get("except") for step in steps)
    if not (is_asked and names):
        return reply
    spared = yield from _ask_spared(message, names)
    return {**reply, "steps": [_leave_out(step, spared) for step in steps]}


def _is_of_several(step: JsonObject) -> bool:
    return bool(step["kind"] == "change" and step["quantity"] in {"some", "all"})


def _ask_spared(message: str, names: Sequence[str]) -> Steps[list[str]]:
    choices = {"type": "array", "items": {"enum": [*names]}, "maxItems": len(names)}
    reply = yield from ask(
        "spared",
        render("rest_spared", question=message),
        closed({"spared": choices}),
        max_tokens=_MAX_TOKENS,
    )
    return [str(name) for name in reply["spared"]]


def _leave_out(step: JsonObject, spared: Sequence[str]) -> JsonObject:
    if not spared or not _is_of_several(step):
        return step
    return {**step, "except": [*spared]}
