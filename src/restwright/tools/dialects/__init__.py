"""How each provider of models wants tools."""

from __future__ import annotations

from restwright.tools.dialects.deferred_tools import Deferred, Group
from restwright.tools.dialects.registry import (
    ALIASES,
    DIALECTS,
    Dialect,
    Rewritten,
    dialect_named,
    provider_tool,
    rewritten,
)
from restwright.tools.dialects.undo_nullable import restored

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
