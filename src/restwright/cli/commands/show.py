"""`show`: one tool whole, or one part of its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter

from restwright.cli.inputs.options import Document, OptionalName, Presented, place_words
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.render.tool import (
    Section,
    indented_json,
    join_sections,
    left_out_lines,
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
    name: OptionalName = None,
    pointer: Pointer = None,
    *,
    presented: Presented,
    out: Output,
) -> int:
    """Show one tool whole, or one part of its schema."""
    documents, name, pointer = _place_words(document, name, pointer, presented)
    from restwright.tools.catalog.records import tool_record

    catalog = load_catalog(documents, presented.catalog_settings(), out.warn)
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


def _place_words(
    document: str, name: str | None, pointer: str | None, presented: Presented
) -> tuple[list[str], str, str | None]:
    """`[DOC] NAME [POINTER]`: a pointer is empty or begins with a slash, and no name does."""
    if presented.mcp and pointer is None and name is not None and name[:1] in {"", "/", "#"}:
        return [], document, name
    words = place_words((document, name), ("DOC", "NAME"), has_server=bool(presented.mcp))
    return ([] if words[0] is None else [words[0]]), str(words[1]), pointer


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
