"""The inputs of a tool that a model fills in; what is left to a human is not among them."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.jsontypes import Json, JsonObject
from restwright.tools.tool import Tool


def properties_of(tool: Tool) -> Mapping[str, Json]:
    """`{input name: schema}`."""
    return tool.model_checks.get("properties", {})


def required_of(tool: Tool) -> tuple[str, ...]:
    """Names of the inputs that must be given."""
    return tuple(tool.model_checks.get("required", ()))


def definitions_of(tool: Tool) -> JsonObject:
    """What the schemas of the inputs refer to."""
    definitions: JsonObject = tool.model_checks.get("$defs", {})
    return definitions
