"""The servers of MCP that the user named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from restwright.errors import UsageError
from restwright.workspace.aliases import split_alias, split_header

if TYPE_CHECKING:
    from restwright.calls.auth.connection import Connection
    from restwright.mcp_client.server import MCPServer
    from restwright.mcp_client.settings import ServerSettings
    from restwright.tools.catalog.catalog import Catalog
    from restwright.workspace.settings import DocumentSettings

SERVER_SOURCE = "mcp:"
"""What the source of an API begins with that a server of MCP has."""
_HEADER = "--document-header"


def open_servers(
    settings: DocumentSettings, warn: Callable[[str], None] | None
) -> tuple[MCPServer, ...]:
    """
    Start or reach every server of `--mcp`.

    Args:
        warn: Told the whole command of each process before it is started.

    Raises:
        UsageError: One is not written as NAME=COMMAND or NAME=URL, or a name is given twice.
        ServerUnavailable: One cannot be used.
    """
    if not settings.mcp:
        if settings.trust_hints:
            raise UsageError("--trust-hints is for a server of --mcp")
        return ()
    from restwright.mcp_client.server import MCPServer

    parsed = parse_servers(settings)
    opened: list[MCPServer] = []
    try:
        for server in parsed:
            if warn is not None:
                warn(f"the server {server.name} is {server.place}")
            opened.append(MCPServer(server))
    except BaseException:
        for each in opened:
            each.close()
        raise
    return tuple(opened)


def parse_servers(settings: DocumentSettings) -> list[ServerSettings]:
    """
    Read `--mcp`, with the headers that are for these servers, and who of them is believed.

    Raises:
        UsageError: As `open_servers()`.
    """
    from restwright.mcp_client.settings import parse_server

    names = [split_alias(text)[0] for text in settings.mcp]
    for name in settings.trust_hints:
        if name not in names:
            raise UsageError(f"--trust-hints: no server is named {name}")
    parsed: list[ServerSettings] = []
    for name, text in zip(names, settings.mcp, strict=True):
        own = [split_alias(header) for header in settings.document_header]
        headers = [split_header(value, option=_HEADER) for alias, value in own if alias == name]
        server = parse_server(text, headers=headers)
        if server.name in [other.name for other in parsed]:
            raise UsageError(f"--mcp {server.name} is given twice")
        is_trusted = server.name in settings.trust_hints
        make_login = settings.make_login
        parsed.append(replace(server, trust_hints=is_trusted, make_login=make_login))
    return parsed


def without_server_headers(settings: DocumentSettings) -> DocumentSettings:
    """The same settings for the documents alone."""
    names = {split_alias(text)[0] for text in settings.mcp}
    others = [text for text in settings.document_header if split_alias(text)[0] not in names]
    return replace(settings, document_header=others)


def check_server_connections(catalog: Catalog, connections: Mapping[str, Connection]) -> None:
    """
    Refuse what says how an API is reached for a server, which is reached as `--mcp` says.

    Raises:
        UsageError: Something is said.
    """
    from restwright.calls.auth.connection import Connection

    for namespace, api in catalog.apis.items():
        given = connections.get(namespace)
        if given is None or not api.source.startswith(SERVER_SOURCE):
            continue
        plain = Connection(allow_commands=given.allow_commands)
        if (given.server, given.auth, dict(given.headers)) != (plain.server, plain.auth, {}):
            why = f"--server, --auth and --header are for APIs, and {namespace} is a server of MCP"
            raise UsageError(why, next_move=f"give {_HEADER} {namespace}='Name: value' to a URL")
