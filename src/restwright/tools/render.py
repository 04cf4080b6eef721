"""One tool in the words of one dialect, within its budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright.tools.build import Schemas, root_shown
from restwright.tools.dialects import Dialect, Rewritten, provider_tool, rewritten
from restwright.tools.options import DEFAULT, ToolOptions
from restwright.tools.text.json_bytes import written
from restwright.tools.tool import Tool

_TRIES = 5
_LEAST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
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


def said(tool: Tool, dialect: Dialect, *, schemas: Schemas, options: ToolOptions = DEFAULT) -> Said:
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
    made = schema_within(tool, tool.shows, dialect, allowed, schemas=schemas, options=options)
    return Said(
        shape=shaped(tool, dialect, made),
        schema=made.schema,
        is_strict=made.is_strict,
        notes=made.notes,
    )


def shaped(
    tool: Tool, dialect: Dialect, schema: Rewritten, *, description: str | None = None
) -> JsonObject:
    """A tool around its schema in the shape of a dialect, with its own description or another."""
    return provider_tool(
        dialect,
        name=tool.name,
        description=tool.description if description is None else description,
        schema=schema,
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )


def schema_within(
    tool: Tool,
    shown: JsonObject,
    dialect: Dialect,
    allowed: int,
    *,
    schemas: Schemas,
    options: ToolOptions = DEFAULT,
    least: int = _LEAST,
) -> Rewritten:
    """
    The schema of a tool in a dialect, in at most `allowed` characters where that can be reached.

    Args:
        shown: What is tried first.
        least: Characters below which nothing more is tried.
    """
    room = allowed
    made = rewritten(shown, dialect, max_chars=room)
    root: JsonObject | None = None
    for _ in range(_TRIES):
        excess = len(written(made.schema)) - allowed
        if excess <= 0 or room <= least:
            break
        room = max(room - excess - room // 20, least)
        root = root or root_shown(tool.operation, schemas, options.layout)
        less = schemas.shows.within(root, budget=room, lean=options.lean)
        made = rewritten(less.schema, dialect, max_chars=room)
    return made
