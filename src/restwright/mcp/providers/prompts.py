"""The samples of manifests as prompts that a client proposes to its user."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import mcp_types as types

from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.unicode_text import to_unicode_text
from restwright.mcp.sources.served import SampleQuestion, ServedTools

_MAX_NAME = 64
_MAX_DESCRIPTION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePrompts:
    """A `PromptProvider` over what is served right now."""

    served: Callable[[], ServedTools]

    def prompts(self) -> Sequence[types.Prompt]:
        """One for each sample."""
        return [
            types.Prompt(
                name=name,
                title=to_unicode_text(sample.name or name),
                description=to_unicode_text(" ".join(sample.text.split())[:_MAX_DESCRIPTION]),
            )
            for name, sample in self._by_name().items()
        ]

    async def get(
        self, exchange: Exchange, name: str, arguments: Mapping[str, str]
    ) -> types.GetPromptResult | None:
        """What the sample asks, as a message of the user."""
        del exchange, arguments
        sample = self._by_name().get(name)
        if sample is None:
            return None
        content = types.TextContent(type="text", text=to_unicode_text(sample.text))
        return types.GetPromptResult(
            description=to_unicode_text(sample.title) or None,
            messages=[types.PromptMessage(role="user", content=content)],
        )

    def _by_name(self) -> dict[str, SampleQuestion]:
        """Samples by names that clients take, each once."""
        found: dict[str, SampleQuestion] = {}
        for number, sample in enumerate(self.served().samples, 1):
            plain = re.sub(r"[^A-Za-z0-9_-]+", "_", sample.name).strip("_")[:_MAX_NAME]
            name = plain or f"sample_{number}"
            found[name if name not in found else f"{name[: _MAX_NAME - 8]}_{number}"] = sample
        return found
