"""
Search by words, documented: how a text finds a name, and in which order what is found comes.

A text finds a name when each of its words begins a word of the name, whatever the case, accents and
punctuation; articles count neither here nor there. Where nothing is found so, a word of at least
`LEAST_LETTERS` letters may be wrong by one letter: one too many, one missing, another one, or two
changed about. First comes the name that is the text itself, then the most popular one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

LEAST_LETTERS = 5
ARTICLES = frozenset(("a", "an", "the"))

T = TypeVar("T")


def found(
    rows: Iterable[T], text: str, *, name: Callable[[T], str], rank: Callable[[T], float]
) -> list[T]:
    """
    Rows whose names a text finds.

    Args:
        rank: The greater, the earlier.
    """
    wanted = words_of(text)
    if not wanted:
        return []
    named = [(row, words_of(name(row))) for row in rows]
    for matches in (str.startswith, is_nearly):
        fit = [(row, words) for row, words in named if _fits(wanted, words, matches)]
        if fit:
            order = sorted(fit, key=lambda each: (each[1] != wanted, -rank(each[0])))
            return [row for row, _ in order]
    return []


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """Words as they are compared: no case, accents, punctuation or articles."""
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)
    )
    every = re.findall(r"\w+", plain.casefold().replace("'", ""))
    return tuple(each for each in every if each not in ARTICLES) or tuple(every)


def is_nearly(word: str, wanted: str) -> bool:
    """Whether a word begins with what is wanted, give or take one letter."""
    if word.startswith(wanted):
        return True
    return len(wanted) >= LEAST_LETTERS and _is_one_off(word, wanted)


def _fits(wanted: Sequence[str], words: Sequence[str], matches: Callable[[str, str], bool]) -> bool:
    return all(any(matches(word, each) for word in words) for each in wanted)


def _is_one_off(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    rest_a, rest_b = short[start:], long[start:]
    return rest_a[1:] == rest_b[1:] or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
