"""
The tokens of texts and identifiers, the same for what is indexed and for what is asked.

A word is split where its identifier says so, freed of accents, and stemmed by the rules of its
language. What is written without spaces becomes overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from restwright.tools.search.stop_words import DEFAULT_LANGUAGE

MAX_TOKEN = 64
"""Characters of a token; what is longer is no word."""

# Scripts without spaces between words: kana, Han, Hangul, Thai, Lao, Khmer, Burmese.
_UNSPACED = (
    r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    r"\uac00-\ud7af\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\U00020000-\U0002fa1f々〆"
)
# `listOrdersV2` -> list, Orders, V2; `HTTPServer` -> HTTP, Server; `IDs` -> IDs.
_PIECE = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    r"|[A-Z]{2,}s(?![a-z])"
    r"|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+[a-zA-Z]*"
    rf"|[^\W\d_a-zA-Z{_UNSPACED}]+"
)
_LATIN = str.maketrans({
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ø": "o",
    "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "\u0131": "i", "İ": "I",
})  # fmt: skip
# All but white space and the punctuation of ASCII; apostrophe and underscore are parts of words.
_CHUNK = re.compile(r"[^\s\x00-&(-/:-@\[-^`{-\x7f]+")
_APOSTROPHE = re.compile(r"(?<=[a-zA-Z])['\u2019](?=(?:s|t|re|ve|ll|d|m)\b)")
_LATIN_MARK = re.compile(r"(?<=[a-zA-Z])[\u0300-\u036f]+")


def strip_accents(text: str) -> str:
    """`text` without the accents of Latin letters; compatibility forms in their plain form."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_LATIN))
    # Other scripts keep their marks: `й` is not `и`, and `が` is not `か`.
    return unicodedata.normalize("NFC", _LATIN_MARK.sub("", apart))


def plain_words(text: str) -> Iterator[str]:
    """The words of a text in lower case, without accents; unspaced text in pairs."""
    for piece in _PIECE.finditer(_APOSTROPHE.sub(" ", strip_accents(text))):
        word = piece[0]
        if piece["unspaced"]:
            yield from _split_pairs(word)
        elif len(word) <= MAX_TOKEN:
            yield word.lower()


def _split_pairs(text: str) -> Iterator[str]:
    if len(text) == 1:
        yield text
    for first, second in pairwise(text):
        yield first + second


@cache
def stemmer_for(language: str) -> Callable[[str], str]:
    """Return what makes a stem of a word in lower case; a word itself where there are no rules."""
    # It has no types.
    snowball: Any = import_module("Stemmer")
    if language not in snowball.algorithms():
        return lambda word: word
    made = snowball.Stemmer(language, 0)
    stem_word: Callable[[str], str] = made.stemWord
    plural = _PLURALS_IN_S.get(language)
    kept: dict[str, str] = {}

    def stem(word: str) -> str:
        found = kept.get(word)
        if found is None:
            if len(kept) >= _MAX_STEMS:
                kept.clear()
            found = _IRREGULAR.get(word) or stem_word(word) or word
            if plural is not None and found == word and plural.search(word):
                found = stem_word(word[:-1]) or word
            kept[word] = found
        return found

    return stem


_MAX_STEMS = 200_000
# Snowball leaves an `s` behind these vowels: `photos`, `menus`, `Autos`. The stems of German words
# such as `Haus`, `Preis` and `kostenlos` end so.
_PLURALS_IN_S: Mapping[str, re.Pattern[str]] = {
    "french": re.compile(r"..[aiouy]s$"),
    "german": re.compile(r".[^l]os$|..ys$"),
}
# Plurals that English rules do not reach.
_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "ids": "id",
}


# Operations of an API return the same things.
@lru_cache(maxsize=4096)
def tokenize_text(text: str, language: str = DEFAULT_LANGUAGE) -> tuple[str, ...]:
    """The tokens of a text of a document in `language`, in order; stop words are kept."""
    kept = _chunk_tokens(language)
    found: list[str] = []
    for chunk in _CHUNK.findall(strip_accents(text)):
        known = kept.get(chunk)
        if known is None:
            known = _remember_tokens(kept, chunk, language)
        found += known
    return tuple(found)


@cache
def _chunk_tokens(language: str) -> dict[str, tuple[str, ...]]:
    """`{what stands between spaces and punctuation: its tokens}`; documents repeat themselves."""
    del language
    return {}


def _remember_tokens(
    kept: dict[str, tuple[str, ...]], chunk: str, language: str
) -> tuple[str, ...]:
    stem = stemmer_for(language)
    found = tuple(stem(word) for word in plain_words(chunk))
    if len(kept) >= _MAX_STEMS:
        kept.clear()
    if len(chunk) <= MAX_TOKEN:
        kept[chunk] = found
    return found
