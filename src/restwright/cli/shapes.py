"""Tools and problems as the JSON that commands print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from restwright.typing import JsonObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from restwright.openapi.model import Problem
    from restwright.tools.dialects import Dialect
    from restwright.tools.tool import Tool

_NOTES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """
    One tool in the words of a provider.

    Args:
        shape: As the provider takes it.
        schema: Of the arguments, alone.
        notes: What could not be said.
    """

    shape: JsonObject
    schema: JsonObject
    notes: tuple[str, ...]


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


def said_in(dialect: Dialect, tool: Tool, *, budget: int) -> Said:
    """`tool` in the words of `dialect`, in about `budget` characters where it has to be inlined."""
    from restwright.tools.dialects import provider_tool, rewritten

    room = max(budget - len(tool.name) - len(tool.description), 1)
    schema = rewritten(tool.shows, dialect, max_chars=room)
    shape = provider_tool(
        dialect,
        name=tool.name,
        description=tool.description,
        schema=schema,
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )
    return Said(shape=shape, schema=schema.schema, notes=schema.notes)


def dialect_problem(dialect: Dialect, tool: Tool, notes: Sequence[str]) -> Problem:
    """What a dialect could not say about a tool, as something to know about the document."""
    from restwright.openapi.model import Problem

    listed = "; ".join(notes[:_NOTES])
    more = f"; and {len(notes) - _NOTES} more" if len(notes) > _NOTES else ""
    action = "said loosely" if dialect.loosely else "left out"
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
