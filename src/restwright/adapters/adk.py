"""A toolbox as tools of Google's Agent Development Kit."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.offered import PROVIDER, OfferedShape, list_offered, to_call
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from google.adk.tools import BaseTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[BaseTool]:
    """
    Return what a toolbox offers about a question, as tools of an `LlmAgent`.

    A write that waits requests confirmation, with the question as its hint; what the person says
    comes back with the same call. What went wrong is `{"error": text}`.
    """
    return [_make_tool(toolbox, each) for each in list_offered(toolbox, about=about)]


def _make_tool(toolbox: Toolbox, shape: OfferedShape) -> BaseTool:
    from google.adk.tools import BaseTool
    from google.genai.types import FunctionDeclaration

    class RestwrightTool(BaseTool):
        def _get_declaration(self) -> FunctionDeclaration:
            return FunctionDeclaration(
                name=shape.name,
                description=shape.description,
                parameters_json_schema=shape.schema,
            )

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
            reply = await toolbox.reply_async(PROVIDER, to_call(shape.name, args))
            if (pending := reply.pending) is not None:
                word = getattr(tool_context, "tool_confirmation", None)
                if word is None and tool_context is not None:
                    toolbox.refuse(pending)
                    shown = {"request": pending.request, "hash": pending.hash}
                    tool_context.request_confirmation(hint=pending.question, payload=shown)
                    return {"error": reply.text}
                if word is not None:
                    is_allowed = word.confirmed is True
                    reply = (
                        await toolbox.approve_async(pending)
                        if is_allowed
                        else toolbox.refuse(pending)
                    )
            return {"output" if reply.ok else "error": reply.text}

    return RestwrightTool(name=shape.name, description=shape.description)
