"""
How many tools each provider of models should be offered, and how many it takes at most.

Source: each row of the table names its own; docs/offer.md says which of them were looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Literal, get_args

Above = Literal["all", "search", "native", "meta"]

CHARACTERS_PER_TOKEN = 4
DEFAULT_TOKENS = 4_000
MIN_TOKENS = 750
"""Room for the meta-tools and one small tool."""

_NAME = 64
_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLimits:
    """
    What one provider takes.

    Args:
        name: Of a dialect, or of a provider that speaks one.
        tools: As many are offered without choosing.
        max_tools: In a request; infinity where none is known.
        max_deferred: In a request, among those that the model searches for itself.
        name_length: Characters of a tool's name.
        request_characters: Of all tools of a request together, deferred ones included.
        source: Where that is said.
    """

    name: str
    tools: int = 30
    max_tools: float = inf
    max_deferred: float = inf
    name_length: int = _NAME
    request_characters: float = inf
    source: str


_ACCURACY = "platform.claude.com, Tool search tool: accuracy falls beyond 30-50 tools"
_OPENAI = "OpenAI API reference: `tools` has at most 128 items; names of 1-64 characters"
_RESPONSES = f"{_OPENAI}; no limit is stated inside namespaces"
_VERTEX = "Vertex AI reference: at most 128 function declarations; Gemini guide: 10-20 active tools"

_ALL_PROVIDERS = (
    ProviderLimits(name="json-schema", source=_ACCURACY),
    ProviderLimits(name="llama-grammar", source=_ACCURACY),
    ProviderLimits(name="openapi-3.0", source=_ACCURACY),
    ProviderLimits(name="openai", max_tools=128, source=_OPENAI),
    ProviderLimits(name="openai-strict", max_tools=128, source=_OPENAI),
    ProviderLimits(name="openai-responses", max_tools=128, source=_RESPONSES),
    ProviderLimits(name="openai-responses-strict", max_tools=128, source=_RESPONSES),
    ProviderLimits(
        name="anthropic",
        max_deferred=10_000,
        request_characters=32 * _MB,
        source=f"{_ACCURACY}; at most 10,000 deferred tools; requests of at most 32 MB",
    ),
    ProviderLimits(name="gemini", tools=20, max_tools=128, source=_VERTEX),
    ProviderLimits(name="gemini-openapi", tools=20, max_tools=128, source=_VERTEX),
    ProviderLimits(
        name="mcp", name_length=128, source="MCP 2025-11-25, Tool Names: 1-128 characters"
    ),
    ProviderLimits(
        name="xai", max_tools=200, source="docs.x.ai, Function calling: at most 200 tools"
    ),
)

PROVIDERS: Mapping[str, ProviderLimits] = MappingProxyType(
    {limits.name: limits for limits in _ALL_PROVIDERS}
)
"""By the name of the dialect; `xai` speaks `openai` and takes more tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferLimits:
    """
    What a model may be offered at once.

    Args:
        tools: More than these are not all offered; None for what the provider's row says.
        characters: More than these are not all offered, of the tools as they are without a
            budget together; None for twice the budget.
        budget: Tokens (characters / 4) of all that is offered, meta-tools included; at least 750.
        above: What happens above these two: `search` offers what the query finds, `native` leaves
            the search to a provider that has one (else it is `search`), `meta` offers meta-tools
            alone, `all` offers every tool and ends with an error where the provider refuses that.
        k: As many tools as a search may add.
        pinned: Full names of tools that are offered whatever is asked.
        provider: A row of `PROVIDERS`; the dialect's own where it is empty.

    Raises:
        ValueError: A value that there is not, or too small a one.
    """

    tools: int | None = None
    characters: int | None = None
    budget: int = DEFAULT_TOKENS
    above: Above = "search"
    k: int = 20
    pinned: tuple[str, ...] = ()
    provider: str = ""

    def __post_init__(self) -> None:
        """Refuse here what would surface much later."""
        if self.above not in get_args(Above):
            raise ValueError(f"above={self.above!r} is not one of {', '.join(get_args(Above))}")
        if self.budget < MIN_TOKENS:
            raise ValueError(f"budget={self.budget} is less than {MIN_TOKENS} tokens")
        if self.k < 1:
            raise ValueError(f"k={self.k} is less than 1")
        if self.provider and self.provider not in PROVIDERS:
            raise ValueError(f"provider={self.provider!r} is not one of {', '.join(PROVIDERS)}")

    @property
    def room(self) -> int:
        """Characters of all that is offered."""
        return self.budget * CHARACTERS_PER_TOKEN

    def provider_of(self, dialect: str) -> ProviderLimits:
        """The row of the table that holds for a dialect."""
        return PROVIDERS[self.provider or dialect]
