"""Mismatches as text that a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from restwright.calls.arguments.annotated import annotated
from restwright.calls.mismatch import Mismatch
from restwright.calls.truncate import one_line
from restwright.errors import require
from restwright.typing import Json

Form = Literal["lines", "json"]

MAX_LINES = 20
MAX_CHARS = 2_000
_MAX_LINE = 400
_COMPLAINTS = 3
_ROOM = MAX_CHARS - 300
_AGAIN = "again: "
_REPEATED = "What is marked `again` was wrong in the last call too: write something else there."


def feedback(
    tool_name: str,
    mismatches: Sequence[Mismatch],
    *,
    form: Form = "lines",
    arguments: Json = None,
    repeated: Sequence[Mismatch] = (),
) -> str:
    """
    Return what was wrong with a call, most relevant first, in about 2,000 characters at most.

    Args:
        form: `lines` has one line a mismatch; `json` prints the arguments with a comment on each
            line that is wrong. At most 20 mismatches are told, and how many others there are.
        arguments: What the model gave; only for `json`.
        repeated: The mismatches of the call before; those that are the same are told as such.

    Raises:
        WrongType: The name is no text, or what is told is no sequence of mismatches.
        ValueError: There is no such form.
    """
    require(tool_name, str, what="`tool_name`", wanted="text, such as `tool.name`")
    for name, told in {"mismatches": mismatches, "repeated": repeated}.items():
        _require_mismatches(told, name)
    if form not in _FORMS:
        raise ValueError(f"form={form!r} is not one of {', '.join(map(repr, _FORMS))}")
    same = {(each.pointer, each.expected) for each in repeated}
    marks = {each: _AGAIN for each in mismatches if (each.pointer, each.expected) in same}
    head = f"{one_line(tool_name, 100)} was not called. Fix these and call it again:"
    last = [_REPEATED] if marks else []
    return "\n".join([head, *_FORMS[form](mismatches, arguments, marks), *last])


def _require_mismatches(told: Sequence[object], name: str) -> None:
    wanted = "a sequence of `Mismatch`, as `check()` gives"
    require(told, (list, tuple), what=f"`{name}`", wanted=wanted)
    for each in told:
        require(each, Mismatch, what=f"`{name}`", wanted=wanted)


def complaint(mismatches: Sequence[Mismatch]) -> str:
    """Return what was wrong with a call for the user, who is not to mend it: in one short text."""
    told = "; ".join(
        one_line(f"{each.pointer or '/'}: expected {each.expected}, got {each.got}", 200)
        for each in mismatches[:_COMPLAINTS]
    )
    more = f"; and {len(mismatches) - _COMPLAINTS} more" if len(mismatches) > _COMPLAINTS else ""
    return f"the arguments do not fit: {told}{more}"


_Marks = Mapping[Mismatch, str]


def _as_lines(
    mismatches: Sequence[Mismatch], _: Json, marks: _Marks, room: int = _ROOM
) -> list[str]:
    lines: list[str] = []
    for each in mismatches[:MAX_LINES]:
        line = one_line(f"{marks.get(each, '')}{each}", _MAX_LINE)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(mismatches) - len(lines)
    return [*lines, f"... and {left} more"] if left else lines


def _as_json(mismatches: Sequence[Mismatch], arguments: Json, marks: _Marks) -> list[str]:
    told, others = mismatches[:MAX_LINES], mismatches[MAX_LINES:]
    lines, untold = annotated(arguments, told, marks, max_chars=_ROOM)
    room = _ROOM - sum(len(line) + 1 for line in lines)
    return ["```json", *lines, "```", *_as_lines([*untold, *others], None, marks, room)]


_FORMS: Mapping[Form, Callable[[Sequence[Mismatch], Json, _Marks], list[str]]] = {
    "lines": _as_lines,
    "json": _as_json,
}
