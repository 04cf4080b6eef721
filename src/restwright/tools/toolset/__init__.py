"""What a model is offered of a catalog, within what its provider takes."""

from __future__ import annotations

from restwright.tools.toolset.meta_tools import (
    MetaTool,
    ToolCall,
    ToolMatch,
    ToolSearch,
    build_meta_tools,
    call_tool,
    handle_meta_call,
    match_tools,
    search_tools,
    show_tool,
)
from restwright.tools.toolset.provider_limits import PROVIDERS, OfferLimits, ProviderLimits
from restwright.tools.toolset.toolset import Offer, OfferedTool, OfferPolicy, offer_tools

__all__ = [
    "PROVIDERS",
    "MetaTool",
    "Offer",
    "OfferLimits",
    "OfferPolicy",
    "OfferedTool",
    "ProviderLimits",
    "ToolCall",
    "ToolMatch",
    "ToolSearch",
    "build_meta_tools",
    "call_tool",
    "handle_meta_call",
    "match_tools",
    "offer_tools",
    "search_tools",
    "show_tool",
]
