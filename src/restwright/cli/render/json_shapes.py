"""What a dialect cannot say of a tool, as commands print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from restwright.openapi.model import Problem
    from restwright.tools.dialects import Dialect
    from restwright.tools.tool import Tool

_NOTES = 3


def dialect_problem(dialect: Dialect, tool: Tool, notes: Sequence[str]) -> Problem:
    """What a dialect could not say about a tool, as something to know about the document."""
    from restwright.openapi.model import Problem

    listed = "; ".join(notes[:_NOTES])
    more = f"; and {len(notes) - _NOTES} more" if len(notes) > _NOTES else ""
    action = "said loosely" if dialect.loose_rules else "left out"
    what = f"{dialect.name} cannot say all of {tool.name}: {listed}{more}"
    return Problem(tool.operation.pointer, what, "information", action)
