"""The inputs of a tool that a model fills in; what is left to a human is not among them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from restwright.jsontypes import Json, is_object
from restwright.tools.tool import Tool

_ADDRESS = re.compile(r"(?:^|_)(uri|urn|href)s?$")


def properties_of(tool: Tool) -> Mapping[str, Json]:
    """`{input name: schema}`."""
    return tool.model_checks.get("properties", {})


def required_of(tool: Tool) -> tuple[str, ...]:
    """Names of the inputs that must be given."""
    return tuple(tool.model_checks.get("required", ()))


def address_in(name: str) -> str:
    """What kind of address of a thing an input is called like: `uri` for `context_uri`."""
    found = _ADDRESS.search(name.lower())
    return found[1] if found else ""


def words_input(tool: Tool) -> str:
    """The input that an operation must be given words to search for in; empty where it has none."""
    places = {each.name: each.location for each in tool.inputs}
    for name in required_of(tool):
        schema = properties_of(tool)[name]
        is_text = is_object(schema) and schema.get("type") == "string" and "enum" not in schema
        if is_text and places.get(name) == "query":
            return name
    return ""
