"""Tools and problems as the JSON that commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from restwright.jsontypes import JsonObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from restwright.openapi.model import Problem
    from restwright.tools.dialects import Dialect
    from restwright.tools.tool import Tool

_NOTES = 3


def tool_json(tool: Tool) -> JsonObject:
    """A tool in no provider's shape."""
    return {
        "name": tool.name,
        "namespace": tool.namespace,
        "operation": tool.operation_name,
        "description": tool.description,
        "parameters": tool.shows,
        "method": tool.operation.method.upper(),
        "path": tool.operation.path,
        "tags": list(tool.operation.tags),
        "deprecated": tool.operation.deprecated,
        "read_only": tool.is_read,
    }


def dialect_problem(dialect: Dialect, tool: Tool, notes: Sequence[str]) -> Problem:
    """What a dialect could not say about a tool, as something to know about the document."""
    from restwright.openapi.model import Problem

    listed = "; ".join(notes[:_NOTES])
    more = f"; and {len(notes) - _NOTES} more" if len(notes) > _NOTES else ""
    action = "said loosely" if dialect.loose_rules else "left out"
    what = f"{dialect.name} cannot say all of {tool.name}: {listed}{more}"
    return Problem(tool.operation.pointer, what, "information", action)


def problem_json(problem: Problem) -> JsonObject:
    """A problem."""
    return {
        "pointer": problem.pointer,
        "what": problem.what,
        "severity": problem.severity,
        "action": problem.action,
    }
