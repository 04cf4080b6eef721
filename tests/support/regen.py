"""
The golden files: what six small documents become. `make regen` writes them; read what changes.

Every folder of `tests/golden` with a `document.yaml` and a `calls.json` is one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from restwright.calls.arguments.check import check
from restwright.calls.request.build import build_request
from restwright.calls.request.servers import resolve_server_url
from restwright.errors import CallError
from restwright.openapi.api import load
from restwright.openapi.upgrade import upgrade_document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.catalog.records import tool_json
from restwright.tools.dialects import DIALECTS, rewrite_schema, to_provider_tool
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Tool
from restwright.tools.toolset import OfferLimits, offer_tools

GOLDEN = Path(__file__).parents[1] / "golden"
SPOKEN = (
    *("openai", "openai-strict", "anthropic", "gemini", "gemini-openapi", "mcp", "openapi-3.0"),
    "llama-grammar",
)
"""The dialects that have a file; the two others are shapes of the same schemas."""

OFFERED = 750
"""Tokens of an offer: fewer than some of these documents have."""

_WIDTH = 100


def folders() -> list[Path]:
    """The folders of golden files, by name."""
    return sorted(each.parent for each in GOLDEN.glob("*/document.yaml"))


def golden_files(folder: Path) -> dict[str, str]:
    """`{file name: text}` of what the document of a folder becomes now."""
    whole = catalog_of(folder)
    made = {name: make(whole, folder) for name, make in FILES.items()}
    spoken = {f"tools.{name}.json": pretty(tools_in(whole, name)) for name in SPOKEN}
    return {**made, **spoken}


def catalog_of(folder: Path, options: ToolOptions | None = None) -> Catalog:
    """The tools of the document of a folder, under the name of the folder."""
    api = load((folder / "document.yaml").read_bytes(), alias=folder.name)
    return catalog(api, options=options or ToolOptions())


def tools_in(whole: Catalog, dialect: str) -> list[dict[str, Any]]:
    """Every tool as a provider takes it."""
    return [tool_in(tool, dialect) for tool in whole.tools]


def tool_in(tool: Tool, dialect: str) -> dict[str, Any]:
    """One tool as a provider takes it."""
    spoken = DIALECTS[dialect]
    return to_provider_tool(
        spoken,
        name=tool.name,
        description=tool.description,
        schema=rewrite_schema(tool.shows, spoken),
        method=tool.operation.method,
        title=tool.operation.summary,
        deprecated=tool.operation.deprecated,
    )


def pretty(value: Any) -> str:
    """JSON whose parts stand on one line where they fit; no character in it is invisible."""
    return "\n".join(_lines(value, "", "")) + "\n"


def _lines(value: Any, indent: str, key: str) -> Iterator[str]:
    flat = json.dumps(value)
    if len(indent) + len(key) + len(flat) < _WIDTH or not value or not _is_nested(value):
        yield f"{indent}{key}{flat}"
        return
    is_map = isinstance(value, dict)
    members = [(f"{json.dumps(name)}: ", each) for name, each in value.items()] if is_map else []
    members = members or [("", each) for each in value]
    yield f"{indent}{key}{'{' if is_map else '['}"
    for place, (name, each) in enumerate(members, 1):
        *inner, last = _lines(each, f"{indent}  ", name)
        yield from inner
        yield last if place == len(members) else f"{last},"
    yield f"{indent}{'}' if is_map else ']'}"


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _tools(whole: Catalog, folder: Path) -> str:
    del folder
    return pretty([tool_json(tool) for tool in whole.tools])


def _checks(whole: Catalog, folder: Path) -> str:
    del folder
    return pretty({tool.name: tool.checks for tool in whole.tools})


def _outputs(whole: Catalog, folder: Path) -> str:
    del folder
    return pretty({tool.name: tool.output for tool in whole.tools})


def _grouped(whole: Catalog, folder: Path) -> str:
    del whole
    grouped = catalog_of(folder, ToolOptions(layout="grouped", describe="full"))
    tools = {
        tool.name: {"description": tool.description, "parameters": tool.shows}
        for tool in grouped.tools
    }
    return pretty(tools)


def _offer(whole: Catalog, folder: Path) -> str:
    del folder
    limits = OfferLimits(budget=OFFERED)
    offer = offer_tools(whole, dialect=DIALECTS["openai"], limits=limits)
    said = {
        "policy": offer.policy,
        "reason": offer.reason,
        "tokens": offer.tokens,
        "names": [*offer.names],
        "hash": offer.hash,
    }
    return pretty({**said, "shapes": [*offer.shapes]})


def _problems(whole: Catalog, folder: Path) -> str:
    del folder
    return "".join(f"{each.severity:<11} {_visible(str(each))}\n" for each in whole.problems)


def _requests(whole: Catalog, folder: Path) -> str:
    calls = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
    return "\n".join(_request(whole[each["tool"]], each["arguments"]) for each in calls)


def _request(tool: Tool, arguments: dict[str, Any]) -> str:
    head = f"{tool.name} {json.dumps(arguments)}\n"
    if mismatches := check(tool, arguments):
        return head + "".join(
            f"  {each.pointer or '/'}: expected {each.expected}, got {each.got}\n"
            for each in mismatches
        )
    try:
        request = build_request(tool, arguments, server=_server(tool))
    except CallError as error:
        return f"{head}  {type(error).__name__}: {error}\n"
    lines = [f"{request.method} {request.url}"]
    lines += [f"{name}: {value}" for name, value in request.headers]
    body = request.body.decode("utf-8", "backslashreplace")
    lines += [_visible(each) for each in body.split("\n") if each]
    return head + "".join(f"  {line}\n" for line in lines)


def _server(tool: Tool) -> str:
    try:
        return resolve_server_url(tool, None)
    except CallError:
        return "https://named.example"


def _upgraded(whole: Catalog, folder: Path) -> str:
    del folder
    (api,) = whole.apis.values()
    return pretty(upgrade_document(api.document))


def _visible(text: str) -> str:
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


FILES: Mapping[str, Callable[[Catalog, Path], str]] = {
    "tools.json": _tools,
    "checks.json": _checks,
    "outputs.json": _outputs,
    "grouped.json": _grouped,
    "offer.json": _offer,
    "problems.txt": _problems,
    "requests.txt": _requests,
    "upgraded.json": _upgraded,
}
"""What each file holds, but those of the dialects."""


def main() -> int:
    """Write every golden file."""
    for folder in folders():
        for name, text in golden_files(folder).items():
            (folder / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{folder.relative_to(GOLDEN.parent.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
