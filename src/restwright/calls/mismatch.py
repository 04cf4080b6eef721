"""What a model did wrong, as a value."""

from __future__ import annotations

from dataclasses import dataclass


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
