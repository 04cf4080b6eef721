"""Whether an answer, or a state, is what a query asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from restwright.typing import JsonObject
from restwright_bench.queries.query import Answered, Changed

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_TRAILING_ZEROS = re.compile(r"(\d\.\d*?)0+\b")
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) (?:of )?({'|'.join(_MONTHS)}) (\d{{4}})\b")
_MONTH_FIRST = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}}) (\d{{4}})\b")


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
    """Lower case, no accents, no punctuation but in numbers and paths, dates as `2026-01-15`."""
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)
    )
    low = _THOUSANDS.sub("", plain.lower())
    low = _ORDINAL.sub(r"\1", low)
    low = re.sub(r"[^\w./:#-]+", " ", low.replace("_", " ") if "/" not in low else low)
    low = _DAY_FIRST.sub(lambda found: _iso(found[3], found[2], found[1]), low)
    low = _MONTH_FIRST.sub(lambda found: _iso(found[3], found[1], found[2]), low)
    low = _TRAILING_ZEROS.sub(lambda found: found[1].rstrip("."), low)
    return " ".join(each.strip(".:-") for each in low.split() if each.strip(".:-"))


def _iso(year: str, month: str, day: str) -> str:
    return f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}"


def _holds_any(said: str, texts: Iterable[str]) -> bool:
    return any(_holds(said, each) for each in texts)


def _holds(said: str, text: str) -> bool:
    wanted = normalised(text)
    if not wanted:
        return False
    # A path may stand behind a host, as a picture's does.
    before = "" if wanted.startswith("/") else r"(?<![\w./])"
    return re.search(rf"{before}{re.escape(wanted)}(?![\w/]|\.\d)", said) is not None
