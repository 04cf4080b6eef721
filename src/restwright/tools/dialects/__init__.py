"""How each provider of models wants tools."""

from __future__ import annotations

from restwright.tools.dialects.deferring import Deferred, Group
from restwright.tools.dialects.restoring import restored
from restwright.tools.dialects.table import (
    ALIASES,
    DIALECTS,
    Dialect,
    Rewritten,
    dialect_named,
    provider_tool,
    rewritten,
)

__all__ = [
    "ALIASES",
    "DIALECTS",
    "Deferred",
    "Dialect",
    "Group",
    "Rewritten",
    "dialect_named",
    "provider_tool",
    "restored",
    "rewritten",
]
