"""
Runs inside, as the process that a module lives in: `python -I worker.py MODULE`. Imports nothing of
Restwright. Whatever it sends is as little trusted as the module that shares its memory.

A line of JSON comes in by descriptor 3, and one goes out by 4.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from types import ModuleType
from typing import Any

MAX_TRACE = 50


def main(path: str, limit: int) -> None:
    """Load the module at `path` and answer calls of its functions until there are no more."""
    with os.fdopen(3, "rb") as requests, os.fdopen(4, "wb", buffering=0) as replies:
        for descriptor in (requests, replies):
            os.set_inheritable(descriptor.fileno(), False)  # noqa: FBT003 - it takes no name
        module, error = load_module(path)
        send_reply(replies, {"ready": not error, "error": error}, limit)
        if module is None:
            return
        for line in requests:
            request = json.loads(line)
            send_reply(replies, {"id": request["id"], **_call_function(module, request)}, limit)


def load_module(path: str) -> tuple[ModuleType | None, str]:
    """Run a Python file; what it is, or why it cannot be loaded."""
    folder, _, file = path.rpartition("/")
    name = file.removesuffix(".py")
    # Behind everything else: what lies beside the module never stands in for a library.
    sys.path.append(folder)
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            return None, "it is no Python file (*.py)"
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, `SystemExit` too
        return None, describe_error(error, path)
    return module, ""


def _call_function(module: ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    function = getattr(module, request["name"], None)
    if not callable(function):
        return {"error": f"the module has no function {request['name']}"}
    try:
        value = function(**request["arguments"])
        json.dumps(value, allow_nan=False)
    except BaseException as error:  # noqa: BLE001 - as above
        return {"error": describe_error(error, str(module.__file__))}
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    return {"value": value, "is_tuple": isinstance(value, tuple)}


def describe_error(error: BaseException, path: str) -> str:
    """The error with the last line of the module that it passed."""
    line, trace = 0, error.__traceback__
    for _ in range(MAX_TRACE):
        if trace is None:
            break
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == path else line
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == path:
        line, message = error.lineno or 0, error.msg
    else:
        message = str(error)
    where = f" (line {line} of {path.rpartition('/')[2]})" if line else ""
    return f"{type(error).__name__}: {message[:2000]}{where}"


def send_reply(replies: Any, reply: dict[str, Any], limit: int) -> None:
    """Send a line of JSON; one that is over the limit says that alone."""
    text = json.dumps(reply, allow_nan=False).encode() + b"\n"
    if len(text) > limit:
        text = b'{"id": %d, "is_too_long": true}\n' % reply.get("id", 0)
    while text:
        text = text[replies.write(text) :]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
