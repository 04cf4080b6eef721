"""
The names that a message has in no quotation marks, for a small model.

It translates, splits and loses what nothing marks as a name. Which words are names the model says;
code sees that they stand in the message, and that they are no words of the API for what it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.provenance import (
    NUMBER,
    QUOTED,
    UNSPACED,
    is_word_boundary,
)
from restwright.agents.rest.query import is_day
from restwright.agents.steps import Steps
from restwright.errors import UnusableReply
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.search.analysis import tokenize_text
from restwright.tools.search.stop_words import STOP_WORDS
from restwright.tools.toolset import match_tools

_MAX_NAMES = 8
_LEAST_CHARS, _MAX_CHARS = 2, 80
_MAX_OPERATIONS = 200
"""By whose words it is told what kinds of things are called; of more, those found alone."""
_MAX_FOUND = 12
_NAME: JsonObject = {"type": "string", "minLength": _LEAST_CHARS, "maxLength": _MAX_CHARS}
_REPLY = closed({"names": {"type": "array", "items": _NAME, "maxItems": _MAX_NAMES}})
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()\u2026\uff1f\uff01"
_SIGNS = re.compile(r"[\W_]+")
_COMMON = frozenset(word for words in STOP_WORDS.values() for word in words)


def quote_names(message: str, catalog: Catalog) -> Steps[str]:
    """
    Put the names of a message into quotation marks where the user has not.

    Where no reply can be used it stays as it is, and so does one that quotes something and has
    nothing besides that is written as names are.
    """
    if not _may_have_names(message):
        return message
    places = iter(range(1, len(message)))
    told = QUOTED.sub(lambda _: f"\u2018N{next(places)}\u2019", message)
    try:
        reply = yield from ask(
            "names", render("rest_names", question=told), _REPLY, max_tokens=30 * _MAX_NAMES
        )
    except UnusableReply:
        return message
    kinds = _list_kinds(message, catalog)
    names = (_without_kind(name.strip(), kinds) for name in reply["names"])
    return quote_each(message, {name for name in names if _is_name(name)})


def _may_have_names(message: str) -> bool:
    """Whether a message quotes nothing, or has a word beside that is written as names are."""
    plain = QUOTED.sub(" ", message)
    if plain == message:
        return True
    first, *words = _WORD.findall(UNSPACED.sub(" ", plain)) or [""]
    # A sentence begins with a capital letter.
    first = first.lower() if message.startswith(first) else first
    return any(map(_is_marked, (first, *words)))


def _is_marked(word: str) -> bool:
    """Whether a word has a sign or a digit within, or a capital letter."""
    inner = word.strip(_AROUND)
    return (not inner.isalpha() and any(map(str.isalpha, inner))) or inner != inner.lower()


def _is_name(name: str) -> bool:
    """Whether a text can stand in quotation marks as a name: no number is one, and no time."""
    is_quotable = QUOTED.fullmatch(f"\u2018{name}\u2019") is not None
    return is_quotable and NUMBER.fullmatch(name) is None and not is_day(name)


def _list_kinds(message: str, catalog: Catalog) -> frozenset[str]:
    """The words of the operations that a message may be about, as a search has them."""
    names = [*catalog.names]
    if len(names) > _MAX_OPERATIONS:
        names = [one.name for one in match_tools(message, catalog, _MAX_FOUND)]
    tools = [catalog[name] for name in names]
    texts = [f"{tool.operation_name} {tool.operation.path}" for tool in tools]
    return frozenset(tokenize_text(" ".join(texts)))


def _without_kind(name: str, kinds: Set[str]) -> str:
    """A name without the words before it for what it is the name of; empty for those alone."""
    words = name.split()
    while words and {*tokenize_text(words[0])} <= kinds:
        words = words[1:]
    return " ".join(words)


def list_marked(message: str) -> list[str]:
    """
    The words in no quotation marks that have a sign or a digit within and no capital letter.

    Words that a language joins, as in `est-ce`, are none: one of their parts is in most texts.
    """
    words = (word.strip(_AROUND) for word in _WORD.findall(QUOTED.sub(" ", message)))
    marked = (
        word for word in words if word == word.lower() and _is_marked(word) and _is_name(word)
    )
    return [word for word in marked if not _COMMON & {*_SIGNS.split(word)}]


def quote_each(message: str, names: Iterable[str]) -> str:
    """A message with each name in quotation marks wherever it stands in none."""
    parts: list[str] = []
    end = 0
    for quoted in QUOTED.finditer(message):
        parts += [_quote_plain(message[end : quoted.start()], names), quoted[0]]
        end = quoted.end()
    return "".join((*parts, _quote_plain(message[end:], names)))


def _quote_plain(text: str, names: Iterable[str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    if not longest:
        return text

    def quote(found: re.Match[str]) -> str:
        is_whole = is_word_boundary(text, found.start()) and is_word_boundary(text, found.end())
        return f"\u2018{found[0]}\u2019" if is_whole else found[0]

    return re.sub("|".join(map(re.escape, longest)), quote, text)
