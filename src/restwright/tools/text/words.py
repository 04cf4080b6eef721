"""Words of identifiers and texts: what names, search and producers compare."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# `listOrdersV2` -> list, Orders, V2; `HTTPServer` -> HTTP, Server; `userIDs` -> user, IDs.
_WORD = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+"
    r"|[^\W\d_a-zA-Z]+"
)
_MIN_STEM = 2
# Latin letters that Unicode does not decompose.
_LATIN = str.maketrans({
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ø": "o",
    "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "\u0131": "i",
})  # fmt: skip


@lru_cache(maxsize=65536)
def split_words(text: str) -> tuple[str, ...]:
    """The words of an identifier or a text in lower case, in order, singular where that is easy."""
    return tuple(to_singular(word.lower()) for word in _WORD.findall(text))


def to_singular(word: str) -> str:
    """`word` without its plural ending (`categories` -> `category`); crude, but always the same."""
    if len(word) <= _MIN_STEM or not word.endswith("s") or word.endswith(("ss", "us", "sis")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def fold_to_ascii(text: str) -> str:
    """`text` in ASCII: accents removed, what has no ASCII form left out."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_LATIN))
    return plain.encode("ascii", "ignore").decode()
