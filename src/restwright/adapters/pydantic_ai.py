"""A toolbox as a toolset of pydantic-ai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.offered import PROVIDER, is_for_model, list_offered, to_call
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
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
    from pydantic_ai import ApprovalRequired, ModelRetry, RunContext, ToolDefinition, ToolReturn
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
    from pydantic_core import SchemaValidator, core_schema

    any_arguments = SchemaValidator(core_schema.any_schema())

    class RestwrightToolset(AbstractToolset[Any]):
        @property
        def id(self) -> str:
            return name

        async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
            about = ctx.prompt if isinstance(ctx.prompt, str) else ""
            return {
                each.name: ToolsetTool(
                    toolset=self,
                    tool_def=ToolDefinition(
                        name=each.name,
                        description=each.description,
                        parameters_json_schema=each.schema,
                        sequential=toolbox.asks(each.name),
                    ),
                    max_retries=retries,
                    args_validator=any_arguments,
                )
                for each in list_offered(toolbox, about=about)
            }

        async def call_tool(
            self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: Any
        ) -> Any:
            reply = await toolbox.reply_async(PROVIDER, to_call(name, tool_args))
            if (pending := reply.pending) is not None:
                if not ctx.tool_call_approved:
                    toolbox.refuse(pending)
                    shown = {"question": pending.question, "request": pending.request}
                    raise ApprovalRequired(metadata={**shown, "hash": pending.hash})
                reply = await toolbox.approve_async(pending)
            if is_for_model(reply):
                raise ModelRetry(reply.text)
            return ToolReturn(reply.text, metadata=reply.result)

    return RestwrightToolset()
