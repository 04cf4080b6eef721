"""
Articles for what a user says, out of a folder of texts: the stand-in for a database of vectors.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from restwright.errors import DocumentUnavailable
from restwright.manifests.slashgpt.folders import load_text_file

MAX_ARTICLES_CHARS = 8_000
"""Characters of all articles together."""

_SUFFIXES = (".txt", ".md")
_MAX_FILES = 1_000
_MAX_ARTICLE = 2_000
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+|[^\W\da-z_]", re.IGNORECASE)


def load_articles(folder: str | Path) -> Callable[[str], str]:
    """
    Read the texts of a folder, paragraph by paragraph.

    Returns:
        What finds the paragraphs that say most about a text, best first, within
        `MAX_ARTICLES_CHARS`.

    Raises:
        DocumentUnavailable: It is no folder, or holds no text.
    """
    place = Path(folder)
    files = sorted(path for path in place.rglob("*") if path.suffix in _SUFFIXES)
    texts = [
        text for file in files[:_MAX_FILES] for text in _split_paragraphs(load_text_file(file))
    ]
    if not texts:
        raise DocumentUnavailable(str(folder), "it holds no text (.txt, .md)")
    return _Articles(texts)


class _Articles:
    """Paragraphs, and what each is about."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._counts = [Counter(_split_words(text)) for text in texts]
        self._lengths = [count.total() for count in self._counts]
        self._mean = sum(self._lengths) / len(texts) or 1.0
        self._documents_with = Counter(word for count in self._counts for word in count)

    def __call__(self, asked: str) -> str:
        """Return the paragraphs for what a user says; empty where none has a word of it."""
        words = set(_split_words(asked))
        scores = [self._score(words, place) for place in range(len(self._texts))]
        best = sorted(range(len(scores)), key=lambda place: -scores[place])
        kept: list[str] = []
        room = MAX_ARTICLES_CHARS
        for place in best:
            text = self._texts[place]
            room -= len(text)
            if scores[place] <= 0 or room < 0:
                break
            kept.append(text)
        return "\n\n".join(kept)

    def _score(self, words: set[str], place: int) -> float:
        counts, length = self._counts[place], self._lengths[place] / self._mean
        return sum(
            self._weight(word)
            * counts[word]
            * (_K1 + 1)
            / (counts[word] + _K1 * _length_norm(length))
            for word in words
            if word in counts
        )

    def _weight(self, word: str) -> float:
        number = len(self._texts)
        return math.log(
            1 + (number - self._documents_with[word] + 0.5) / (self._documents_with[word] + 0.5)
        )


def _length_norm(length: float) -> float:
    return 1 - _B + _B * length


def _split_words(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _WORD.finditer(text))


def _split_paragraphs(text: str) -> Iterator[str]:
    for part in re.split(r"\n\s*\n", text):
        if plain := part.strip():
            yield plain[:_MAX_ARTICLE]
