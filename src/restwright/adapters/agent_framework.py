"""A toolbox as function tools of Microsoft's Agent Framework."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from agent_framework import FunctionTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[FunctionTool]:
    """
    Return what a toolbox offers about a question, as function tools.

    The framework asks a person before a tool that writes runs (`approval_mode`); what it lets run
    is approved. What went wrong is the text that the model reads.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> FunctionTool:
    from agent_framework import FunctionTool

    # What `call_tool` would call is not known before.
    asks = tool.toolbox.asks(tool.name) or tool.name == "call_tool"

    async def call(**arguments: Any) -> str:
        reply = await tool.call_async(arguments, lambda _: asks or None)
        return reply.text

    # Checked by us: what a shortened schema leaves out may be given too.
    schema = {key: value for key, value in tool.schema.items() if key != "additionalProperties"}
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        func=call,
        input_model=schema,
        approval_mode="always_require" if asks else "never_require",
    )
