"""Whether an answer, or a state, is what a query asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Answered, Changed

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
# Each by its first three letters; `sept` is written too.
_MONTH = "|".join(f"{each[:3]}(?:{each[3:]}|t)?" if each[3:] else each for each in _MONTHS)
# `one` is left out: it is more often a pronoun.
_NUMBERS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]


def is_answered(expected: Answered, text: str) -> bool:
    """Whether `text` says what is expected: whole words, in any order, in any spelling of dates."""
    said = normalised(text)
    if any(_holds(said, each) for each in expected.none_of):
        return False
    if not all(_holds_any(said, each) for each in expected.all_of):
        return False
    if expected.any_of and not any(_holds_any(said, each) for each in expected.any_of):
        return False
    return not expected.one_of or any(is_answered(each, text) for each in expected.one_of)


def is_changed(expected: Changed, before: JsonObject, after: JsonObject) -> bool:
    """Whether the state became what was asked for, and nothing else changed."""
    return before != after and expected.is_met(before, after)


def normalised(text: str) -> str:
    """
    Text as it is compared: what is normalised stays as it is when that is done again.

    Lower case, no accents, no punctuation but within numbers, times and paths; dates as
    `2026-01-15` where they are not ambiguous, numbers from two to twenty as digits.
    """
    while (again := _normalise_once(text)) != text:
        text = again
    return text


def _normalise_once(text: str) -> str:
    low = _without_accents(text).lower()
    for pattern, replacement in _RULES:
        low = pattern.sub(replacement, low)
    tokens = [each.strip(".:-") for each in low.split()]
    return " ".join(each for each in tokens if each)


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(each for each in apart if not unicodedata.combining(each))


def _iso(year: str, month: str, day: str) -> str:
    number = next(place for place, each in enumerate(_MONTHS, 1) if each[:3] == month[:3])
    return f"{year}-{number:02}-{int(day):02}"


def _of_digits(found: re.Match[str]) -> str:
    """`15/01/2026` and `01/15/2026`, where one of the two can be no month."""
    first, second, year = int(found[1]), int(found[2]), found[3]
    day, month = (first, second) if first > 12 else (second, first)
    if month > 12 or day > 31 or day <= 12:
        return found[0]
    return f"{year}-{month:02}-{day:02}"


_RULES: tuple[_Rule, ...] = (
    (re.compile(r"&"), " and "),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    # Markdown's emphasis, and names of fields; in paths and ids an underscore means something.
    (re.compile(r"(?<!\S)[^\s/]*_[^\s/]*(?!\S)"), lambda found: found[0].replace("_", " ")),
    (re.compile(r"[^\w./:#-]+"), " "),
    (re.compile(r"(?<=[^\W\d])-(?=[^\W\d])"), " "),
    (re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b"), r"\1"),
    (
        re.compile(rf"\b(\d{{1,2}}) (?:of )?({_MONTH})\.? (?:of )?(\d{{4}})\b"),
        lambda found: _iso(found[3], found[2], found[1]),
    ),
    (
        re.compile(rf"\b({_MONTH})\.? (?:the )?(\d{{1,2}}) (?:of )?(\d{{4}})\b"),
        lambda found: _iso(found[3], found[1], found[2]),
    ),
    (re.compile(r"(?<![\w/.])(\d{4})[/.](\d\d)[/.](\d\d)(?![\w/]|\.\d)"), r"\1-\2-\3"),
    (re.compile(r"(?<![\w/.])(\d\d?)[/.](\d\d?)[/.](\d{4})(?![\w/]|\.\d)"), _of_digits),
    (re.compile(r"\b(\d{4}-\d\d-\d\d)t(?=\d\d:)"), r"\1 "),
    (re.compile(r"(?<![\w.])(\d+)\.(\d*?)0+(?![\w]|\.\d)"), r"\1.\2"),
    (
        re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b"),
        lambda found: str(_NUMBERS.index(found[0]) + 2),
    ),
)


def _holds_any(said: str, texts: Iterable[str]) -> bool:
    return any(_holds(said, each) for each in texts)


def _holds(said: str, text: str) -> bool:
    wanted = normalised(text)
    if not wanted:
        return False
    # A path is also said by a whole URL that ends in it.
    before = "" if wanted.startswith("/") else r"(?<![\w./])"
    return re.search(rf"{before}{re.escape(wanted)}(?![\w/]|\.\d)", said) is not None
