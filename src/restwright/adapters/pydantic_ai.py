"""A toolbox as a toolset of pydantic-ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered, show_pending
from restwright.toolboxes.pending import Pending
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.toolsets import AbstractToolset


def toolset(
    toolbox: Toolbox, *, name: str = "restwright", retries: int = 3
) -> AbstractToolset[Any]:
    """
    Return a toolset that offers what the prompt of a run is about, where the catalog is large.

    A write that waits is a tool that requires approval: the agent has `DeferredToolRequests` among
    its output types, and the metadata of the request say what would be sent. What a model can mend
    is a `ModelRetry`; the whole `Result` is the metadata of a return.

    Args:
        name: By which pydantic-ai knows the toolset.
        retries: As often one tool may be called again after a mistake.
    """
    from pydantic_ai.toolsets import DynamicToolset, FunctionToolset

    def offer(ctx: RunContext[Any]) -> AbstractToolset[Any]:
        about = ctx.prompt if isinstance(ctx.prompt, str) else ""
        made = [_make_tool(tool) for tool in list_offered(toolbox, about=about)]
        return FunctionToolset(made, max_retries=retries)

    return DynamicToolset(offer, id=name)


def _make_tool(tool: BoundTool) -> Tool[Any]:
    from pydantic_ai import ApprovalRequired, ModelRetry, Tool, ToolReturn

    async def call(ctx: RunContext[Any], /, **arguments: Any) -> Any:
        def decide(pending: Pending) -> bool:
            if not ctx.tool_call_approved:
                raise ApprovalRequired(metadata=show_pending(pending))
            return True

        reply = await tool.call_async(arguments, decide)
        if reply.result is not None and reply.result.repairable_by == "model":
            raise ModelRetry(reply.text)
        return ToolReturn(reply.text, metadata=reply.result)

    asks = tool.toolbox.asks(tool.name)
    return Tool.from_schema(
        call, tool.name, tool.description, tool.schema, takes_ctx=True, sequential=asks
    )
