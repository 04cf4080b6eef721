"""Which operations supply a value that another one needs."""

from __future__ import annotations

from restwright.tools.producers.catalog_graph import producers_of, suppliers
from restwright.tools.producers.closure import closed
from restwright.tools.producers.graph import Producer, Suppliers, producers

__all__ = ["Producer", "Suppliers", "closed", "producers", "producers_of", "suppliers"]
