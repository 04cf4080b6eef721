"""Which calls are the same, and which writes change the same."""

from __future__ import annotations

import json

import orjson

from restwright.jsontypes import JsonObject, is_object
from restwright.net.http.retry import IDEMPOTENCY_HEADERS
from restwright.tools.tool import Tool


def key_of(tool: Tool, arguments: JsonObject) -> bytes:
    """The same for calls that are the same."""
    try:
        return orjson.dumps([tool.name, arguments], option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # A number of more than 64 bits, half of a surrogate.
        return json.dumps([tool.name, arguments], sort_keys=True).encode()


def _is_idempotency_key(tool: Tool, name: str) -> bool:
    """Whether an input only tells a server which calls are one."""
    found = (given for given in tool.inputs if given.name == name and given.location == "header")
    return any(given.target.lower() in IDEMPOTENCY_HEADERS for given in found)


def change_key_of(tool: Tool, arguments: JsonObject) -> bytes:
    """The same for writes that change the same, with whatever idempotency keys they are sent."""
    left = dict(arguments)
    for given in tool.inputs:
        if _is_idempotency_key(tool, given.name):
            group = left.get(given.group) if given.group else None
            if is_object(group):
                left[given.group] = {key: group[key] for key in group if key != given.name}
            elif not given.group:
                left.pop(given.name, None)
    return key_of(tool, left)
