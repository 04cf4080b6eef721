"""A toolbox as function tools of the OpenAI Agents SDK."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered
from restwright.calls.tool_call import read_call_arguments
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from agents import FunctionTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[FunctionTool]:
    """
    Return what a toolbox offers about a question, as function tools.

    A write that waits needs approval: `result.interruptions`, `state.approve(item)`. What went
    wrong is the text that the model reads, since what is raised would end the run.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> FunctionTool:
    from agents.tool_context import ToolContext

    from agents import FunctionTool

    async def invoke(context: ToolContext[Any], text: str) -> str:
        is_allowed = context.is_tool_approved(tool.name, context.tool_call_id) is True
        given = read_call_arguments(text) or {}
        return (await tool.call_async(given, lambda _: is_allowed or None)).text

    async def asks(context: Any, arguments: Any, call_id: str) -> bool:
        return tool.toolbox.asks(tool.name, arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.schema,
        on_invoke_tool=invoke,
        # Strict would make every property a required one.
        strict_json_schema=False,
        needs_approval=asks,
    )
