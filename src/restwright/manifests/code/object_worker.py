"""
Runs inside, as the process that an object of a module lives in: `python -I object_worker.py MODULE
LIMIT OBJECT`. It says what tools its methods are, and calls them, as `worker.py` calls functions.

Whatever it sends is as little trusted as the module that shares its memory.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import Any

from restwright.errors import RestwrightError, Said
from restwright.manifests.code.worker import describe_error, load_module, send_reply
from restwright.tools.function_tools import FunctionTool
from restwright.tools.functions.controller import (
    FunctionTools,
    list_functions,
    make_function_tools,
)


def main(path: str, limit: int, name: str) -> None:
    """Load the module, describe its object, and answer calls until there are no more."""
    with os.fdopen(3, "rb") as requests, os.fdopen(4, "wb", buffering=0) as replies:
        for descriptor in (requests, replies):
            os.set_inheritable(descriptor.fileno(), False)  # noqa: FBT003 - it takes no name
        module, error = load_module(path)
        made = FunctionTools((), {})
        if module is not None:
            made, error = _make_tools(module, name)
        described = {"functions": [*map(_describe, made.tools)], "components": made.components}
        send_reply(replies, {"ready": not error, "error": error, **described}, limit)
        tools = {tool.name: tool for tool in made.tools}
        for line in requests:
            request = json.loads(line)
            send_reply(replies, {"id": request["id"], **_call(tools, request)}, limit)


def _make_tools(module: ModuleType, name: str) -> tuple[FunctionTools, str]:
    """The tools of an object, of a class without arguments, of a function or of a list of those."""
    nothing = FunctionTools((), {})
    try:
        found = getattr(module, name, None)
        if found is None:
            return nothing, f"the module has no {name}"
        return make_function_tools(list_functions(found), {}), ""
    except RestwrightError as error:
        return nothing, str(error)
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, `SystemExit` too
        return nothing, describe_error(error, str(module.__file__))


def _describe(tool: FunctionTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "output": tool.output,
        "returns": tool.returns,
        "method": tool.method,
    }


def _call(tools: dict[str, FunctionTool], request: dict[str, Any]) -> dict[str, Any]:
    tool = tools.get(request["name"])
    if tool is None or tool.handler.run_locally is None:
        return {"error": f"there is no function {request['name']}"}
    try:
        told = tool.handler.run_locally(request["arguments"])
    except Said as error:
        return {"error": error.message}
    except BaseException as error:  # noqa: BLE001 - as above; its words are not told
        return {"error": type(error).__name__}
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    return {"error": told.error} if told.error else {"value": told.value}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
