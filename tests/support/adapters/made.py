"""The tools that each adapter makes of a toolbox, and how its framework calls one of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias

Made: TypeAlias = tuple[list[str], Callable[[str, Any], object]]
"""The names of the tools, and what makes a call as the framework does."""


def adk(toolbox: Any) -> Made:
    from restwright.adapters.adk import tools

    made = {tool.name: tool for tool in tools(toolbox)}
    assert all(tool._get_declaration() for tool in made.values())
    return [*made], lambda name, given: asyncio.run(
        made[name].run_async(args=given, tool_context=None)
    )


def agent_framework(toolbox: Any) -> Made:
    from restwright.adapters.agent_framework import tools

    made = {tool.name: tool for tool in tools(toolbox)}
    return [*made], lambda name, given: asyncio.run(made[name].invoke(arguments=given))


def anthropic(toolbox: Any) -> Made:
    from restwright.adapters.anthropic import tools

    made = {tool.name: tool for tool in tools(toolbox)}
    return [*made], lambda name, given: made[name].call(given)


def langchain(toolbox: Any) -> Made:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    from restwright.adapters.langchain import tools

    made = {tool.name: tool for tool in tools(toolbox)}
    assert all(convert_to_openai_tool(tool) for tool in made.values())

    def call(name: str, given: Any) -> object:
        asked = {"name": name, "args": given, "id": "c", "type": "tool_call"}
        return made[name].invoke(asked)

    return [*made], call


def llama_index(toolbox: Any) -> Made:
    from restwright.adapters.llama_index import tools

    made = {tool.metadata.name: tool for tool in tools(toolbox)}
    assert all(tool.metadata.to_openai_tool() for tool in made.values())
    return [*map(str, made)], lambda name, given: asyncio.run(made[name].acall(**given))


def openai_agents(toolbox: Any) -> Made:
    from agents.tool_context import ToolContext

    from restwright.adapters.openai_agents import tools

    made = {tool.name: tool for tool in tools(toolbox)}

    def call(name: str, given: Any) -> object:
        text = json.dumps(given)
        context = ToolContext(None, tool_name=name, tool_call_id="c", tool_arguments=text)
        return asyncio.run(made[name].on_invoke_tool(context, text))

    return [*made], call


def pydantic_ai(toolbox: Any) -> Made:
    from pydantic_ai import RunContext
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RunUsage

    from restwright.adapters.pydantic_ai import toolset

    context: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())

    async def begin() -> Any:
        begun = await toolset(toolbox).for_run_step(context)
        return begun, await begun.get_tools(context)

    begun, made = asyncio.run(begin())
    return [*made], lambda name, given: asyncio.run(
        begun.call_tool(name, given, context, made[name])
    )


MAKERS: dict[str, tuple[str, Callable[[Any], Made]]] = {
    "adk": ("google.adk", adk),
    "agent_framework": ("agent_framework", agent_framework),
    "anthropic": ("anthropic", anthropic),
    "langchain": ("langchain", langchain),
    "llama_index": ("llama_index.core", llama_index),
    "openai_agents": ("agents", openai_agents),
    "pydantic_ai": ("pydantic_ai", pydantic_ai),
}
"""The package of each adapter, and what makes its tools."""
