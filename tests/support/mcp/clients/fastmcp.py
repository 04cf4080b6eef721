"""FastMCP's client.  python fastmcp.py URL NAMES COMMAND..."""

import asyncio
import json
import sys

sys.path.pop(0)  # this file has the package's name

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def use(target, names):
    async with Client(target) as client:
        tools = await client.list_tools()
        told = {}
        for name, arguments in names.items():
            result = await client.call_tool(name, arguments, raise_on_error=False)
            told[name] = ["error" if result.is_error else "ok", str(result.content)]
        try:
            await asyncio.wait_for(client.call_tool("tricky__slow", {}), 0.3)
        except TimeoutError:
            told["cancelled"] = ["ok", str(await client.call_tool("tricky__listNodes", {}))]
        return {"tools": len(tools), "calls": told}


url, names, *command = sys.argv[1:]
both = {}
for kind, target in (("http", url), ("stdio", StdioTransport(command[0], command[1:]))):
    both[kind] = asyncio.run(use(target, json.loads(names)))
print(json.dumps(both))
