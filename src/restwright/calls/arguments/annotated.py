"""Arguments as JSON in which each line that is wrong says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from restwright.calls.mismatch import Mismatch
from restwright.calls.mismatches import pointer_to
from restwright.calls.schema_words import shown
from restwright.calls.truncate import one_line
from restwright.openapi.references import tokens_of
from restwright.typing import Json, is_array, is_object

_MAX_COMMENT = 300
_KEPT = 5


def annotated(
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
    page = _Page(_by_pointer(mismatches), _above(mismatches), marks)
    lines: list[str] = []
    told: set[str] = set()
    room = max_chars
    for line, pointer in page.printed(value, (), ""):
        room -= len(line) + 1
        if lines and room < 0:
            lines.append("...")
            break
        lines.append(line)
        told |= {pointer} if pointer is not None else set()
    return lines, [each for each in mismatches if each.pointer not in told]


def _by_pointer(mismatches: Sequence[Mismatch]) -> dict[str, list[Mismatch]]:
    found: dict[str, list[Mismatch]] = {}
    for each in mismatches:
        found.setdefault(each.pointer, []).append(each)
    return found


def _above(mismatches: Sequence[Mismatch]) -> frozenset[str]:
    """The pointers of all that holds a mismatch."""
    paths = [tokens_of(each.pointer) for each in mismatches]
    return frozenset(pointer_to(path[:end]) for path in paths for end in range(len(path)))


_Line = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class _Page:
    wrong: Mapping[str, list[Mismatch]]
    above: frozenset[str]
    marks: Mapping[Mismatch, str]

    def printed(self, value: Json, path: tuple[str | int, ...], name: str) -> Iterator[_Line]:
        """The lines of a value, each with the pointer whose mismatches it tells."""
        pointer = pointer_to(path)
        indent, comma = "  " * len(path), "," if path else ""
        comment = self._comment(pointer)
        if pointer not in self.above or not (is_object(value) or is_array(value)):
            yield f"{indent}{name}{shown(value)}{comma}{comment}", pointer
            return
        opening, closing = ("{", "}") if is_object(value) else ("[", "]")
        yield f"{indent}{name}{opening}{comment}", pointer
        yield from self._members(value, path)
        yield f"{indent}{closing}{comma}", None

    def _members(self, value: Json, path: tuple[str | int, ...]) -> Iterator[_Line]:
        members = value.items() if is_object(value) else enumerate(value)
        right = left = 0
        for key, each in members:
            pointer = pointer_to((*path, key))
            is_right = pointer not in self.wrong and pointer not in self.above
            right += is_right
            if is_right and right > _KEPT:
                left += 1
                continue
            name = f"{shown(key)}: " if is_object(value) else ""
            yield from self.printed(each, (*path, key), name)
        indent = "  " * (len(path) + 1)
        if left:
            yield f"{indent}// {left} more that are right", None
        yield from self._missing(value, path, indent)

    def _missing(self, value: Json, path: tuple[str | int, ...], indent: str) -> Iterator[_Line]:
        parent = pointer_to(path)
        for pointer, found in self.wrong.items():
            name = (tokens_of(pointer) or ("",))[-1]
            is_here = pointer and pointer.rpartition("/")[0] == parent
            is_there = is_object(value) and name in value
            if is_here and not is_there and found[0].got == "nothing":
                yield f"{indent}{shown(name)}: <missing>,{self._comment(pointer)}", pointer

    def _comment(self, pointer: str) -> str:
        text = "; ".join(self._said(each) for each in self.wrong.get(pointer, ()))
        return f" // {one_line(text, _MAX_COMMENT)}" if text else ""

    def _said(self, mismatch: Mismatch) -> str:
        hint = f" ({mismatch.hint})" if mismatch.hint else ""
        return f"{self.marks.get(mismatch, '')}expected {mismatch.expected}{hint}"
