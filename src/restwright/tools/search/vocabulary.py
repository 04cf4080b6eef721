"""
What an API as a whole is about: the words that many of its operations have.

An index has one more document for each API. Its terms are words with a level: how common the word
is in the API, so that what a word is worth can be looked up without scoring by length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

from restwright.tools.search.query_terms import ExpandedQuery, QueryTerm
from restwright.tools.search.weights import API_FIELDS, SearchField

if TYPE_CHECKING:
    import tantivy

LEVELS = 12
_STEP = 0.6
VOCABULARY_FIELD = "vocabulary"
EVERY_API = "~"
"""The term that every API has."""
_MAX_APIS = 100
# A word that one operation of a hundred has is worth a twelfth of one that all have.
_FEW, _SHARE = 0.5, 0.1


@dataclass(slots=True)
class Vocabulary:
    """Counts the words of an API while its operations are read."""

    operations: int = 0
    words: dict[str, float] = field(default_factory=dict[str, float])

    def add(self, tokens: Mapping[SearchField, Sequence[str]]) -> None:
        """Count the words of one more operation."""
        self.operations += 1
        best: dict[str, float] = {}
        for name, weight in API_FIELDS.items():
            for token in tokens.get(name, ()):
                best[token] = max(best.get(token, 0.0), weight)
        for token, weight in best.items():
            self.words[token] = self.words.get(token, 0.0) + weight

    def terms(self) -> Iterator[str]:
        """The terms of the document of the API."""
        yield EVERY_API
        rest = _FEW + _SHARE * self.operations
        for token, count in self.words.items():
            level = round(log(count / (count + rest), _STEP))
            yield vocabulary_term(token, min(level, LEVELS - 1))


def vocabulary_term(token: str, level: int) -> str:
    """The term of a word that is that common."""
    return f"{token}~{level}"


def score_apis(
    schema: tantivy.Schema, searcher: tantivy.Searcher, asked: ExpandedQuery
) -> dict[int, float]:
    """`{number of an API: how well its words fit}`, the best ones; empty where there is one."""
    import tantivy

    total = searcher.doc_freq(VOCABULARY_FIELD, EVERY_API)
    if total < 2:
        return {}
    groups = [
        tantivy.Query.disjunction_max_query(parts)
        for several in asked.groups.values()
        if (parts := list(_level_queries(schema, searcher, several, total)))
    ]
    if not groups:
        return {}
    query = tantivy.Query.boolean_query([(tantivy.Occur.Should, group) for group in groups])
    found = searcher.search(query, _MAX_APIS, count=False).hits
    numbers = searcher.fast_field_values("api", [address for _, address in found])
    return {int(api or 0): score for (score, _), api in zip(found, numbers, strict=True)}


def _level_queries(
    schema: tantivy.Schema, searcher: tantivy.Searcher, terms: Sequence[QueryTerm], total: int
) -> Iterator[tantivy.Query]:
    import tantivy

    limit = float("inf")
    for query_term in terms:
        levels = [
            n
            for n in range(LEVELS)
            if searcher.doc_freq(VOCABULARY_FIELD, vocabulary_term(query_term.token, n))
        ]
        if not levels:
            continue
        known = sum(
            searcher.doc_freq(VOCABULARY_FIELD, vocabulary_term(query_term.token, n))
            for n in levels
        )
        rarity = log(1 + (total - known + 0.5) / (known + 0.5))
        # What means the same is never worth more than the word itself.
        limit = min(limit, rarity) if query_term.is_original else limit
        worth = query_term.weight * min(rarity, limit)
        for level in levels:
            own = tantivy.Query.term_query(
                schema, VOCABULARY_FIELD, vocabulary_term(query_term.token, level), "basic"
            )
            yield tantivy.Query.const_score_query(own, worth * _STEP**level)
