"""How each provider wants tools, and what of a catalog it is offered at once."""

from __future__ import annotations

from restwright.tools.dialects import (
    ALIASES,
    DIALECTS,
    Dialect,
    DialectSchema,
    dialect_named,
    remove_filler_nulls,
    rewrite_schema,
    to_provider_tool,
)
from restwright.tools.render import RenderedTool
from restwright.tools.toolset import (
    PROVIDERS,
    Offer,
    OfferedTool,
    OfferLimits,
    ToolCall,
    handle_meta_call,
    offer_tools,
)

__all__ = [
    "ALIASES",
    "DIALECTS",
    "PROVIDERS",
    "Dialect",
    "DialectSchema",
    "Offer",
    "OfferLimits",
    "OfferedTool",
    "RenderedTool",
    "ToolCall",
    "dialect_named",
    "handle_meta_call",
    "offer_tools",
    "remove_filler_nulls",
    "rewrite_schema",
    "to_provider_tool",
]
