"""The client of LangChain.  python langchain.py URL NAMES COMMAND..."""

import asyncio
import json
import sys

sys.path.pop(0)  # this file has the package's name

from langchain_mcp_adapters.client import MultiServerMCPClient


async def use(kind, client, names):
    tools = {tool.name: tool for tool in await client.get_tools(server_name=kind)}
    told = {}
    for name, arguments in names.items():
        try:
            result = await tools[name].ainvoke(arguments)
            told[name] = ["ok", str(result)]
        except Exception as error:  # noqa: BLE001 - it raises what a tool refuses
            told[name] = ["error", str(error)]
    try:
        await asyncio.wait_for(tools["tricky__slow"].ainvoke({}), 0.3)
    except Exception:  # noqa: BLE001 - its session may raise a group
        told["cancelled"] = ["ok", str(await tools["tricky__listNodes"].ainvoke({}))]
    return {"tools": len(tools), "calls": told}


async def main(url, names, command):
    client = MultiServerMCPClient(
        {
            "http": {"transport": "streamable_http", "url": url},
            "stdio": {"transport": "stdio", "command": command[0], "args": command[1:]},
        }
    )
    return {kind: await use(kind, client, names) for kind in ("http", "stdio")}


url, names, *command = sys.argv[1:]
print(json.dumps(asyncio.run(main(url, json.loads(names), command))))
