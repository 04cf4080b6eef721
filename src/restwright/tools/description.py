"""What a model reads about an operation."""

from __future__ import annotations

import re
import unicodedata

from restwright.openapi.model import Operation

MAX_CHARS = 1024

_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n\s*\n\s*")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n\n")
# Cc and Cf are the control, zero-width, bidirectional and tag characters; Co and Cs print nothing.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Co", "Cs"})


def describe(operation: Operation) -> str:
    """
    The summary, then the description unless it begins with the same words.

    Returns:
        At most 1,024 characters, cut at the end of a sentence; without control characters.
        Where the document says nothing, the method and path.
    """
    summary, description = printable(operation.summary), printable(operation.description)
    if _bare(description).startswith(_bare(summary)):
        summary = ""
    text = "\n\n".join(part for part in (summary, description) if part)
    if not text:
        text = printable(f"{operation.method.upper()} {operation.path}")
    return shortened(text, MAX_CHARS)


def printable(text: str) -> str:
    """`text` without characters that show nothing or change the direction of what follows."""
    kept = "".join(
        each
        for each in text
        if each.isprintable() or each in "\n\t" or unicodedata.category(each) not in _UNPRINTABLE
    )
    return _BLANK_LINES.sub("\n\n", _BLANKS.sub(" ", kept)).strip()


def shortened(text: str, max_chars: int) -> str:
    """`text` cut at the end of a sentence, or of a word where the first sentence is too long."""
    if len(text) <= max_chars:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, max_chars)]
    if ends and ends[-1] > max_chars // 3:
        return text[: ends[-1]].rstrip()
    kept, _, _ = text[: max_chars - 1].rpartition(" ")
    return (kept or text[: max_chars - 1]).rstrip() + "\u2026"


def _bare(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())
