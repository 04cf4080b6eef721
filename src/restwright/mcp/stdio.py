"""A server over standard input and output, for a client that has started it."""

from __future__ import annotations

from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server

from restwright.mcp.server import initialization_options


async def serve_stdio(server: Server[Any]) -> None:
    """Serve until standard input ends; what is printed meanwhile goes to standard error."""
    async with stdio_server() as (read, write):
        await server.run(read, write, initialization_options(server))
