"""
What programs that have clients want written down, to start a server of ours or to reach one.

None of it holds a secret: where one is needed, it says by which name the program finds it, in the
way of that program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from restwright.jsontypes import JsonObject

HostName = Literal[
    "claude", "claude-code", "cursor", "vscode", "codex", "gemini", "windsurf", "zed", "inspector"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """
    One server as a program is told of it.

    Args:
        name: By which the program knows it.
        command: What is started, word by word; empty for one that runs already.
        variables: Names of the environment's variables that it needs.
        url: Of one that runs already; empty for one that is started.
        token_variable: The name of the variable with the token that it wants; empty for none.
    """

    name: str
    command: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    url: str = ""
    token_variable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """
    What is to be written, and where.

    Args:
        place: The file, and what of it.
        text: Whole, for a file that has nothing else in it.
        remarks: What is left to be done by hand.
    """

    place: str
    text: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """
    How one program wants it.

    Args:
        variable: How its file refers to a variable, with `{}` for the name; empty where it cannot.
        key: Under which servers stand.
    """

    place: str
    write: Callable[[_Host, ServerEntry], str] = field(repr=False)
    variable: str = ""
    key: str = "mcpServers"
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    url_key: str = "url"


def write_host_config(host: HostName, entry: ServerEntry) -> HostConfig:
    """What a program is told of a server."""
    row = _HOSTS[host]
    needed = (*entry.variables, *filter(None, (entry.token_variable,)))
    remarks = [
        f"put the value of {name} in the place of <{name}>: {host} does not read it from elsewhere"
        for name in needed
        if not row.variable and host != "codex"
    ]
    return HostConfig(place=row.place, text=row.write(row, entry), remarks=tuple(remarks))


def server_name(text: str) -> str:
    """A name that every program takes, of any text."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")[:40] or "restwright"


def _refer(host: _Host, variable: str) -> str:
    return host.variable.format(variable) if host.variable else f"<{variable}>"


def _server_object(host: _Host, entry: ServerEntry) -> JsonObject:
    if entry.url:
        value = f"Bearer {_refer(host, entry.token_variable)}"
        headers: JsonObject = {"Authorization": value} if entry.token_variable else {}
        more = {"type": "http"} if "type" in host.more else {}
        return {**more, host.url_key: entry.url, **({"headers": headers} if headers else {})}
    environment: JsonObject = {name: _refer(host, name) for name in entry.variables}
    started: JsonObject = {"command": entry.command[0], "args": [*entry.command[1:]]}
    return {**host.more, **started, **({"env": environment} if environment else {})}


def _write_json(host: _Host, entry: ServerEntry) -> str:
    return _dump({host.key: {entry.name: _server_object(host, entry)}})


def _write_vscode(host: _Host, entry: ServerEntry) -> str:
    needed = (*entry.variables, *filter(None, (entry.token_variable,)))
    asked: list[JsonObject] = [
        {"type": "promptString", "id": name, "description": name, "password": True}
        for name in needed
    ]
    inputs: JsonObject = {"inputs": asked} if asked else {}
    return _dump({**inputs, host.key: {entry.name: _server_object(host, entry)}})


def _write_codex(host: _Host, entry: ServerEntry) -> str:
    lines = [f"[{host.key}.{entry.name}]"]
    if entry.url:
        lines.append(f"url = {_toml(entry.url)}")
        if entry.token_variable:
            lines.append(f"bearer_token_env_var = {_toml(entry.token_variable)}")
    else:
        lines.append(f"command = {_toml(entry.command[0])}")
        lines.append(f"args = {_toml_list(entry.command[1:])}")
        if entry.variables:
            lines.append(f"env_vars = {_toml_list(entry.variables)}")
    return "\n".join(lines)


def _toml(text: str) -> str:
    # A basic string of TOML is written as one of JSON.
    return json.dumps(text)


def _toml_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_toml, texts))}]"


def _dump(value: JsonObject) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


_STDIO = {"type": "stdio"}
_HOSTS: Mapping[HostName, _Host] = {
    "claude": _Host(
        place="claude_desktop_config.json (Settings, Developer, Edit Config)", write=_write_json
    ),
    "claude-code": _Host(
        place=".mcp.json in the project", write=_write_json, variable="${{{}}}", more=_STDIO
    ),
    "cursor": _Host(
        place=".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
        write=_write_json,
        variable="${{env:{}}}",
    ),
    "vscode": _Host(
        place=".vscode/mcp.json in the project",
        write=_write_vscode,
        variable="${{input:{}}}",
        key="servers",
        more=_STDIO,
    ),
    "codex": _Host(place="~/.codex/config.toml", write=_write_codex, key="mcp_servers"),
    "gemini": _Host(
        place="~/.gemini/settings.json", write=_write_json, variable="${}", url_key="httpUrl"
    ),
    "windsurf": _Host(
        place="~/.codeium/windsurf/mcp_config.json",
        write=_write_json,
        variable="${{env:{}}}",
        url_key="serverUrl",
    ),
    "zed": _Host(place="settings.json", write=_write_json, key="context_servers"),
    "inspector": _Host(
        place="any file: mcp-inspector --config FILE --server NAME", write=_write_json, more=_STDIO
    ),
}
