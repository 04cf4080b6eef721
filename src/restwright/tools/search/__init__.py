"""Which tools a query is about."""

from __future__ import annotations

from restwright.tools.search.bm25 import Hit, SearchIndex, built
from restwright.tools.search.fields import Described
from restwright.tools.search.search import Found, search
from restwright.tools.search.term_overlap import overlap

__all__ = ["Described", "Found", "Hit", "SearchIndex", "built", "overlap", "search"]
