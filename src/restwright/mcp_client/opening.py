"""`restwright.mcp()`: a server of MCP by what a user writes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from restwright.calls.auth.oauth.client import Login
from restwright.errors import UsageError, require_type
from restwright.mcp_client.server import MCPServer
from restwright.mcp_client.settings import (
    Era,
    ServerLimits,
    ServerProcess,
    ServerSettings,
    ServerURL,
    parse_command,
)
from restwright.net.policy.origins import parse_origin

_LIMITS = ServerLimits()
_URL = re.compile(r"https?://", re.IGNORECASE)


def mcp(
    server: str | Sequence[str],
    *,
    name: str,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    headers: Mapping[str, str] | None = None,
    login: Login | None = None,
    trust_hints: bool = False,
    era: Era = "auto",
    limits: ServerLimits = _LIMITS,
) -> MCPServer:
    """
    Start or reach a server of the Model Context Protocol, and list its tools.

        with mcp("uvx mcp-server-git", name="git") as git:
            tools = catalog(api, git.catalog)

    A process gets `PATH`, `HOME` and the like, and of all other variables those of `env` alone. It
    ends with the block, or with the last that refers to the server.

    Args:
        server: A URL, or a command: as one text that is split as a shell does, or as its words. No
            shell is started.
        name: The namespace of its tools.
        env: `{variable: text, or a reference to a secret such as "env:GITHUB_TOKEN"}`.
        folder: Where a process runs; None for here.
        headers: Sent to the origin of a URL; a value may end with a reference: `Bearer env:TOKEN`.
        login: How a person logs in where a server at a URL asks for it.
        trust_hints: Whether its word that a tool only reads spares the user's consent.
        era: The revisions to speak; `auto` finds out.
        limits: What it may use, whatever it says.

    Raises:
        ServerUnavailable: It cannot be started, reached or listed.
        UsageError: There is no command, or `name` is no namespace.
        MissingExtra: What the protocol needs is not installed.
    """
    require_type(name, str, what="`name`", wanted="text, the namespace of its tools")
    settings = ServerSettings(
        name=name,
        place=_find_place(server, name, env or {}, folder, headers or {}),
        trust_hints=trust_hints,
        era=era,
        limits=limits,
        make_login=None if login is None else lambda: login,
    )
    return MCPServer(settings)


def _find_place(
    server: str | Sequence[str],
    name: str,
    env: Mapping[str, str],
    folder: Path | None,
    headers: Mapping[str, str],
) -> ServerProcess | ServerURL:
    if isinstance(server, str) and _URL.match(server):
        if env or folder is not None:
            raise UsageError(f"`env` and `folder` are for a command, which {name} is not")
        parse_origin(server)
        return ServerURL(url=server, headers=headers)
    if headers:
        raise UsageError(f"`headers` are for a URL, which {name} is not")
    if isinstance(server, str):
        place = parse_command(server, name)
        return replace(place, environment={**place.environment, **env}, folder=folder)
    if not server:
        raise UsageError(f"{name} has no command")
    return ServerProcess(command=tuple(server), environment=env, folder=folder)
