"""One tool in the words of one dialect, within its budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.tools.build import Schemas, root_shown
from restwright.tools.dialects import Dialect, provider_tool, rewritten
from restwright.tools.options import DEFAULT, ToolOptions
from restwright.tools.tool import Tool
from restwright.tools.written import written
from restwright.typing import JsonObject

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
    room = allowed
    made = rewritten(tool.shows, dialect, max_chars=room)
    root: JsonObject | None = None
    for _ in range(_TRIES):
        excess = len(written(made.schema)) - allowed
        if excess <= 0 or room <= _LEAST:
            break
        room = max(room - excess - room // 20, _LEAST)
        root = root or root_shown(tool.operation, schemas, options.layout)
        shown = schemas.shows.within(root, budget=room, lean=options.lean)
        made = rewritten(shown.schema, dialect, max_chars=room)
    shape = provider_tool(
        dialect,
        name=tool.name,
        description=tool.description,
        schema=made,
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )
    return Said(shape=shape, schema=made.schema, is_strict=made.is_strict, notes=made.notes)
