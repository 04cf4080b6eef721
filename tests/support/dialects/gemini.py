"""
Gemini function declarations with `parametersJsonSchema`.

Sources: Gemini API, "FunctionDeclaration" (name, `parametersJsonSchema`) and "GenerationConfig"
(`responseJsonSchema`: the keywords of JSON Schema that are supported, and how `$ref` is).
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects.walking import (
    dangling,
    fields,
    is_json,
    json_schema_faults,
    objects,
    root_of,
)

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
KEYWORDS = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items",
    "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties",
    "additionalProperties", "required", "propertyOrdering",
}  # fmt: skip


def violations(tool: dict[str, Any]) -> list[str]:
    """A declaration with the schema as JSON Schema."""
    found = fields(tool, {"name", "description", "parametersJsonSchema"}, set())
    if found:
        return found
    schema = tool["parametersJsonSchema"]
    found = of_names(tool["name"], schema) + root_of(schema, ("anyOf", "oneOf", "enum", "$ref"))
    for at, each in objects(schema):
        found += [f"{at}: {what}" for what in of_node(each)]
    return found + endless(schema) + json_schema_faults(schema) + dangling(schema) + is_json(tool)


def of_names(name: str, schema: dict[str, Any]) -> list[str]:
    """The function's name and those of its parameters."""
    found = [] if NAME.fullmatch(name) else ["name"]
    return found + [
        f"/properties/{each}: illegal name"
        for each in schema.get("properties", {})
        if not PARAMETER.fullmatch(each)
    ]


def of_node(schema: dict[str, Any]) -> list[str]:
    """One schema, without those below it."""
    found = [f"unsupported {keyword}" for keyword in schema.keys() - KEYWORDS]
    if "$ref" in schema and any(not each.startswith("$") for each in schema):
        found.append("$ref has siblings")
    values = schema.get("enum", ())
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in values):
        found.append("enum of other values than strings and numbers")
    return found


def endless(schema: dict[str, Any]) -> list[str]:
    """Cyclic references "may only be used within non-required properties"."""
    definitions = schema.get("$defs", {})
    needs = {name: set(required_refs(each)) for name, each in definitions.items()}
    found = []
    for name in definitions:
        reached, waiting = set[str](), list(needs[name])
        while waiting:
            each = waiting.pop()
            if each not in reached:
                reached.add(each)
                waiting += needs.get(each, ())
        if name in reached:
            found.append(f"/$defs/{name}: requires itself")
    return found


def required_refs(schema: Any) -> list[str]:
    """Definitions met without passing an optional property."""
    if not isinstance(schema, dict):
        return []
    found = [schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else []
    required = schema.get("required", ())
    below = [each for name, each in schema.get("properties", {}).items() if name in required]
    below += [schema.get("items"), schema.get("additionalProperties")]
    below += [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("prefixItems", ())]
    return found + [ref for each in below for ref in required_refs(each)]
