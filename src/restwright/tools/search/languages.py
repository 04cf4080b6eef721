"""Which language a document is written in, told by its letters and its most common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from restwright.tools.search.analysis import plain_words
from restwright.tools.search.stop_words import DEFAULT_LANGUAGE, STOP_WORDS

_SAMPLE = 20_000
_MIN_COMMON = 3
_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "japanese": re.compile(r"[\u3040-\u30ff]"),
    "chinese": re.compile(r"[\u3400-\u9fff]"),
    "korean": re.compile(r"[\uac00-\ud7af]"),
    "russian": re.compile(r"[\u0400-\u04ff]"),
    "greek": re.compile(r"[\u0370-\u03ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "hindi": re.compile(r"[\u0900-\u097f]"),
}
_CODES: Mapping[str, str] = {
    "en": "english", "fr": "french", "de": "german", "es": "spanish", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "ja": "japanese", "zh": "chinese",
    "ko": "korean", "ru": "russian", "el": "greek", "ar": "arabic", "hi": "hindi",
    "da": "danish", "no": "norwegian", "fi": "finnish", "tr": "turkish", "hu": "hungarian",
    "ro": "romanian", "pl": "polish", "cs": "czech", "id": "indonesian",
}  # fmt: skip


def language_named(name: str) -> str | None:
    """The language of a tag or a name (`fr`, `fr-CH`, `French`); None for one that is unknown."""
    code = name.strip().lower()
    if code in _CODES.values():
        return code
    return _CODES.get(re.split(r"[-_]", code)[0])


def detect_language(texts: Iterable[str]) -> str:
    """
    The language that most of `texts` are in; English where nothing tells.

    Only the beginning of them is read, as far as it takes.
    """
    sample = _join_samples(texts)
    letters = sum(map(str.isalpha, sample))
    for name, script in _SCRIPTS.items():
        # An English document may name a few words of another script.
        if len(script.findall(sample)) * 5 > letters:
            return name
    found = Counter(plain_words(sample))
    common = {
        name: sum(found[word] for word in words if len(word) > 1)
        for name, words in STOP_WORDS.items()
    }
    best = max(common, key=lambda name: (common[name], name == DEFAULT_LANGUAGE))
    return best if common[best] >= _MIN_COMMON else DEFAULT_LANGUAGE


def _join_samples(texts: Iterable[str]) -> str:
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text[:500])
        size += len(parts[-1])
        if size >= _SAMPLE:
            break
    return " ".join(parts)
