"""What a model is offered of a catalog, within what its provider takes."""

from __future__ import annotations

from restwright.tools.toolset.meta_tools import (
    Match,
    MetaTool,
    Search,
    ToolCall,
    call_tool,
    handled,
    matches,
    meta_tools,
    search_tools,
    show_tool,
)
from restwright.tools.toolset.provider_limits import PROVIDERS, OfferLimits, Provider
from restwright.tools.toolset.toolset import Offer, Offered, Policy, offered

__all__ = [
    "PROVIDERS",
    "Match",
    "MetaTool",
    "Offer",
    "OfferLimits",
    "Offered",
    "Policy",
    "Provider",
    "Search",
    "ToolCall",
    "call_tool",
    "handled",
    "matches",
    "meta_tools",
    "offered",
    "search_tools",
    "show_tool",
]
