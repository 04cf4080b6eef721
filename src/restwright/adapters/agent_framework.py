"""A toolbox as function tools of Microsoft's Agent Framework."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.offered import PROVIDER, OfferedShape, list_offered, to_call
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from agent_framework import FunctionTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[FunctionTool]:
    """
    Return what a toolbox offers about a question, as function tools.

    The framework asks a person before a tool that writes runs (`approval_mode`); what it lets run
    is approved. What went wrong is the text that the model reads.
    """
    return [_make_tool(toolbox, each) for each in list_offered(toolbox, about=about)]


def _make_tool(toolbox: Toolbox, shape: OfferedShape) -> FunctionTool:
    from agent_framework import FunctionTool

    # What `call_tool` would call is not known before.
    asks = toolbox.asks(shape.name) or shape.name == "call_tool"

    async def call(**arguments: Any) -> str:
        reply = await toolbox.reply_async(PROVIDER, to_call(shape.name, arguments))
        if asks and reply.pending is not None:
            reply = await toolbox.approve_async(reply.pending)
        return reply.text

    return FunctionTool(
        name=shape.name,
        description=shape.description,
        func=call,
        input_model=shape.schema,
        approval_mode="always_require" if asks else "never_require",
    )
