"""`show`: one tool whole, or one part of its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter

from restwright.cli.inputs.options import Document, Presented, ToolName
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.render.tool import (
    Section,
    indented_json,
    join_sections,
    left_out_lines,
    tool_record,
    tool_sections,
)
from restwright.jsontypes import JsonObject
from restwright.workspace.documents import find_tool, load_catalog

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.tool import Tool

Pointer = Annotated[
    str | None, Argument(metavar="POINTER", help="Into the schema: only what is there, whole.")
]


def show(
    document: Document,
    name: ToolName,
    pointer: Pointer = None,
    *,
    presented: Presented,
    out: Output,
) -> int:
    """Show one tool whole, or one part of its schema."""
    catalog = load_catalog([document], presented.catalog_settings(), out.warn)
    tool = find_tool(catalog, name)
    if pointer is not None:
        shown, sections = _part(tool, catalog, pointer.removeprefix("#"))
    else:
        shown = tool_record(tool, catalog, presented.dialect)
        sections = list(tool_sections(tool, catalog.apis[tool.namespace], shown))
    if out.json:
        out.value(shown)
        return DONE
    out.text(join_sections(sections))
    return DONE


def _part(tool: Tool, catalog: Catalog, pointer: str) -> tuple[JsonObject, list[Section]]:
    from restwright.errors import UnresolvedReference
    from restwright.tools.schema_part import show_schema_part, suggest_pointers

    try:
        schemas = catalog.schemas[tool.namespace]
        part = show_schema_part(tool, pointer, schemas=schemas, options=catalog.options)
    except UnresolvedReference:
        near = ", ".join(suggest_pointers(tool, pointer)) or "none"
        what = f"{tool.name} has nothing at {pointer}; there are {near}"
        raise BadParameter(what) from None
    left_out = list(part.left_out())
    shown = {
        "name": tool.name,
        "pointer": pointer,
        "parameters": part.schema,
        "left_out": left_out,
    }
    title = f"{tool.name} {pointer}"
    return shown, [
        (title, indented_json(part.schema)),
        ("Left out", list(left_out_lines(tool, left_out))),
    ]
