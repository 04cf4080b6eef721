"""Which tools a query is about."""

from __future__ import annotations

from restwright.tools.search.bm25 import Hit, SearchIndex, build_index
from restwright.tools.search.fields import IndexedFields
from restwright.tools.search.search import SearchResult, search
from restwright.tools.search.term_overlap import score_overlap

__all__ = [
    "Hit",
    "IndexedFields",
    "SearchIndex",
    "SearchResult",
    "build_index",
    "score_overlap",
    "search",
]
