"""A toolbox as tools of Google's Agent Development Kit."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered, show_pending
from restwright.toolboxes.pending import Pending
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from google.adk.tools import BaseTool


def tools(toolbox: Toolbox, *, about: str = "") -> list[BaseTool]:
    """
    Return what a toolbox offers about a question, as tools of an `LlmAgent`.

    A write that waits requests confirmation, with the question as its hint; what the person says
    comes back with the same call. What went wrong is `{"error": text}`.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> BaseTool:
    from google.adk.tools import BaseTool
    from google.genai.types import FunctionDeclaration

    class RestwrightTool(BaseTool):
        def _get_declaration(self) -> FunctionDeclaration:
            return FunctionDeclaration(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=tool.schema,
            )

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
            def decide(pending: Pending) -> bool | None:
                if (word := getattr(tool_context, "tool_confirmation", None)) is not None:
                    return word.confirmed is True
                if tool_context is not None:
                    shown = show_pending(pending)
                    tool_context.request_confirmation(hint=pending.question, payload=shown)
                    # The call comes once more, with the person's word.
                    tool.toolbox.refuse(pending)
                return None

            reply = await tool.call_async(args, decide)
            return {"output" if reply.ok else "error": reply.text}

    return RestwrightTool(name=tool.name, description=tool.description)
