"""The client of OpenAI's agents.  python openai_agents.py URL NAMES COMMAND..."""

import asyncio
import json
import sys

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp


async def use(server, names):
    async with server:
        tools = await server.list_tools()
        told = {}
        for name, arguments in names.items():
            result = await server.call_tool(name, arguments)
            is_error = getattr(result, "is_error", None) or getattr(result, "isError", None)
            told[name] = ["error" if is_error else "ok", str(result.content)]
        try:
            await asyncio.wait_for(server.call_tool("tricky__slow", {}), 0.3)
        except TimeoutError:
            again = await server.call_tool("tricky__listNodes", {})
            told["cancelled"] = ["ok", str(again.content)]
        return {"tools": len(tools), "calls": told}


url, names, *command = sys.argv[1:]
servers = {
    "http": MCPServerStreamableHttp(params={"url": url}, client_session_timeout_seconds=30),
    "stdio": MCPServerStdio(
        params={"command": command[0], "args": command[1:]}, client_session_timeout_seconds=60
    ),
}
both = {kind: asyncio.run(use(server, json.loads(names))) for kind, server in servers.items()}
print(json.dumps(both))
