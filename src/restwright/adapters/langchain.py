"""A toolbox as tools of LangChain and LangGraph."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.offered import PROVIDER, OfferedShape, list_offered, to_call
from restwright.calls.response.result import Result
from restwright.toolboxes.pending import Pending
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_ALLOWED = ("approve", True)


def tools(toolbox: Toolbox, *, about: str = "") -> list[BaseTool]:
    """
    Return what a toolbox offers about a question, as structured tools.

    A write that waits interrupts the graph with `{"tool", "question", "request", "hash"}`, and goes
    on with `Command(resume=True)`, `"approve"` or `{"type": "approve"}`; anything else refuses it.
    Outside of a graph it is not sent, and waits in `toolbox.pending`. What went wrong is a
    `ToolException`; the whole `Result` is the artifact.
    """
    return [_make_tool(toolbox, each) for each in list_offered(toolbox, about=about)]


def _make_tool(toolbox: Toolbox, shape: OfferedShape) -> BaseTool:
    from langchain_core.tools import StructuredTool

    # The names of arguments are those of the tool, and LangGraph looks at annotations.
    def call(**arguments):
        reply = toolbox.reply(PROVIDER, to_call(shape.name, arguments))
        if (pending := reply.pending) is not None:
            word = _interrupt(toolbox, pending)
            if word is not None:
                reply = (toolbox.approve if word else toolbox.refuse)(pending)
        return _content(reply)

    async def call_async(**arguments):
        reply = await toolbox.reply_async(PROVIDER, to_call(shape.name, arguments))
        if (pending := reply.pending) is not None:
            word = _interrupt(toolbox, pending)
            if word is not None:
                reply = await toolbox.approve_async(pending) if word else toolbox.refuse(pending)
        return _content(reply)

    return StructuredTool(
        name=shape.name,
        description=shape.description,
        args_schema=shape.schema,
        func=call,
        coroutine=call_async,
        handle_tool_error=True,
        response_format="content_and_artifact",
    )


def _content(reply: Reply) -> tuple[str, Result | None]:
    from langchain_core.tools import ToolException

    if not reply.ok and reply.pending is None:
        raise ToolException(reply.text)
    return reply.text, reply.result


def _interrupt(toolbox: Toolbox, pending: Pending) -> bool | None:
    """A person's word; None outside of a graph. The interrupt itself is an exception."""
    try:
        from langgraph.types import interrupt
    except ImportError:
        return None
    shown = {"tool": pending.tool, "question": pending.question, "request": pending.request}
    try:
        said: Any = interrupt({**shown, "hash": pending.hash})
    except (RuntimeError, KeyError):
        return None
    except BaseException:
        # The call is made once more when the graph goes on.
        toolbox.refuse(pending)
        raise
    return (said.get("type") if isinstance(said, dict) else said) in _ALLOWED
