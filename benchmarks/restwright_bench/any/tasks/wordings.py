"""Questions from templates, in four languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from restwright.jsontypes import Json
from restwright.tools.text.words import to_singular
from restwright_bench.any.fields import humanise
from restwright_bench.any.tasks.task import (
    Case,
    FieldName,
    Language,
    Slot,
    Things,
    Value,
    day_of,
)

NEVER_READ = 2
"""The wording that is never read while prompts are written."""
FURTHER = range(NEVER_READ + 1, NEVER_READ + 4)
"""Wordings for development alone, more varied than the first two."""

_QUOTES: Mapping[Language, tuple[str, str]] = {
    "en": ("“", "”"),
    "fr": ("« ", " »"),
    "de": ("„", "“"),
    "ja": ("「", "」"),
}
_YES: Mapping[Language, tuple[str, str]] = {
    "en": ("no", "yes"),
    "fr": ("non", "oui"),
    "de": ("nein", "ja"),
    "ja": ("いいえ", "はい"),
}
MONTHS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    "fr": (
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    "de": (
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    "ja": tuple(f"{number}月" for number in range(1, 13)),
}


@cache
def _templates(file: str) -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads(
        files("restwright_bench.any.tasks").joinpath(file).read_text(encoding="utf-8")
    )


def word(case: Case, language: Language, wording: int) -> str:
    """Put a case in words."""
    file, first = _file_of(wording)
    texts = _templates(file)[case.template][language]
    slots = {name: say(slot, language) for name, slot in case.slots.items()}
    text = texts[wording - first].format(**slots)
    return text if language == "ja" else text[0].upper() + text[1:]


def _file_of(wording: int) -> tuple[str, int]:
    """The file that a wording is in, and the number of the first one there."""
    if wording in FURTHER:
        return "wordings_further.toml", FURTHER.start
    if wording == NEVER_READ:
        return "wordings_never_read.toml", NEVER_READ
    return "wordings.toml", 0


def say(slot: Slot, language: Language) -> str:
    """One slot in words."""
    if isinstance(slot, Things):
        return _SAY_THINGS[language](slot)
    if isinstance(slot, FieldName):
        return slot.said if language == "en" else quote(slot.said, language)
    if isinstance(slot, Value):
        return say_value(slot, language)
    joined = "、" if language == "ja" else ", "
    pairs = (f"{say(name, language)} {say_value(value, language)}" for name, value in slot.pairs)
    return joined.join(pairs)


def say_value(slot: Value, language: Language) -> str:
    """A value: yes or no, a day in words, a number, else in quotation marks."""
    value = slot.value
    if isinstance(value, bool):
        return _YES[language][value]
    if isinstance(value, int | float):
        return say_number(value)
    if slot.is_in_words:
        day = day_of(value)
        return say_day(str(value), language) if day else humanise(str(value))
    return quote(str(value), language)


def say_number(value: float) -> str:
    """Digits and a point, as all four languages read them."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def say_day(value: str, language: Language) -> str:
    """The day of a date in words, such as `3 March 2027`."""
    day = day_of(value)
    if day is None:
        return value
    month = MONTHS[language][day.month - 1]
    forms: Mapping[Language, str] = {
        "en": f"{day.day} {month} {day.year}",
        "fr": f"{day.day} {month} {day.year}",
        "de": f"{day.day}. {month} {day.year}",
        "ja": f"{day.year}年{month}{day.day}日",
    }
    return forms[language]


def quote(text: str, language: Language) -> str:
    """A text in the quotation marks of the language."""
    opened, closed = _QUOTES[language]
    return f"{opened}{text}{closed}"


def singular(noun: str) -> str:
    """The noun of one thing."""
    *before, last = humanise(noun).split() or [noun]
    one = f"{last[:-3]}f" if last.endswith("lves") else to_singular(last)
    return " ".join([*before, one])


def plural(noun: str) -> str:
    """The noun of several things, for paths that have it for one: `connector` -> `connectors`."""
    said = humanise(noun)
    if to_singular(said.split()[-1]) != said.split()[-1] or said.endswith("s"):
        return said
    return f"{said[:-1]}ies" if re.search(r"[^aeiou]y$", said) else f"{said}s"


def _english(slot: Things) -> str:
    inside = f" of the {singular(slot.scope[0])} {quote(slot.scope[1], 'en')}" if slot.scope else ""
    if slot.name:
        return f"the {singular(slot.noun)} {quote(slot.name, 'en')}{inside}"
    return f"{plural(slot.noun)}{inside}"


def _european(language: Language, inside: str) -> Callable[[Things], str]:
    def say_things(slot: Things) -> str:
        scope = ""
        if slot.scope:
            scope = f" {inside} {singular(slot.scope[0])} {quote(slot.scope[1], language)}"
        if slot.name:
            return f"{singular(slot.noun)} {quote(slot.name, language)}{scope}"
        return f"{humanise(slot.noun)}{scope}"

    return say_things


def _japanese(slot: Things) -> str:
    scope = f"{singular(slot.scope[0])}{quote(slot.scope[1], 'ja')}の" if slot.scope else ""
    if slot.name:
        return f"{scope}{singular(slot.noun)}{quote(slot.name, 'ja')}"
    return f"{scope}{humanise(slot.noun)}"


_SAY_THINGS: Mapping[Language, Callable[[Things], str]] = {
    "en": _english,
    "fr": _european("fr", "dans"),
    "de": _european("de", "in"),
    "ja": _japanese,
}


def said_forms(value: Json) -> tuple[str, ...]:
    """Every way in which an answer may say a value that is no number."""
    if isinstance(value, bool):
        return (str(value).lower(), *(pair[value] for pair in _YES.values()))
    text = str(value)
    day = day_of(value)
    if day is None:
        return (text, humanise(text)) if re.search(r"[_A-Z-]", text) else (text,)
    digits = (
        *(day.isoformat(), f"{day.day}.{day.month}.{day.year}", f"{day:%d.%m.%Y}"),
        *(f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}", f"{day.year}/{day.month}/{day.day}"),
    )
    english = MONTHS["en"][day.month - 1]
    words = (
        *(say_day(text, language) for language in _QUOTES),
        *(f"{english} {day.day}, {day.year}", f"{english} {day.day} {day.year}"),
        f"{english} {day.day}{_ordinal(day.day)}, {day.year}",
    )
    return (*digits, *words)


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
