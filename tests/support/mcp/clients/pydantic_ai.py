"""The client of Pydantic AI.  python pydantic_ai.py URL NAMES COMMAND..."""

import asyncio
import json
import sys

sys.path.pop(0)  # this file has the package's name

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


async def use(target, names):
    found = {"tools": 0, "calls": {}}
    await call(target, found, names)
    try:
        await asyncio.wait_for(call(target, found, {"tricky__slow": {}}), 1.0)
    except TimeoutError:
        again = {"calls": {}}
        await call(target, again, {"tricky__listNodes": {}})
        found["calls"]["cancelled"] = again["calls"]["tricky__listNodes"]
    return found


async def call(target, found, names):
    for name, arguments in names.items():

        def model(messages, info, name=name, arguments=arguments):
            found["tools"] = len(info.function_tools)
            parts = messages[-1].parts
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart(name, arguments)])
            is_error = type(parts[0]).__name__ == "RetryPromptPart"
            found["calls"][name] = ["error" if is_error else "ok", str(parts[0].content)]
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[MCPToolset(target)]).run("go")


url, names, *command = sys.argv[1:]
print(json.dumps({"http": asyncio.run(use(url, json.loads(names)))}))
