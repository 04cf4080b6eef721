"""What a model did wrong, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from restwright.calls.schema_words import preview_json
from restwright.calls.violation import Violation
from restwright.jsontypes import Json


@dataclass(frozen=True, slots=True)
class Mismatch:
    """
    One place where arguments and schema disagree.

    Args:
        pointer: JSON Pointer into the arguments; empty for the whole.
        expected: What the schema asks for, in words.
        got: What is there, shortened to 80 characters; `nothing` where it is missing.
        hint: The next move; may be empty.
    """

    pointer: str
    expected: str
    got: str
    hint: str = ""

    def __str__(self) -> str:
        line = f"{self.pointer or '/'}: expected {self.expected}, got {self.got}"
        return f"{line} ({self.hint})" if self.hint else line


__all__ = ["mismatches_from_violations", "pointer_from_path", "preview_json"]


def pointer_from_path(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of `path` (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def mismatches_from_violations(faults: Iterable[Violation]) -> tuple[Mismatch, ...]:
    """The mismatches that faults stand for, each once."""
    found = (
        Mismatch(pointer_from_path(fault.path), fault.expected, fault.got, fault.hint)
        for fault in faults
    )
    return tuple(dict.fromkeys(found))


def mismatch_for_non_object(arguments: Json) -> Mismatch:
    """What is wrong with the arguments of a call that are no object."""
    hint = "give the object itself, not its text" if isinstance(arguments, (str, bytes)) else ""
    return Mismatch("", "an object", preview_json(arguments), hint)
