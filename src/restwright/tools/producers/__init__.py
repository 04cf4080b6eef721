"""Which operations supply a value that another one needs."""

from __future__ import annotations

from restwright.tools.producers.closing import closed
from restwright.tools.producers.of_catalog import producers_of, suppliers
from restwright.tools.producers.producing import Producer, Suppliers, producers

__all__ = ["Producer", "Suppliers", "closed", "producers", "producers_of", "suppliers"]
