"""How each provider of models wants tools."""

from __future__ import annotations

from restwright.tools.dialects.deferred_tools import DeferredTools, ToolGroup
from restwright.tools.dialects.registry import (
    ALIASES,
    DIALECTS,
    Dialect,
    DialectSchema,
    dialect_named,
    rewrite_schema,
    to_provider_tool,
)
from restwright.tools.dialects.undo_nullable import remove_filler_nulls

__all__ = [
    "ALIASES",
    "DIALECTS",
    "DeferredTools",
    "Dialect",
    "DialectSchema",
    "ToolGroup",
    "dialect_named",
    "remove_filler_nulls",
    "rewrite_schema",
    "to_provider_tool",
]
