"""From the arguments that a model wrote to checked ones, or to what it is told of them instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from restwright.calls.arguments.check import parse_arguments
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.calls.arguments.repair import Repair
from restwright.calls.mismatch import Mismatch
from restwright.errors import UnreadableArguments
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCall:
    """A call whose arguments fit; of a tool that a human fills in too, the model's part of them."""

    tool: Tool
    arguments: JsonObject = field(repr=False)
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedCall:
    """
    A call whose arguments do not fit.

    Args:
        arguments: As far as they could be repaired; None where they are no JSON object.
        text: What the model is told.
    """

    tool: Tool
    arguments: JsonObject | None = field(repr=False)
    text: str
    mismatches: tuple[Mismatch, ...] = ()


def read_call_arguments(given: Json) -> JsonObject | None:
    """Arguments as an object, whether written as one or as its text; None where they are none."""
    if isinstance(given, str):
        try:
            return parse_arguments(given)
        except UnreadableArguments:
            return None
    return {} if given is None else given if is_object(given) else None


def check_tool_call(
    tool: Tool, given: Json, *, repeated: Sequence[Mismatch] = ()
) -> CheckedCall | RejectedCall:
    """
    Read, repair and check what a model wrote as the arguments of `tool`.

    Args:
        given: An object or its text; None for no arguments.
        repeated: What was wrong with the call before, which is told as such.
    """
    arguments = read_call_arguments(given)
    if arguments is None:
        text = f"{tool.name} was not called: its arguments are not a JSON object."
        return RejectedCall(tool=tool, arguments=None, text=text)
    mended = repair_model_arguments(tool, arguments)
    mismatches = check_model_arguments(tool, mended.arguments)
    if mismatches:
        text = feedback(tool.name, mismatches, repeated=repeated)
        return RejectedCall(tool=tool, arguments=mended.arguments, text=text, mismatches=mismatches)
    return CheckedCall(tool=tool, arguments=mended.arguments, repairs=mended.repairs)
