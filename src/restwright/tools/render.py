"""One tool in the words of one dialect, within its budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright.tools.build import DocumentSchemas, build_argument_schema
from restwright.tools.dialects import Dialect, DialectSchema, rewrite_schema, to_provider_tool
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool

_TRIES = 5
_LEAST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedTool:
    """
    A tool in a provider's shape.

    Args:
        shape: What the provider takes.
        schema: The schema inside it.
        is_strict: Whether the provider can enforce it while the model writes.
        notes: What the dialect cannot say, and where.
    """

    shape: JsonObject = field(repr=False)
    schema: JsonObject = field(repr=False)
    is_strict: bool = False
    notes: tuple[str, ...] = ()


def render_tool(
    tool: Tool,
    dialect: Dialect,
    *,
    schemas: DocumentSchemas,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> RenderedTool:
    """
    Say a tool in a dialect.

    What moves into texts can make a schema longer; then more of it is left out before.

    Args:
        schemas: Those that `tool` was built with; its catalog holds them.
        options: As `schemas`.

    Returns:
        Name, description and schema have at most `options.budget` characters, where leaving out
        parts can reach that.
    """
    used = len(tool.name) + len(tool.description)
    allowed = max(options.budget - used, _LEAST)
    made = fit_schema(tool, tool.shows, dialect, allowed, schemas=schemas, options=options)
    return RenderedTool(
        shape=shape_tool(tool, dialect, made),
        schema=made.schema,
        is_strict=made.is_strict,
        notes=made.notes,
    )


def shape_tool(
    tool: Tool, dialect: Dialect, schema: DialectSchema, *, description: str | None = None
) -> JsonObject:
    """A tool around its schema in the shape of a dialect, with its own description or another."""
    return to_provider_tool(
        dialect,
        name=tool.name,
        description=tool.description if description is None else description,
        schema=schema,
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )


def fit_schema(
    tool: Tool,
    shown: JsonObject,
    dialect: Dialect,
    allowed: int,
    *,
    schemas: DocumentSchemas,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
    least: int = _LEAST,
) -> DialectSchema:
    """
    The schema of a tool in a dialect, in at most `allowed` characters where that can be reached.

    Args:
        shown: What is tried first.
        least: Characters below which nothing more is tried.
    """
    room = allowed
    made = rewrite_schema(shown, dialect, max_chars=room)
    root: JsonObject | None = None
    for _ in range(_TRIES):
        excess = len(to_json_bytes(made.schema)) - allowed
        if excess <= 0 or room <= least:
            break
        room = max(room - excess - room // 20, least)
        root = root or build_argument_schema(tool.operation, schemas, options.layout)
        less = schemas.shows.render(root, budget=room, lean=options.lean)
        made = rewrite_schema(less.schema, dialect, max_chars=room)
    return made
