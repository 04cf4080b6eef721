"""The operations that a baseline lists for its model, in short names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from restwright.agents.execution.failure import first_line
from restwright.agents.rest.run import RestRun, short_name
from restwright.tools.tool import Tool
from restwright.tools.toolset import match_tools

MAX_LISTED = 60
"""As many operations are all listed: about what the paper's selector reads of one API."""

MAX_FOUND = 20
"""As many are searched where there are more."""


def list_operations(
    run: RestRun, text: str, *, reserved: Collection[str] = ()
) -> Mapping[str, Tool]:
    """
    All operations of a small catalog, in its documents' order; else those that `text` finds.

    Args:
        reserved: Words that stand for something else, so that no operation is listed under them.
    """
    names = run.catalog.names
    if len(names) > MAX_LISTED:
        names = tuple(match.name for match in match_tools(text, run.catalog, MAX_FOUND))
    tools = [run.catalog[name] for name in names]
    named = ((short_name(tool, run.catalog), tool) for tool in tools)
    return {tool.name if name in reserved else name: tool for name, tool in named}


def without_other_writes(
    run: RestRun, tools: Mapping[str, Tool], failed: Collection[str]
) -> Mapping[str, Tool]:
    """Once a write failed, no other one is to be chosen in its place."""
    if not failed:
        return tools
    return {name: tool for name, tool in tools.items() if run.is_read(tool) or tool.name in failed}


def operation_lines(tools: Mapping[str, Tool]) -> str:
    """One line an operation."""
    return "\n".join(f"- {name}: {first_line(tool)}" for name, tool in tools.items())
