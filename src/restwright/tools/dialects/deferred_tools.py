"""
Tools that a provider keeps from its model until the model has searched for them.

Source: OpenAI, Tool search (developers.openai.com/api/docs/guides/tools-tool-search): an entry
`{"type": "tool_search"}`, and functions with `defer_loading: true` inside `namespace` entries, of
which the model sees name and description. Anthropic, Tool search tool
(platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool): an entry of type
`tool_search_tool_bm25_20251119`, whose name is fixed, and tools with `defer_loading: true`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGroup:
    """
    The tools of one namespace, to be deferred.

    Args:
        name: The namespace.
        description: What its tools are about, in one line.
        tools: `(operation name, the tool in the provider's shape)`.
    """

    name: str
    description: str
    tools: Sequence[tuple[str, JsonObject]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredTools:
    """
    Tools of a request that are deferred.

    Args:
        shapes: What stands in the request for them.
        read: What the model reads of that before it searches.
    """

    shapes: tuple[JsonObject, ...] = field(repr=False)
    read: tuple[JsonObject, ...] = field(repr=False)


ToolDeferral = Callable[[Sequence[ToolGroup]], DeferredTools]


def defer_for_openai(groups: Sequence[ToolGroup]) -> DeferredTools:
    """
    One `namespace` for each group, and the hosted search.

    A call names the operation and, apart, the namespace.
    """
    search: JsonObject = {"type": "tool_search"}
    heads: list[JsonObject] = [
        {"type": "namespace", "name": group.name, "description": group.description}
        for group in groups
    ]
    shapes = [
        {**head, "tools": [_to_openai_function(name, tool) for name, tool in each.tools]}
        for head, each in zip(heads, groups, strict=True)
    ]
    return DeferredTools(shapes=(*shapes, search), read=(*heads, search))


def defer_for_anthropic(groups: Sequence[ToolGroup]) -> DeferredTools:
    """The search tool, which may not be deferred itself, and every tool after it."""
    search: JsonObject = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    tools = [{**tool, "defer_loading": True} for group in groups for _, tool in group.tools]
    return DeferredTools(shapes=(search, *tools), read=(search,))


def _to_openai_function(name: str, tool: JsonObject) -> JsonObject:
    return {**tool, "name": name, "defer_loading": True}
