"""A toolbox as tools of LlamaIndex."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from restwright.adapters.bound_tool import BoundTool
from restwright.adapters.offered import list_offered, read_text
from restwright.errors import Said
from restwright.toolboxes.toolbox import Toolbox

if TYPE_CHECKING:
    from llama_index.core.tools import FunctionTool

_MAX_DESCRIPTION = 1_024


def tools(toolbox: Toolbox, *, about: str = "") -> list[FunctionTool]:
    """
    Return what a toolbox offers about a question, as function tools.

    Its agents ask nobody before a call: give the toolbox an `approve`, or a write waits in
    `toolbox.pending`. What went wrong is raised, which agents tell the model as an error.
    """
    return [_make_tool(tool) for tool in list_offered(toolbox, about=about)]


def _make_tool(tool: BoundTool) -> FunctionTool:
    from llama_index.core.tools import FunctionTool, ToolMetadata

    @dataclass
    class Metadata(ToolMetadata):
        schema: dict[str, Any] = field(default_factory=dict)

        def get_parameters_dict(self) -> dict[str, Any]:
            return self.schema

    def call(**arguments: Any) -> str:
        return read_text(tool.call(arguments), Said)

    async def call_async(**arguments: Any) -> str:
        return read_text(await tool.call_async(arguments), Said)

    described = tool.description[:_MAX_DESCRIPTION]
    metadata = Metadata(described, tool.name, fn_schema=None, schema=tool.schema)
    return FunctionTool(fn=call, async_fn=call_async, metadata=metadata)
