"""Mismatches as text that a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from restwright.calls.mismatch import Mismatch, pointer_from_path
from restwright.calls.schema_words import preview_json
from restwright.calls.truncate import shorten_line
from restwright.errors import require_type
from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.references import split_pointer

FeedbackFormat = Literal["lines", "json"]

MAX_LINES = 20
MAX_CHARS = 2_000
_MAX_LINE_CHARS = 400
_MAX_SUMMARIZED = 3
_MAX_BODY_CHARS = MAX_CHARS - 300
_REPEATED_MARK = "again: "
_REPEATED_NOTE = (
    "What is marked `again` was wrong in the last call too: write something else there."
)


def feedback(
    tool_name: str,
    mismatches: Sequence[Mismatch],
    *,
    form: FeedbackFormat = "lines",
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
    require_type(tool_name, str, what="`tool_name`", wanted="text, such as `tool.name`")
    for name, told in {"mismatches": mismatches, "repeated": repeated}.items():
        _require_mismatches(told, name)
    if form not in _FORMATTERS:
        raise ValueError(f"form={form!r} is not one of {', '.join(map(repr, _FORMATTERS))}")
    same = {(mismatch.pointer, mismatch.expected) for mismatch in repeated}
    marks = {
        mismatch: _REPEATED_MARK
        for mismatch in mismatches
        if (mismatch.pointer, mismatch.expected) in same
    }
    head = f"{shorten_line(tool_name, 100)} was not called. Fix these and call it again:"
    last = [_REPEATED_NOTE] if marks else []
    return "\n".join([head, *_FORMATTERS[form](mismatches, arguments, marks), *last])


def _require_mismatches(told: Sequence[object], name: str) -> None:
    wanted = "a sequence of `Mismatch`, as `check()` gives"
    require_type(told, (list, tuple), what=f"`{name}`", wanted=wanted)
    for item in told:
        require_type(item, Mismatch, what=f"`{name}`", wanted=wanted)


def summarize_mismatches(mismatches: Sequence[Mismatch]) -> str:
    """Return what was wrong with a call for the user, who is not to mend it: in one short text."""
    told = "; ".join(
        shorten_line(
            f"{mismatch.pointer or '/'}: expected {mismatch.expected}, got {mismatch.got}", 200
        )
        for mismatch in mismatches[:_MAX_SUMMARIZED]
    )
    more = (
        f"; and {len(mismatches) - _MAX_SUMMARIZED} more"
        if len(mismatches) > _MAX_SUMMARIZED
        else ""
    )
    return f"the arguments do not fit: {told}{more}"


_Marks = Mapping[Mismatch, str]


def _format_lines(
    mismatches: Sequence[Mismatch], _: Json, marks: _Marks, room: int = _MAX_BODY_CHARS
) -> list[str]:
    lines: list[str] = []
    for mismatch in mismatches[:MAX_LINES]:
        line = shorten_line(f"{marks.get(mismatch, '')}{mismatch}", _MAX_LINE_CHARS)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(mismatches) - len(lines)
    return [*lines, f"... and {left} more"] if left else lines


def _format_json(mismatches: Sequence[Mismatch], arguments: Json, marks: _Marks) -> list[str]:
    told, others = mismatches[:MAX_LINES], mismatches[MAX_LINES:]
    lines, untold = annotate_json(arguments, told, marks, max_chars=_MAX_BODY_CHARS)
    room = _MAX_BODY_CHARS - sum(len(line) + 1 for line in lines)
    return ["```json", *lines, "```", *_format_lines([*untold, *others], None, marks, room)]


_FORMATTERS: Mapping[FeedbackFormat, Callable[[Sequence[Mismatch], Json, _Marks], list[str]]] = {
    "lines": _format_lines,
    "json": _format_json,
}


_MAX_COMMENT = 300
_MAX_CORRECT = 5


def annotate_json(
    value: Json, mismatches: Sequence[Mismatch], marks: Mapping[Mismatch, str], *, max_chars: int
) -> tuple[list[str], list[Mismatch]]:
    """
    Print a value as JSON with a comment on each line that is wrong.

    What is right is printed in short, or counted. A missing property gets a line of its own.

    Args:
        marks: What is said before some of the comments.

    Returns:
        The lines, and the mismatches that none of them tells.
    """
    page = _JsonAnnotator(_group_by_pointer(mismatches), _ancestor_pointers(mismatches), marks)
    lines: list[str] = []
    told: set[str] = set()
    room = max_chars
    for line, pointer in page.render(value, (), ""):
        room -= len(line) + 1
        if lines and room < 0:
            lines.append("...")
            break
        lines.append(line)
        told |= {pointer} if pointer is not None else set()
    return lines, [mismatch for mismatch in mismatches if mismatch.pointer not in told]


def _group_by_pointer(mismatches: Sequence[Mismatch]) -> dict[str, list[Mismatch]]:
    found: dict[str, list[Mismatch]] = {}
    for mismatch in mismatches:
        found.setdefault(mismatch.pointer, []).append(mismatch)
    return found


def _ancestor_pointers(mismatches: Sequence[Mismatch]) -> frozenset[str]:
    """The pointers of all that holds a mismatch."""
    paths = [split_pointer(mismatch.pointer) for mismatch in mismatches]
    return frozenset(pointer_from_path(path[:end]) for path in paths for end in range(len(path)))


_Line = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class _JsonAnnotator:
    wrong: Mapping[str, list[Mismatch]]
    ancestors: frozenset[str]
    marks: Mapping[Mismatch, str]

    def render(self, value: Json, path: tuple[str | int, ...], name: str) -> Iterator[_Line]:
        """The lines of a value, each with the pointer whose mismatches it tells."""
        pointer = pointer_from_path(path)
        indent, comma = "  " * len(path), "," if path else ""
        comment = self._comment(pointer)
        if pointer not in self.ancestors or not (is_object(value) or is_array(value)):
            yield f"{indent}{name}{preview_json(value)}{comma}{comment}", pointer
            return
        opening, closing = ("{", "}") if is_object(value) else ("[", "]")
        yield f"{indent}{name}{opening}{comment}", pointer
        yield from self._render_members(value, path)
        yield f"{indent}{closing}{comma}", None

    def _render_members(self, value: Json, path: tuple[str | int, ...]) -> Iterator[_Line]:
        members = value.items() if is_object(value) else enumerate(value)
        right = left = 0
        for key, each in members:
            pointer = pointer_from_path((*path, key))
            is_right = pointer not in self.wrong and pointer not in self.ancestors
            right += is_right
            if is_right and right > _MAX_CORRECT:
                left += 1
                continue
            name = f"{preview_json(key)}: " if is_object(value) else ""
            yield from self.render(each, (*path, key), name)
        indent = "  " * (len(path) + 1)
        if left:
            yield f"{indent}// {left} more that are right", None
        yield from self._render_missing(value, path, indent)

    def _render_missing(
        self, value: Json, path: tuple[str | int, ...], indent: str
    ) -> Iterator[_Line]:
        parent = pointer_from_path(path)
        for pointer, found in self.wrong.items():
            name = (split_pointer(pointer) or ("",))[-1]
            is_here = pointer and pointer.rpartition("/")[0] == parent
            is_there = is_object(value) and name in value
            if is_here and not is_there and found[0].got == "nothing":
                yield f"{indent}{preview_json(name)}: <missing>,{self._comment(pointer)}", pointer

    def _comment(self, pointer: str) -> str:
        text = "; ".join(self._describe(mismatch) for mismatch in self.wrong.get(pointer, ()))
        return f" // {shorten_line(text, _MAX_COMMENT)}" if text else ""

    def _describe(self, mismatch: Mismatch) -> str:
        hint = f" ({mismatch.hint})" if mismatch.hint else ""
        return f"{self.marks.get(mismatch, '')}expected {mismatch.expected}{hint}"
