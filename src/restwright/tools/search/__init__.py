"""Which tools a query is about."""

from __future__ import annotations

from restwright.tools.search.described import Described
from restwright.tools.search.engine import Hit, SearchIndex, built
from restwright.tools.search.found import Found, search
from restwright.tools.search.overlap import overlap

__all__ = ["Described", "Found", "Hit", "SearchIndex", "built", "overlap", "search"]
