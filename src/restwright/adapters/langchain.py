"""A toolbox as tools of LangChain and LangGraph."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.interrupts import interrupt_for_word
from restwright.adapters.offered import list_offered, read_text
from restwright.calls.response.result import Result
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[BaseTool]:
    """
    Return what a toolbox offers about a question, as tools of an agent or a graph.

    A write that waits interrupts the graph with `{"tool", "question", "request", "hash"}`, and goes
    on with `Command(resume=True)`, `"approve"` or `{"type": "approve"}`; anything else refuses it.
    Outside of a graph it is not sent, and waits in `toolbox.pending`. What went wrong is a
    `ToolException`; the whole `Result` is the artifact.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> BaseTool:
    from langchain_core.tools import BaseTool

    class RestwrightTool(BaseTool):
        # An argument may have any name, `self` and `config` included.
        def _run(self, /, **arguments: Any) -> tuple[str, Result | None]:
            return _content(tool.call(arguments, interrupt_for_word))

        async def _arun(self, /, **arguments: Any) -> tuple[str, Result | None]:
            return _content(await tool.call_async(arguments, interrupt_for_word))

    return RestwrightTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.schema,
        handle_tool_error=True,
        response_format="content_and_artifact",
    )


def _content(reply: Reply) -> tuple[str, Result | None]:
    from langchain_core.tools import ToolException

    return read_text(reply, ToolException), reply.result
