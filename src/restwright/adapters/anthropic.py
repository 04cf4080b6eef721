"""A toolbox as tools for the tool runner of Anthropic's client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from restwright.adapters.offered import PROVIDER, list_offered, to_call
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncFunctionTool, BetaFunctionTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[BetaFunctionTool[Any]]:
    """
    Return what a toolbox offers about a question, for `client.beta.messages.tool_runner`.

    The runner asks nobody: give the toolbox an `approve`, or a write waits in `toolbox.pending`.
    What went wrong is a `ToolError`.
    """
    from anthropic.lib.tools import BetaFunctionTool

    return [
        BetaFunctionTool(
            partial(_call, toolbox, each.name),
            name=each.name,
            description=each.description,
            input_schema=cast("Any", each.schema),
        )
        for each in list_offered(toolbox, about=about)
    ]


def async_tools(toolbox: Toolbox, *, about: str = "") -> list[BetaAsyncFunctionTool[Any]]:
    """Do the same as `tools()` for the runner of `AsyncAnthropic`."""
    from anthropic.lib.tools import BetaAsyncFunctionTool

    return [
        BetaAsyncFunctionTool(
            partial(_call_async, toolbox, each.name),
            name=each.name,
            description=each.description,
            input_schema=cast("Any", each.schema),
        )
        for each in list_offered(toolbox, about=about)
    ]


def _call(toolbox: Toolbox, name: str, /, **arguments: Any) -> str:
    return _content(toolbox.reply(PROVIDER, to_call(name, arguments)))


async def _call_async(toolbox: Toolbox, name: str, /, **arguments: Any) -> str:
    return _content(await toolbox.reply_async(PROVIDER, to_call(name, arguments)))


def _content(reply: Reply) -> str:
    from anthropic.lib.tools import ToolError

    if not reply.ok and reply.pending is None:
        raise ToolError(reply.text)
    return reply.text
