"""`show`: one tool whole, or one part of its schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter

from restwright.cli.inputs.options import Document, Presented, ToolName
from restwright.cli.render.errors import DONE
from restwright.cli.render.json_shapes import problem_json, tool_json
from restwright.cli.render.output import Output, one_line, to_readable_json
from restwright.jsontypes import Json, JsonObject
from restwright.workspace.documents import find_tool, load_catalog

if TYPE_CHECKING:
    from restwright.openapi.model import API, Problem, SecurityScheme
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.tool import Tool

_OUTPUT_LINES = 60
_LISTED = 12
_PRODUCERS = 5

Pointer = Annotated[
    str | None, Argument(metavar="POINTER", help="Into the schema: only what is there, whole.")
]
Section = tuple[str, Sequence[str]]


def show(
    document: Document,
    name: ToolName,
    pointer: Pointer = None,
    *,
    presented: Presented,
    out: Output,
) -> int:
    """Show one tool whole, or one part of its schema."""
    catalog = load_catalog([document], presented, out)
    tool = find_tool(catalog, name)
    if pointer is not None:
        shown, sections = _part(tool, catalog, pointer.removeprefix("#"))
    else:
        shown = _whole(tool, catalog, presented.dialect)
        sections = list(_sections(tool, catalog.apis[tool.namespace], shown))
    if out.json:
        out.value(shown)
        return DONE
    out.text(_joined(sections))
    return DONE


def text_of(tool: Tool, catalog: Catalog) -> str:
    """One tool whole, as people read it."""
    return _joined(_sections(tool, catalog.apis[tool.namespace], _whole(tool, catalog, None)))


def _joined(sections: Iterable[Section]) -> str:
    return "\n\n".join(_text(*each) for each in sections if each[1])


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
    return shown, [(title, _indented(part.schema)), ("Left out", list(_left_out(tool, left_out)))]


def _whole(tool: Tool, catalog: Catalog, dialect: str | None) -> JsonObject:
    operation = tool.operation
    return {
        **tool_json(tool),
        **(_dialect_json(tool, catalog, dialect) if dialect else {}),
        "checks": tool.checks,
        "left_out": list(tool.left_out),
        "output": tool.output,
        "security": [
            {name: list(scopes) for name, scopes in each.items()} for each in operation.security
        ],
        "servers": [server.default_url for server in tool.operation.servers or tool.servers],
        "producers": _producers_json(tool, catalog),
        "problems": [problem_json(each) for each in _problems(tool, catalog)],
    }


def _dialect_json(tool: Tool, catalog: Catalog, name: str) -> JsonObject:
    from restwright.tools.dialects import dialect_named

    said = catalog.said(tool.name, dialect_named(name))
    return {"parameters": said.schema, "provider": said.shape, "notes": list(said.notes)}


def _producers_json(tool: Tool, catalog: Catalog) -> JsonObject:
    from restwright.tools.producers import find_required_producers

    return {
        name: [
            {
                "tool": each.tool.name,
                "path": list(each.path),
                "why": each.why,
                "confidence": each.confidence,
            }
            for each in several
        ]
        for name, several in find_required_producers(tool, catalog).items()
    }


def _problems(tool: Tool, catalog: Catalog) -> Sequence[Problem]:
    from restwright.cli.render.problems import in_order

    own = tool.operation.pointer
    found = [
        each
        for each in catalog.problems
        if each.pointer == own or each.pointer.startswith(f"{own}/")
    ]
    return in_order(found, catalog.apis[tool.namespace])


def _sections(tool: Tool, api: API, shown: JsonObject) -> Iterator[Section]:
    """What people read: a title and lines, in the order of what matters to a caller."""
    mark = " (deprecated)" if tool.operation.deprecated else ""
    yield tool.name, [f"{shown['method']} {one_line(tool.operation.path)}{mark}"]
    yield "", tool.description.splitlines()
    if "provider" in shown:
        yield "For the provider", _indented(shown["provider"])
        yield "What it cannot say", [f"  {one_line(each)}" for each in shown["notes"]]
    else:
        yield "Parameters", _indented(shown["parameters"])
    yield "Left out", list(_left_out(tool, shown["left_out"]))
    yield "Output", _cut(_indented(shown["output"])) if shown["output"] is not None else []
    yield "Security", list(_security(shown["security"], api.security_schemes))
    yield "Servers", [f"  {one_line(each)}" for each in shown["servers"]]
    yield "Producers", list(_producers(shown["producers"]))
    yield "Problems", [_problem(each) for each in shown["problems"]]


def _text(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines] if title else lines)


def _indented(value: Json) -> list[str]:
    return [f"  {line}" for line in to_readable_json(value).splitlines()]


def _cut(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _OUTPUT_LINES
    return [*lines[:_OUTPUT_LINES], *([f"  ... {more:,} more lines (--json)"] if more > 0 else [])]


def _left_out(tool: Tool, left_out: Sequence[str]) -> Iterator[str]:
    """What the schema does not say, and how to ask for it."""
    pointers = [each for each in left_out if not each or each.startswith("/")]
    if kinds := [each for each in left_out if each not in pointers]:
        yield f"  everywhere: {', '.join(kinds)}"
    for each in pointers[:_LISTED]:
        yield f"  within {one_line(each) or '(whole schema)'}"
    if len(pointers) > _LISTED:
        yield f"  ... {len(pointers) - _LISTED:,} more places (--json)"
    if left_out:
        yield f"  to read a part whole: restwright show DOC {tool.name} POINTER"


def _security(
    alternatives: Sequence[Mapping[str, Sequence[str]]], schemes: Mapping[str, SecurityScheme]
) -> Iterator[str]:
    for index, each in enumerate(alternatives):
        needed = [_requirement(name, scopes, schemes.get(name)) for name, scopes in each.items()]
        yield f"  {'or ' if index else ''}{' and '.join(needed) or 'nothing'}"


def _requirement(name: str, scopes: Sequence[str], scheme: SecurityScheme | None) -> str:
    kind = f" ({_kind(scheme)})" if scheme else ""
    needs = f", scopes {' '.join(scopes)}" if scopes else ""
    return one_line(f"{name}{kind}{needs}")


def _kind(scheme: SecurityScheme) -> str:
    if scheme.type == "apiKey":
        return f"API key in the {scheme.location} {scheme.parameter}"
    return f"{scheme.type} {scheme.scheme}".strip()


def _producers(producers: Mapping[str, Sequence[JsonObject]]) -> Iterator[str]:
    for name, several in producers.items():
        yield f"  {one_line(name)}"
        for each in several[:_PRODUCERS]:
            yield f"    {each['tool']}: {one_line(each['why'])}"
        if len(several) > _PRODUCERS:
            yield f"    ... {len(several) - _PRODUCERS:,} more (--json)"


def _problem(problem: JsonObject) -> str:
    where = one_line(problem["pointer"]) or "(whole document)"
    what = f"{one_line(problem['what'])} ({one_line(problem['action'])})"
    return f"  {problem['severity']}: {where}: {what}"
