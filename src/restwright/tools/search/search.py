"""Search over the tools that a caller has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from restwright.net.callbacks import await_callback_result
from restwright.tools.producers.closure import add_producers
from restwright.tools.search.bm25 import SearchIndex, build_index
from restwright.tools.search.catalog_index import open_catalog_index
from restwright.tools.search.fields import FieldsReader, IndexedFields
from restwright.tools.search.languages import detect_language
from restwright.tools.search.query import has_proper_name, parse_query
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog
from typing import Protocol

_RECENT = 4
_FUSION_CONSTANT = 60
_MIN_POOL = 60
"""Hits that may supply a value to better ones, at least."""
EXPANSION_WEIGHT = 0.25
"""How much words count that a query was expanded with."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A tool that a search found; `why` names the words that matched."""

    tool: Tool
    score: float
    why: str = field(default="")

    @property
    def name(self) -> str:
        """Full name of the tool."""
        return self.tool.name


def search(
    query: str,
    tools: Sequence[Tool] | Catalog,
    *,
    k: int,
    scorer: Scorer | None = None,
    fuse: bool = False,
    expand: Callable[[str], Sequence[str]] | None = None,
) -> tuple[SearchResult, ...]:
    """
    The `k` best tools for `query`, best first; none without a score above 0.

    Args:
        query: Any text.
        tools: What to search; of a catalog only what is found is built.
        k: How many at most.
        scorer: Ranks instead of the words, such as by embeddings.
        fuse: Rank by the words and by `scorer` together (reciprocal rank fusion).
        expand: Gives other phrases for a query, such as by a language model; they count less.
    """
    k = max(k, 0)
    if scorer is None:
        return _search_by_words(query, _weighted_terms(query, expand), tools, k)
    listed = tuple(tools) if isinstance(tools, Sequence) else tools.tools
    scored = _rank_by_scorer(query, listed, scorer)
    if fuse:
        return _fuse_rankings(
            (_search_by_words(query, _weighted_terms(query, expand), tools, len(listed)), scored)
        )[:k]
    return scored[:k]


def _weighted_terms(
    query: str, expand: Callable[[str], Sequence[str]] | None
) -> list[tuple[str, float]]:
    phrases = await_callback_result(expand(query), "expand") if expand else ()
    return [*parse_query(query), *((phrase, EXPANSION_WEIGHT) for phrase in phrases)]


def _search_by_words(
    query: str, terms: Sequence[tuple[str, float]], tools: Sequence[Tool] | Catalog, k: int
) -> tuple[SearchResult, ...]:
    if not isinstance(tools, Sequence):
        return _search_catalog(query, terms, tools, k)
    own = {tool.name: tool for tool in tools}
    hits = _cached_index(own).search_terms(terms, k, among=own)
    return tuple(SearchResult(own[hit.name], hit.score, hit.why) for hit in hits)


def _search_catalog(
    query: str, terms: Sequence[tuple[str, float]], catalog: Catalog, k: int
) -> tuple[SearchResult, ...]:
    """What matches, and what supplies the values that it needs, together `k`."""
    hits = open_catalog_index(catalog).search_terms(terms, max(_MIN_POOL, k))
    whys = {hit.name: hit.why for hit in hits}
    ranked = add_producers(
        ((hit.name, hit.score) for hit in hits), catalog, k, is_named=has_proper_name(query)
    )
    return tuple(
        SearchResult(
            catalog[ranked_tool.name],
            round(ranked_tool.score, 3),
            "; ".join(why for why in (whys.get(ranked_tool.name, ""), ranked_tool.why) if why),
        )
        for ranked_tool in ranked
    )


def _rank_by_scorer(query: str, tools: Sequence[Tool], scorer: Scorer) -> tuple[SearchResult, ...]:
    scores = await_callback_result(scorer(query, tools), "scorer")
    best = sorted(
        (index for index, score in enumerate(scores) if score > 0),
        key=lambda index: (-scores[index], tools[index].name),
    )
    return tuple(SearchResult(tools[index], round(scores[index], 3)) for index in best)


def _fuse_rankings(rankings: Sequence[Sequence[SearchResult]]) -> tuple[SearchResult, ...]:
    """
    Fuse rankings by the ranks alone, as their scores cannot be compared.

    Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion" (2009).
    """
    scores: dict[str, float] = {}
    first: dict[str, SearchResult] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            scores[each.name] = scores.get(each.name, 0.0) + 1 / (_FUSION_CONSTANT + rank)
            if not first.setdefault(each.name, each).why:
                first[each.name] = each
    ordered = sorted(first, key=lambda name: (-scores[name], name))
    return tuple(replace(first[name], score=round(scores[name], 5)) for name in ordered)


_recent: list[tuple[Mapping[str, Tool], SearchIndex]] = []


def _cached_index(tools: Mapping[str, Tool]) -> SearchIndex:
    """An index that has all of `tools`: one of the last few, or a new one."""
    for kept, index in _recent:
        if all(kept.get(name) is tool for name, tool in tools.items()):
            return index
    index = build_index(_read_tool_fields(tools.values()))
    _recent.append((tools, index))
    del _recent[:-_RECENT]
    return index


def _read_tool_fields(tools: Iterable[Tool]) -> Iterator[IndexedFields]:
    for namespace, own in _group_by_namespace(tools).items():
        language = detect_language(
            text for tool in own for text in (tool.operation.summary, tool.operation.description)
        )
        describe = FieldsReader(own[0].document, title=namespace, language=language)
        for tool in own:
            yield describe(
                tool.operation,
                name=tool.name,
                namespace=namespace,
                operation_name=tool.operation_name,
            )


def _group_by_namespace(tools: Iterable[Tool]) -> dict[str, list[Tool]]:
    found: dict[str, list[Tool]] = {}
    for tool in tools:
        found.setdefault(tool.namespace, []).append(tool)
    return found


class Scorer(Protocol):
    """Ranks tools for a query: one score a tool, the higher the better, 0 for no match."""

    def __call__(self, query: str, tools: Sequence[Tool]) -> Sequence[float]:
        """Return as many scores as there are tools, in their order."""
        ...
