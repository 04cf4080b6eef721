"""A toolbox as function tools of the OpenAI Agents SDK."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.offered import PROVIDER, OfferedShape, list_offered, to_call
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
    return [_make_tool(toolbox, each) for each in list_offered(toolbox, about=about)]


def _make_tool(toolbox: Toolbox, shape: OfferedShape) -> FunctionTool:
    from agents.tool_context import ToolContext

    from agents import FunctionTool

    async def invoke(context: ToolContext[Any], text: str) -> str:
        call = to_call(shape.name, read_call_arguments(text) or {})
        reply = await toolbox.reply_async(PROVIDER, call)
        is_allowed = context.is_tool_approved(shape.name, context.tool_call_id) is True
        if reply.pending is not None and is_allowed:
            reply = await toolbox.approve_async(reply.pending)
        return reply.text

    async def asks(context: Any, arguments: Any, call_id: str) -> bool:
        return toolbox.asks(shape.name, arguments)

    return FunctionTool(
        name=shape.name,
        description=shape.description,
        params_json_schema=shape.schema,
        on_invoke_tool=invoke,
        # Strict would make every property a required one.
        strict_json_schema=False,
        needs_approval=asks,
    )
