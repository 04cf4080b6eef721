"""One part of what a model reads of a tool, for whoever asks for what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, is_object
from restwright.openapi.references import join_pointer
from restwright.tools.build import DocumentSchemas, build_argument_schema
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.schemas.traverse import schema_members
from restwright.tools.schemas.visible import SchemaView
from restwright.tools.tool import Tool


def show_schema_part(
    tool: Tool,
    pointer: str,
    *,
    schemas: DocumentSchemas,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> SchemaView:
    """
    The part of a tool's schema at a JSON Pointer, whole as far as the budget allows; never lean.

    Args:
        pointer: Into `tool.shows`, also where that leaves something out.
        schemas: Those that `tool` was built with; its catalog holds them.
        options: As `schemas`.

    Raises:
        UnresolvedReference: Nothing is there.
    """
    if pointer and not pointer.startswith("/"):
        raise UnresolvedReference(pointer, "a JSON Pointer begins with `/`")
    shows = schemas.shows
    root = build_argument_schema(tool.operation, schemas, options.layout)
    part: Json = shows.definitions.resolve(shows.part_at(root, pointer))
    if isinstance(part, bool):
        part = {} if part else {"not": {}}
    if not is_object(part):
        raise UnresolvedReference(pointer, "no schema stands there")
    return shows.render(part, budget=options.budget)


def suggest_pointers(tool: Tool, pointer: str, *, count: int = 5) -> tuple[str, ...]:
    """The pointers into `tool.shows` that are most like one that leads nowhere."""
    known = list(_list_pointers(tool.shows, ""))
    return tuple(get_close_matches(pointer, known, n=count, cutoff=0.4)) or tuple(known[:count])


def _list_pointers(schema: Json, pointer: str) -> Iterator[str]:
    """The places of the schemas within a schema, the nearest to the top first."""
    waiting = [(pointer, schema)]
    for place, each in waiting:
        if is_object(each):
            waiting += [
                (place + join_pointer(*tokens), part) for tokens, part in schema_members(each)
            ]
    yield from (place for place, _ in waiting[1:])
