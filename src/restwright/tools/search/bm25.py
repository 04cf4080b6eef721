"""
An index of operations that ranks them for a query (BM25 by field), and says why.

Tokens are made here, not by the index: what is asked is data and no query language.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby, islice
from math import log
from typing import TYPE_CHECKING, Any

from restwright.tools.search.analysis import tokenize_text
from restwright.tools.search.compounds import may_begin_compound, split_compound
from restwright.tools.search.explanation import explain_match
from restwright.tools.search.fields import IndexedFields
from restwright.tools.search.query import parse_query
from restwright.tools.search.query_terms import ExpandedQuery, QueryTerm, detect_verbs, expand_query
from restwright.tools.search.rerank import ScoredOperation, rerank_by_api
from restwright.tools.search.vocabulary import EVERY_API, VOCABULARY_FIELD, Vocabulary, score_apis
from restwright.tools.search.weights import (
    DEFAULT_WEIGHTS,
    SEARCH_FIELDS,
    TEXT_FIELDS,
    SearchField,
    SearchWeights,
)

if TYPE_CHECKING:
    import tantivy

    Searched = Sequence[tuple[float, tantivy.DocAddress]]

POOL_SIZE = 200
"""Operations that are ranked again when their API is known, at least."""
_HEAP_BYTES = 64_000_000
_SMALL_HEAP_BYTES = 15_000_000
_SMALL = 500
_FUZZY_FIELDS: tuple[SearchField, ...] = (
    "name",
    "path",
    "summary",
    "description",
    "response",
    "title",
)
_COMPOUND_FIELDS: tuple[SearchField, ...] = ("name", "path", "summary", "description")
_MIN_FUZZY, _MIN_VERY_FUZZY = 5, 8
# The score of what has none of its own is that of a word that few operations have.
_CONSTANT_SCORE = 4.0
_TOKENIZER = "whitespace"


@dataclass(frozen=True, slots=True)
class Hit:
    """An operation that was found; `explain_match` names the words that matched, and where."""

    name: str
    score: float
    why: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """
    Operations that can be searched; made by `build_index()` or opened from disk.

    Args:
        languages: Of the documents that are in it.
    """

    index: Any
    languages: frozenset[str]

    def search(
        self,
        query: str,
        k: int,
        namespaces: Collection[str] | None = None,
        *,
        among: Container[str] | None = None,
    ) -> tuple[Hit, ...]:
        """
        The `k` best operations for a text, best first; only those that match at all.

        Args:
            query: Any text.
            k: How many at most.
            namespaces: APIs to search; None for all.
            among: Names of those that may be found; None for all.
        """
        return self.search_terms(parse_query(query), k, namespaces, among=among)

    def search_terms(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        namespaces: Collection[str] | None = None,
        *,
        among: Container[str] | None = None,
        weights: SearchWeights = DEFAULT_WEIGHTS,
    ) -> tuple[Hit, ...]:
        """As `search()`, for texts with a weight each."""
        asked = expand_query(terms, self.languages, weights)
        searcher = self.index.searcher()
        fit = score_apis(self.index.schema, searcher, asked)
        limit = max(POOL_SIZE, 3 * k)
        while True:
            pool = self._score(searcher, asked, limit, namespaces)
            ranked = rerank_by_api(pool, fit, weights)
            hits = list(islice(_order_hits(searcher, ranked, asked, among), max(k, 0)))
            if len(hits) >= k or len(pool) < limit:
                return tuple(hits)
            # Most of what is best may not be wanted.
            limit *= 4

    def __len__(self) -> int:
        searcher = self.index.searcher()
        return searcher.num_docs - searcher.doc_freq(VOCABULARY_FIELD, EVERY_API)

    def _score(
        self,
        searcher: tantivy.Searcher,
        asked: ExpandedQuery,
        limit: int,
        namespaces: Collection[str] | None,
    ) -> list[ScoredOperation]:
        query = _build_query(self.index.schema, searcher, asked, namespaces)
        found: Searched = [] if query is None else searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in found]
        apis = searcher.fast_field_values("api", addresses)
        return [
            ScoredOperation(score, address, int(api or 0))
            for (score, address), api in zip(found, apis, strict=True)
        ]


def build_index(described: Iterable[IndexedFields], *, folder: str | None = None) -> SearchIndex:
    """
    An index of `described`, in memory or in an empty `folder`.

    One after the other is read, so that they need never be in memory together.
    """
    import tantivy

    first = list(_take(iterator := iter(described), _SMALL))
    heap = _SMALL_HEAP_BYTES if len(first) < _SMALL else _HEAP_BYTES
    index = tantivy.Index(index_schema(), path=folder)
    languages: set[str] = set()
    apis: defaultdict[str, Vocabulary] = defaultdict(Vocabulary)
    with index.writer(heap_size=heap, num_threads=1) as writer:
        for fields in chain(first, iterator):
            languages.add(fields.language)
            own = _tokenize_fields(fields)
            apis[fields.namespace].add(own)
            writer.add_document(_build_document(fields, own))
        for namespace, words in apis.items():
            writer.add_document(_build_api_document(namespace, words))
    index.config_reader("manual")
    index.reload()
    return SearchIndex(index, frozenset(languages) or frozenset({"english"}))


def open_index(folder: str, languages: frozenset[str]) -> SearchIndex:
    """
    The index that `build_index()` wrote into `folder`, mapped into memory.

    Raises:
        ValueError: There is none that can be read.
    """
    import tantivy

    index = tantivy.Index.open(folder)
    index.config_reader("manual")
    index.reload()
    return SearchIndex(index, languages)


def _take(iterator: Iterator[IndexedFields], count: int) -> Iterator[IndexedFields]:
    for _, each in zip(range(count), iterator, strict=False):
        yield each


@cache
def index_schema() -> tantivy.Schema:
    """The fields of an index."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in SEARCH_FIELDS:
        builder.add_text_field(name, stored=True, tokenizer_name=_TOKENIZER, index_option="freq")
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("namespace", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("api", fast=True)
    builder.add_text_field(VOCABULARY_FIELD, tokenizer_name=_TOKENIZER, index_option="basic")
    return builder.build()


def _build_document(
    described: IndexedFields, own: Mapping[SearchField, Sequence[str]]
) -> tantivy.Document:
    document = _empty_document(described.namespace)
    document.add_text("key", described.name)
    for field, found in own.items():
        document.add_text(field, " ".join(found))
    return document


def _build_api_document(namespace: str, words: Vocabulary) -> tantivy.Document:
    document = _empty_document(namespace)
    document.add_text(VOCABULARY_FIELD, " ".join(words.terms()))
    return document


def _empty_document(namespace: str) -> tantivy.Document:
    import tantivy

    document = tantivy.Document()
    document.add_text("namespace", namespace)
    document.add_unsigned("api", api_number(namespace))
    return document


def _tokenize_fields(described: IndexedFields) -> dict[SearchField, Sequence[str]]:
    own: dict[SearchField, Sequence[str]] = {}
    for field in described.fields:
        if found := _tokenize_field(described, field):
            own[field] = found
    return own


def _tokenize_field(described: IndexedFields, field: SearchField) -> Sequence[str]:
    own = described.fields
    if field == "verbs":
        return detect_verbs(own[field], (own.get("name", ""), own.get("summary", "")))
    return tokenize_text(own[field], described.language)


def api_number(namespace: str) -> int:
    """The number that an API has in an index."""
    digest = hashlib.blake2b(namespace.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def _build_query(
    fields: tantivy.Schema,
    searcher: tantivy.Searcher,
    query: ExpandedQuery,
    namespaces: Collection[str] | None,
) -> tantivy.Query | None:
    import tantivy

    parts = [
        (tantivy.Occur.Should, term_query) for term_query in _term_queries(fields, searcher, query)
    ]
    if not parts:
        return None
    if namespaces is None:
        return tantivy.Query.boolean_query(parts)
    within = tantivy.Query.term_set_query(fields, "namespace", list(namespaces))
    return tantivy.Query.boolean_query(
        [
            (tantivy.Occur.Must, tantivy.Query.boolean_query(parts)),
            (tantivy.Occur.Must, tantivy.Query.const_score_query(within, 0.0)),
        ]
    )


def _term_queries(
    fields: tantivy.Schema, searcher: tantivy.Searcher, query: ExpandedQuery
) -> Iterator[tantivy.Query]:
    import tantivy

    for several in query.groups.values():
        parts = list(_synonym_queries(fields, searcher, several, query))
        if parts:
            yield tantivy.Query.disjunction_max_query(parts, tie_breaker=query.weights.other_fields)
    for verb, weight in query.verbs.items():
        if searcher.doc_freq("verbs", verb):
            yield _weighted_term_query(
                fields, "verbs", verb, weight * query.weights.fields.get("verbs", 0.0)
            )


def _synonym_queries(
    fields: tantivy.Schema,
    searcher: tantivy.Searcher,
    terms: Sequence[QueryTerm],
    asked: ExpandedQuery,
) -> Iterator[tantivy.Query]:
    """A word and what means the same, in every field."""
    weights = asked.weights
    total = searcher.num_docs
    common = 0
    for query_term in terms:
        counts: dict[SearchField, int] = {}
        for field in TEXT_FIELDS:
            if field in weights.fields and (count := searcher.doc_freq(field, query_term.token)):
                counts[field] = count
        weight = query_term.weight
        if query_term.is_original:
            common = max(common, *counts.values(), 0)
            if not counts:
                yield from _unknown_word_queries(fields, searcher, query_term, asked)
        elif counts and common:
            # What means the same is never worth more than the word itself.
            weight *= min(1.0, _rarity(total, common) / _rarity(total, max(counts.values())))
        for field, count in counts.items():
            # A word that many operations have, such as `repository` of a code host, still counts:
            # else one that is about half of the query may beat one that is about all of it.
            enough = max(1.0, weights.least_rarity / _bm25_rarity(total, count))
            share = weight * enough * weights.fields[field]
            yield _weighted_term_query(fields, field, query_term.token, share)


def _unknown_word_queries(
    fields: tantivy.Schema, searcher: tantivy.Searcher, unknown: QueryTerm, asked: ExpandedQuery
) -> Iterator[tantivy.Query]:
    """What stands for a word that no operation has."""
    yield from _fuzzy_queries(fields, unknown.token, unknown.weight, asked.weights)
    if asked.has_compounds:
        yield from _compound_queries(fields, searcher, unknown.token, unknown.weight, asked.weights)


def _compound_queries(
    fields: tantivy.Schema,
    searcher: tantivy.Searcher,
    token: str,
    weight: float,
    weights: SearchWeights,
) -> Iterator[tantivy.Query]:
    """Words that begin with one that no operation has, and those that are parts of it."""
    import tantivy

    for field in _COMPOUND_FIELDS:
        share = weight * weights.compound * weights.fields.get(field, 0.0)
        if may_begin_compound(token):
            begins = tantivy.Query.fuzzy_term_query(fields, field, token, distance=0, prefix=True)
            yield tantivy.Query.boost_query(begins, _CONSTANT_SCORE * share)
        for part in split_compound(
            token, lambda part, field=field: searcher.doc_freq(field, part) > 0
        ):
            yield _weighted_term_query(fields, field, part, share)


def _rarity(total: int, count: int) -> float:
    return log(1 + total / count)


def _bm25_rarity(total: int, count: int) -> float:
    return log(1 + (total - count + 0.5) / (count + 0.5))


def _weighted_term_query(
    fields: tantivy.Schema, field: SearchField, token: str, weight: float
) -> tantivy.Query:
    import tantivy

    term = tantivy.Query.term_query(fields, field, token, "freq")
    return tantivy.Query.boost_query(term, weight)


def _fuzzy_queries(
    fields: tantivy.Schema, token: str, weight: float, weights: SearchWeights
) -> Iterator[tantivy.Query]:
    """Words that differ from one that no operation has by a letter or two."""
    import tantivy

    if len(token) < _MIN_FUZZY or not token.isalpha():
        return
    distance = 2 if len(token) >= _MIN_VERY_FUZZY else 1
    for field in _FUZZY_FIELDS:
        near = tantivy.Query.fuzzy_term_query(fields, field, token, distance=distance)
        share = _CONSTANT_SCORE * weights.misspelt * weights.fields.get(field, 0.0)
        yield tantivy.Query.boost_query(near, share * weight)


def _order_hits(
    searcher: tantivy.Searcher,
    ranked: Iterable[ScoredOperation],
    query: ExpandedQuery,
    among: Container[str] | None,
) -> Iterator[Hit]:
    """In the order of scores, then of names: that of documents in an index may change."""
    for score, same in groupby(ranked, key=lambda each: round(each.score, 4)):
        stored = [searcher.doc(operation.address).to_dict() for operation in same]
        for item in sorted(stored, key=lambda item: (item["key"], item["namespace"])):
            name = item["key"][0]
            if among is None or name in among:
                yield Hit(name, round(score, 3), explain_match(query, item), item["namespace"][0])
