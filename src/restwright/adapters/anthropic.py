"""A toolbox as tools for the tool runner of Anthropic's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered, read_text
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncFunctionTool, BetaFunctionTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[BetaFunctionTool[Any]]:
    """
    Return what a toolbox offers about a question, for `client.beta.messages.tool_runner`.

    The runner asks nobody: give the toolbox an `approve`, or a write waits in `toolbox.pending`.
    What went wrong is a `ToolError`.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def async_tools(toolbox: Toolbox, *, about: str = "") -> list[BetaAsyncFunctionTool[Any]]:
    """Do the same as `tools()` for the runner of `AsyncAnthropic`."""
    return [_make_async_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> BetaFunctionTool[Any]:
    from anthropic.lib.tools import BetaFunctionTool, ToolError

    def call(**arguments: Any) -> str:
        return read_text(tool.call(arguments), ToolError)

    return BetaFunctionTool(call, **_describe(tool))


def _make_async_tool(tool: BoundTool) -> BetaAsyncFunctionTool[Any]:
    from anthropic.lib.tools import BetaAsyncFunctionTool, ToolError

    async def call(**arguments: Any) -> str:
        return read_text(await tool.call_async(arguments), ToolError)

    return BetaAsyncFunctionTool(call, **_describe(tool))


def _describe(tool: BoundTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
