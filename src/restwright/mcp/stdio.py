"""A server over standard input and output, for a client that has started it."""

from __future__ import annotations

import signal
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server

from restwright.mcp.server import initialization_options


async def serve_stdio(server: Server[Any]) -> None:
    """
    Serve until standard input ends, or an interruption ends the process.

    What is printed meanwhile goes to standard error.
    """
    # A thread waits for input, and nothing but the end of the process ends that wait.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    async with stdio_server() as (read, write):
        await server.run(read, write, initialization_options(server))
