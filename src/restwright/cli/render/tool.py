"""One tool whole: as JSON, and as the sections that people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from restwright.cli.render.output import one_line, to_readable_json
from restwright.jsontypes import Json, JsonObject

if TYPE_CHECKING:
    from restwright.openapi.model import API, SecurityScheme
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.tool import Tool

_OUTPUT_LINES = 60
_LISTED = 12
_PRODUCERS = 5

Section = tuple[str, Sequence[str]]


def tool_text(tool: Tool, catalog: Catalog) -> str:
    """One tool whole, as people read it."""
    from restwright.tools.catalog.records import tool_record

    return join_sections(
        tool_sections(tool, catalog.apis[tool.namespace], tool_record(tool, catalog, None))
    )


def join_sections(sections: Iterable[Section]) -> str:
    """Sections that have lines, one below the other."""
    return "\n\n".join(_text(*section) for section in sections if section[1])


def tool_sections(tool: Tool, api: API, shown: JsonObject) -> Iterator[Section]:
    """What people read of a record: a title and lines, in the order of what matters to a caller."""
    mark = " (deprecated)" if tool.operation.deprecated else ""
    yield tool.name, [f"{shown['method']} {one_line(tool.operation.path)}{mark}"]
    yield "", tool.description.splitlines()
    if "provider" in shown:
        yield "For the provider", indented_json(shown["provider"])
        yield "What it cannot say", [f"  {one_line(note)}" for note in shown["notes"]]
    else:
        yield "Parameters", indented_json(shown["parameters"])
    yield "Left out", list(left_out_lines(tool, shown["left_out"]))
    yield "Output", _cut(indented_json(shown["output"])) if shown["output"] is not None else []
    yield "Security", list(_security(shown["security"], api.security_schemes))
    yield "Servers", [f"  {one_line(server)}" for server in shown["servers"]]
    yield "Producers", list(_producers(shown["producers"]))
    yield "Problems", [_problem(problem) for problem in shown["problems"]]


def _text(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines] if title else lines)


def indented_json(value: Json) -> list[str]:
    """JSON for people, as lines of a section."""
    return [f"  {line}" for line in to_readable_json(value).splitlines()]


def _cut(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _OUTPUT_LINES
    return [*lines[:_OUTPUT_LINES], *([f"  ... {more:,} more lines (--json)"] if more > 0 else [])]


def left_out_lines(tool: Tool, left_out: Sequence[str]) -> Iterator[str]:
    """What the schema does not say, and how to ask for it."""
    pointers = [name for name in left_out if not name or name.startswith("/")]
    if kinds := [name for name in left_out if name not in pointers]:
        yield f"  everywhere: {', '.join(kinds)}"
    for pointer in pointers[:_LISTED]:
        yield f"  within {one_line(pointer) or '(whole schema)'}"
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
        for item in several[:_PRODUCERS]:
            yield f"    {item['tool']}: {one_line(item['why'])}"
        if len(several) > _PRODUCERS:
            yield f"    ... {len(several) - _PRODUCERS:,} more (--json)"


def _problem(problem: JsonObject) -> str:
    where = one_line(problem["pointer"]) or "(whole document)"
    what = f"{one_line(problem['what'])} ({one_line(problem['action'])})"
    return f"  {problem['severity']}: {where}: {what}"
