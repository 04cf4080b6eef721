"""What a server of others offers, and what is doubtful in it, before any model reads it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import anyio
import mcp_types as types
from httpx2 import HTTPError

from mcp import Client, MCPError, StdioServerParameters
from restwright.errors import UsageError
from restwright.jsontypes import Json, is_array, is_object

MAX_PAGES = 100
MAX_DESCRIPTION = 4_000
"""Characters of a description that a person would still read."""
TIMEOUT_S = 30.0
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs"})
_META_NAMES = frozenset({"search_tools", "show_tool", "call_tool", "run_code"})
_SHORT_NAME = 6

Target = str | tuple[str, ...]
"""The URL of a server, or the command that starts one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedServer:
    """
    What one server says of itself.

    Args:
        target: As the user wrote it.
        revision: That it was spoken to in.
    """

    target: str
    name: str
    version: str
    revision: str
    instructions: str
    tools: tuple[types.Tool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    Something doubtful.

    Args:
        severity: `error` where a model or its user would be misled or something does not work.
        place: The server and the tool.
    """

    severity: Literal["error", "warning"]
    place: str
    text: str


def inspect_server(target: Target) -> InspectedServer:
    """
    Ask a server what it offers; one that is a command is started, and ended.

    Raises:
        UsageError: It cannot be reached, or what it says cannot be read.
    """
    shown = target if isinstance(target, str) else " ".join(target)
    try:
        return anyio.run(_ask_server, target, shown)
    except* (MCPError, HTTPError, OSError, ValueError, RuntimeError) as group:
        why = _first_line(group)
    raise UsageError(f"{shown} offers nothing that can be read: {why}", setting="SERVER")


def _first_line(group: BaseExceptionGroup[Exception]) -> str:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]  # type: ignore[assignment]  # a group has one
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"


async def _ask_server(target: Target, shown: str) -> InspectedServer:
    server = (
        target
        if isinstance(target, str)
        else StdioServerParameters(command=target[0], args=[*target[1:]])
    )
    tools: list[types.Tool] = []
    with anyio.fail_after(TIMEOUT_S * 2):
        async with Client(server, read_timeout_seconds=TIMEOUT_S, cache=None) as client:
            cursor: str | None = None
            for _ in range(MAX_PAGES):
                page = await client.list_tools(cursor=cursor)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
            about = client.server_info
            return InspectedServer(
                target=shown,
                name=about.name if about else "",
                version=about.version if about else "",
                revision=client.protocol_version,
                instructions=client.instructions or "",
                tools=tuple(tools),
            )


def find_doubts(servers: Sequence[InspectedServer]) -> list[Finding]:
    """
    All that is doubtful in what servers say, also of each other.

    It looks at form alone: what is hidden, missing, contradicts itself or passes for another one.
    Whether words mislead is for who reads them.
    """
    found = [finding for server in servers for finding in _find_in_server(server)]
    return [*found, *_find_shadows(servers)]


def _find_in_server(server: InspectedServer) -> Iterator[Finding]:
    yield from _find_hidden(server.target, "its instructions", server.instructions)
    counts = Counter(tool.name for tool in server.tools)
    for name, count in counts.items():
        if count > 1:
            yield _error(server, name, f"there are {count} tools of this name")
    for lowered, count in Counter(name.lower() for name in counts).items():
        if count > 1:
            yield _warning(server, lowered, "tools differ by the case of their letters alone")
    for tool in server.tools:
        yield from _find_in_tool(server, tool)


def _find_in_tool(server: InspectedServer, tool: types.Tool) -> Iterator[Finding]:
    place = f"{server.target}: {tool.name}"
    if not _NAME.fullmatch(tool.name):
        yield _error(server, tool.name, "its name is not 1 to 128 letters, digits, _, . and -")
    if tool.name in _META_NAMES:
        yield _warning(server, tool.name, "it is named as a tool that finds or calls others")
    for what, text in (("its title", tool.title or ""), *_list_texts("", tool)):
        yield from _find_hidden(place, what, text)
    description = tool.description or ""
    if not description.strip():
        yield _warning(server, tool.name, "it has no description")
    if len(description) > MAX_DESCRIPTION:
        why = f"its description has {len(description):,} characters, which nobody reads to the end"
        yield _warning(server, tool.name, why)
    yield from _find_in_hints(server, tool)
    for reference in _list_references(tool.input_schema):
        if "://" in reference:
            why = f"its schema refers to another place: {reference[:200]}"
            yield _error(server, tool.name, why)


def _find_in_hints(server: InspectedServer, tool: types.Tool) -> Iterator[Finding]:
    hints = tool.annotations
    if hints is None or hints.read_only_hint is None:
        yield _warning(server, tool.name, "it does not say whether it changes something")
    elif hints.read_only_hint and hints.destructive_hint:
        yield _error(server, tool.name, "it says that it only reads, and that it destroys")


def _list_texts(path: str, tool: types.Tool) -> Iterator[tuple[str, str]]:
    yield "its description", tool.description or ""
    yield from _list_schema_texts(path, tool.input_schema)


def _list_schema_texts(path: str, value: Json) -> Iterator[tuple[str, str]]:
    """Every text of a schema, which models read as they do a description."""
    if isinstance(value, str):
        yield f"{path or '/'} of its schema", value
    elif is_object(value):
        for name, member in value.items():
            yield f"a name at {path or '/'} of its schema", name
            yield from _list_schema_texts(f"{path}/{name}", member)
    elif is_array(value):
        for number, item in enumerate(value):
            yield from _list_schema_texts(f"{path}/{number}", item)


def _list_references(value: Json) -> Iterator[str]:
    if is_object(value):
        for name, member in value.items():
            if name == "$ref" and isinstance(member, str):
                yield member
            yield from _list_references(member)
    elif is_array(value):
        for item in value:
            yield from _list_references(item)


def _find_hidden(place: str, what: str, text: str) -> Iterator[Finding]:
    """What a model reads and a person does not see."""
    hidden = {
        f"U+{ord(character):04X}"
        for character in text
        if unicodedata.category(character) in _HIDDEN and character not in "\n\r\t"
    }
    if hidden:
        shown = ", ".join(sorted(hidden)[:5])
        why = f"{what} has characters that nobody sees: {shown}"
        yield Finding(severity="error", place=place, text=why)
    if "<!--" in text:
        why = f"{what} has a comment of HTML, which programs do not show"
        yield Finding(severity="error", place=place, text=why)


def _find_shadows(servers: Sequence[InspectedServer]) -> Iterator[Finding]:
    """Tools that pass for those of another server, or speak of them."""
    for server in servers:
        for other in servers:
            if other is server:
                continue
            names = {tool.name for tool in other.tools}
            for tool in server.tools:
                if tool.name in names:
                    why = f"{other.target} has a tool of this name too"
                    yield _warning(server, tool.name, why)
                words = {*re.findall(r"[A-Za-z0-9_.-]*[A-Za-z0-9_]", tool.description or "")}
                told = sorted(name for name in names & words if len(name) >= _SHORT_NAME)
                if told:
                    why = f"its description speaks of {', '.join(told[:5])} of {other.target}"
                    yield _error(server, tool.name, why)


def _error(server: InspectedServer, tool: str, text: str) -> Finding:
    return Finding(severity="error", place=f"{server.target}: {tool}", text=text)


def _warning(server: InspectedServer, tool: str, text: str) -> Finding:
    return Finding(severity="warning", place=f"{server.target}: {tool}", text=text)
