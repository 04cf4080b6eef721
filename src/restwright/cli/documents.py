"""`tools`, `show` and `check`: what a document offers, without calling it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import Option

from restwright.cli.failures import DONE, FAILED
from restwright.cli.options import Arguments, Document, Documents, ToolName
from restwright.cli.output import Output, to_json
from restwright.cli.sources import arguments_from, catalog_of, reads_of, tool_named
from restwright.typing import JsonObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from restwright.calls.mismatch import Mismatch
    from restwright.openapi.model import Problem
    from restwright.tools.catalog import Catalog
    from restwright.tools.tool import Tool


def tools(
    documents: Documents,
    only: Annotated[
        str | None, Option("--only", metavar="GLOB", help="Only tools whose name matches.")
    ] = None,
    read_only: Annotated[
        bool, Option("--read-only", help="Only tools that change nothing.")
    ] = False,
    problems: Annotated[
        bool, Option("--problems", help="What is doubtful in the documents instead.")
    ] = False,
    *,
    out: Output,
) -> int:
    """List the tools of one or more documents."""
    catalog = reads_of(catalog_of(documents)) if read_only else catalog_of(documents)
    chosen = [catalog[name] for name in catalog.names if only is None or _matches(name, only)]
    if out.json:
        out.value(
            {
                "tools": [_tool_json(tool) for tool in chosen],
                "problems": [_problem_json(each) for each in catalog.problems],
                "index": catalog.index(),
            }
        )
    elif problems:
        _print_problems(catalog.problems, out)
    else:
        _print_tools(chosen, out)
        _note_problems(catalog, out)
    return DONE


def show(document: Document, name: ToolName, *, out: Output) -> int:
    """Show one tool: its text, route, schemas, security, producers and problems."""
    catalog = catalog_of([document])
    shown = _whole_tool_json(tool_named(catalog, name), catalog)
    if out.json:
        out.value(shown)
        return DONE
    out.text(f"{shown['name']}\n{shown['method']} {shown['path']}\n")
    out.text(f"{shown['description']}\n")
    for title in ("parameters", "output", "security", "servers", "producers", "problems"):
        if shown[title]:
            out.text(f"{title}:\n{to_json(shown[title])}\n")
    return DONE


def check(document: Document, name: ToolName, arguments: Arguments, *, out: Output) -> int:
    """Check arguments against a tool without calling it; print them when they fit."""
    from restwright.calls.arguments import check as check_arguments
    from restwright.calls.arguments import parse_arguments

    text = arguments_from(arguments, documents=[document])
    tool = tool_named(catalog_of([document]), name)
    values = parse_arguments(text)
    if mismatches := check_arguments(tool, values):
        print_mismatches(tool.name, mismatches, out)
        return FAILED
    out.value(values)
    return DONE


def print_mismatches(name: str, mismatches: Sequence[Mismatch], out: Output) -> None:
    """Print the feedback on `mismatches`: a result of `check`, what went wrong for `call`."""
    from restwright.calls.feedback import feedback

    text = feedback(name, mismatches)
    if out.json:
        error = {"code": "mismatch", "message": text, "hint": f"see `restwright show DOC {name}`"}
        out.value({"error": error})
    else:
        print(text, file=sys.stderr)


def _matches(name: str, glob: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(name, glob) or fnmatchcase(name.partition("__")[2], glob)


def _tool_json(tool: Tool) -> JsonObject:
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


def _problem_json(problem: Problem) -> JsonObject:
    return {
        "pointer": problem.pointer,
        "what": problem.what,
        "severity": problem.severity,
        "action": problem.action,
    }


def _whole_tool_json(tool: Tool, catalog: Catalog) -> JsonObject:
    pointer = tool.operation.pointer
    return {
        **_tool_json(tool),
        "output": tool.output,
        "security": [list(each) for each in tool.operation.security],
        "servers": [server.default_url for server in tool.servers],
        "producers": _producers_json(tool, catalog.tools),
        "problems": [
            _problem_json(each)
            for each in catalog.problems
            if each.pointer == pointer or each.pointer.startswith(f"{pointer}/")
        ],
    }


def _producers_json(tool: Tool, tools: Sequence[Tool]) -> JsonObject:
    from restwright.tools.producers import producers

    found = {name: producers(tool, name, tools) for name in tool.required}
    return {
        name: [
            {"tool": each.tool.name, "path": list(each.path), "why": each.why} for each in several
        ]
        for name, several in found.items()
        if several
    }


def _summary(tool: Tool) -> str:
    return tool.description.partition("\n")[0]


def _print_tools(tools: Sequence[Tool], out: Output) -> None:
    rows = [
        (tool.name, tool.operation.method.upper(), tool.operation.path, _summary(tool))
        for tool in tools
    ]
    if not sys.stdout.isatty():
        for row in rows:
            out.text("\t".join(row))
        return
    from restwright.cli.tables import print_table

    print_table(("tool", "method", "path", "what it does"), rows)


def _print_problems(problems: Sequence[Problem], out: Output) -> None:
    for each in problems:
        out.text(f"{each.severity}: {each}")


def _note_problems(catalog: Catalog, out: Output) -> None:
    if catalog.problems:
        out.note(f"{len(catalog.problems)} doubtful places in the document (see --problems)")
