"""
Words written as one, in the languages that write them so.

German `Bild` stands in `Bildersuche`, and `Rechnungsnummer` is about `Rechnungen`. No dictionary
is needed: the words that the documents use tell where a word may be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

COMPOUNDING_LANGUAGES = frozenset({"german", "dutch", "swedish", "danish", "norwegian"})
"""Their documents and questions write several nouns as one word."""

_MIN_PART = 4
_MIN_REST = 3


def may_begin_compound(token: str) -> bool:
    """Whether a stem is long enough to tell words that begin with it."""
    return len(token) >= _MIN_PART and token.isalpha()


def split_compound(token: str, is_known: Callable[[str], bool]) -> Iterator[str]:
    """
    Yield the longest beginning and the longest end of a stem that are words of their own.

    Args:
        is_known: Whether a stem is one that the documents use.
    """
    if not token.isalpha():
        return
    beginnings = (token[:end] for end in range(len(token) - _MIN_REST, _MIN_PART - 1, -1))
    ends = (token[start:] for start in range(_MIN_REST, len(token) - _MIN_PART + 1))
    for parts in (beginnings, ends):
        found = next((part for part in parts if is_known(part)), None)
        if found is not None:
            yield found
