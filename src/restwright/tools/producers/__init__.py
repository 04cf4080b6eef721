"""Which operations supply a value that another one needs."""

from __future__ import annotations

from restwright.tools.producers.catalog_graph import find_required_producers, load_suppliers
from restwright.tools.producers.closure import add_producers
from restwright.tools.producers.graph import Producer, Suppliers, find_producers

__all__ = [
    "Producer",
    "Suppliers",
    "add_producers",
    "find_producers",
    "find_required_producers",
    "load_suppliers",
]
