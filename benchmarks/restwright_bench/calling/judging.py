"""One reply of the model: read, repaired, checked."""

from __future__ import annotations

from dataclasses import dataclass

from restwright.agents.steps import Completion
from restwright.calls.arguments.check import check, parse_arguments, parse_model_arguments
from restwright.calls.arguments.repair import repair_arguments
from restwright.calls.mismatch import Mismatch
from restwright.errors import UnreadableArguments
from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool
from restwright_bench.calling.task import Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    What a reply is worth.

    Args:
        arguments: As they would be sent; None where the reply holds none.
        as_written: Right without lenient reading and without a repair.
        repairs: What was altered.
        mismatches: What is still wrong; nothing for a call that counts.
    """

    arguments: JsonObject | None
    as_written: bool
    repairs: tuple[str, ...]
    mismatches: tuple[Mismatch, ...]


def judged(tool: Tool, completion: Completion, fits: Criterion) -> Judged:
    """Read what the model replied, repair what can be repaired, and check it."""
    if completion.finish == "length":
        got = f"{completion.output_tokens} tokens without an end"
        return _unusable(Mismatch("", "a whole reply", got, "write less"))
    if not completion.text.strip():
        return _unusable(Mismatch("", "one JSON object", "nothing"))
    try:
        value = parse_model_arguments(completion.text).value
    except UnreadableArguments as error:
        return _unusable(Mismatch("", "one JSON object", f"no JSON: {error.why}"[:120]))
    mended = repair_arguments(tool, value)
    wrong = _wrong(tool, mended.arguments, fits)
    return Judged(
        arguments=mended.arguments,
        as_written=not wrong and _is_right_as_written(tool, completion.text, fits),
        repairs=tuple(map(str, mended.repairs)),
        mismatches=wrong,
    )


def _unusable(mismatch: Mismatch) -> Judged:
    return Judged(arguments=None, as_written=False, repairs=(), mismatches=(mismatch,))


def _wrong(tool: Tool, arguments: JsonObject, fits: Criterion) -> tuple[Mismatch, ...]:
    return check(tool, arguments) or tuple(fits(arguments))


def _is_right_as_written(tool: Tool, text: str, fits: Criterion) -> bool:
    try:
        return not _wrong(tool, parse_arguments(text, lenient=False), fits)
    except UnreadableArguments:
        return False
