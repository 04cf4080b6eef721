"""What a server is put together from: whoever has tools, resources or prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import mcp_types as types

from restwright.mcp.protocol.exchange import Exchange

ToolOutcome = types.CallToolResult | types.InputRequiredResult
PromptOutcome = types.GetPromptResult | types.InputRequiredResult
ResourceOutcome = types.ReadResourceResult | types.InputRequiredResult


class ToolProvider(Protocol):
    """Has tools."""

    def names(self) -> Sequence[str]:
        """Those that are listed, always in the same order."""
        ...

    def describe(self, name: str) -> types.Tool:
        """One that is listed, as clients take it."""
        ...

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of the arguments of any tool that can be called; None for none of these."""
        ...

    def close_names(self, name: str) -> Sequence[str]:
        """Of its tools, those that somebody may have meant by a name that there is not."""
        ...

    async def call(
        self, exchange: Exchange, name: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """What comes of a call; None where there is no such tool."""
        ...


class ResourceProvider(Protocol):
    """Has resources."""

    def resources(self) -> Sequence[types.Resource]:
        """Those that are listed, always in the same order."""
        ...

    def templates(self) -> Sequence[types.ResourceTemplate]:
        """How others are named."""
        ...

    async def read(self, exchange: Exchange, uri: str) -> ResourceOutcome | None:
        """What a resource holds; None where there is none."""
        ...


class PromptProvider(Protocol):
    """Has prompts."""

    def prompts(self) -> Sequence[types.Prompt]:
        """Those that are listed, always in the same order."""
        ...

    async def get(
        self, exchange: Exchange, name: str, arguments: Mapping[str, str]
    ) -> PromptOutcome | None:
        """The messages of a prompt; None where there is none."""
        ...


class Completer(Protocol):
    """Completes what a person types for an argument."""

    def complete(self, reference: str, argument: str, typed: str) -> Sequence[str] | None:
        """
        What may stand there, best first; None where it knows nothing of it.

        Args:
            reference: The name of a prompt, or the template of a resource.
        """
        ...
