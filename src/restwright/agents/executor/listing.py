"""The operations that a baseline lists for its model, in short names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from restwright.agents.executor.running import Run
from restwright.agents.roles.outcome import first_line
from restwright.tools.offer import matches
from restwright.tools.tool import Tool

MOST = 60
"""As many operations are all listed: about what the paper's selector reads of one API."""

FOUND = 20
"""As many are searched where there are more."""


def listed(run: Run, text: str, *, beside: str = "") -> Mapping[str, Tool]:
    """
    All operations of a small catalog, in its documents' order; else those that `text` finds.

    Args:
        beside: A word that stands for something else, so that no operation is listed under it.
    """
    names = run.catalog.names
    if len(names) > MOST:
        names = tuple(each.name for each in matches(text, run.catalog, FOUND))
    named = ((run.short_name(tool), tool) for tool in run.in_order(names))
    return {tool.name if name == beside else name: tool for name, tool in named}


def without_others(
    run: Run, tools: Mapping[str, Tool], failed: Collection[str]
) -> Mapping[str, Tool]:
    """Once a write failed, no other one is to be chosen in its place."""
    if not failed:
        return tools
    return {name: tool for name, tool in tools.items() if run.is_read(tool) or tool.name in failed}


def lines_of(tools: Mapping[str, Tool]) -> str:
    """One line an operation."""
    return "\n".join(f"- {name}: {first_line(tool)}" for name, tool in tools.items())
