"""`mcp inspect`: what servers offer to a model, and what is doubtful in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output, counted, one_line
from restwright.errors import MissingExtra

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject
    from restwright.mcp.install.inspection import InspectedServer


def inspect(
    *,
    server: Annotated[
        list[str],
        Argument(metavar="URL...|COMMAND", help="URLs; or -- and the command of one, in words."),
    ],
    out: Output,
) -> int:
    """Show what servers of the Model Context Protocol offer, and what is doubtful in it."""
    try:
        from restwright.mcp.install.inspection import Target, find_doubts, inspect_server
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "a client of the Model Context Protocol") from error
    are_urls = all(text.startswith(("http://", "https://")) for text in server)
    targets: list[Target] = [*server] if are_urls else [tuple(server)]
    servers = [inspect_server(target) for target in targets]
    findings = find_doubts(servers)
    errors = sum(finding.severity == "error" for finding in findings)
    if out.json:
        out.value(
            {
                "servers": [_describe(one) for one in servers],
                "findings": [asdict(finding) for finding in findings],
            }
        )
        return FAILED if errors else DONE
    for one in servers:
        out.text(one_line(f"{one.target}: {one.name} {one.version}, {one.revision}"))
        for tool in _describe(one)["tools"]:
            out.text(one_line(f"  {tool['hint']:<11} {tool['name']}  {tool['description'][:80]}"))
    for finding in findings:
        out.text(one_line(f"{finding.severity}: {finding.place}: {finding.text}"))
    tools = counted(sum(len(one.tools) for one in servers), "tool")
    out.note(f"{tools}, {counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}")
    return FAILED if errors else DONE


def _describe(server: InspectedServer) -> JsonObject:
    tools = [
        {
            "name": tool.name,
            "hint": _hint(tool.annotations.read_only_hint, tool.annotations.destructive_hint)
            if tool.annotations
            else "unknown",
            "description": tool.description or "",
        }
        for tool in server.tools
    ]
    named = ("target", "name", "version", "revision")
    return {**{name: getattr(server, name) for name in named}, "tools": tools}


def _hint(reads: bool | None, destroys: bool | None) -> str:
    if reads is None:
        return "unknown"
    return "read" if reads else "write" if destroys is False else "destructive"
