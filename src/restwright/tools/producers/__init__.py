"""Which operations supply a value that another one needs."""

from __future__ import annotations

from restwright.tools.producers.producing import Producer, producers

__all__ = ["Producer", "producers"]
