"""
Schema Objects of OpenAPI 3.0 without references.

Source: OAS 3.0.4, "Schema Object" (its keywords, `type` as one name, `items` of arrays) and
"Clarify Semantics of nullable in OpenAPI 3.0" (it stands beside a `type`, and null is listed in
`enum`).
"""

from __future__ import annotations

from typing import Any

from tests.support.dialects.walking import every, fields, is_json

TYPES = {"string", "number", "integer", "boolean", "array", "object"}
KEYWORDS = {
    "title", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties",
    "minProperties", "required", "enum", "type", "allOf", "oneOf", "anyOf", "not", "items",
    "properties", "additionalProperties", "description", "format", "default", "nullable",
    "discriminator", "readOnly", "writeOnly", "xml", "externalDocs", "example", "deprecated",
}  # fmt: skip


def violations(tool: dict[str, Any]) -> list[str]:
    """A function of document 001's kind."""
    found = fields(tool, {"name", "description", "parameters"}, {"deprecated"})
    if found:
        return found
    if tool["parameters"].get("type") != "object":
        found.append("/: the root is not an object")
    for at, each in every(tool["parameters"]):
        if isinstance(each, dict):
            found += [f"{at}: {what}" for what in of_node(each)]
        elif not at.endswith("/additionalProperties"):
            found.append(f"{at}: a boolean schema")
    return found + is_json(tool)


def of_node(schema: dict[str, Any]) -> list[str]:
    """One schema, without those below it."""
    found = [f"unsupported {keyword}" for keyword in schema.keys() - KEYWORDS]
    kind = schema.get("type")
    if kind is not None and (not isinstance(kind, str) or kind not in TYPES):
        found.append(f"type {kind}")
    if kind == "array" and "items" not in schema:
        found.append("array without items")
    found += [
        f"{bound} is no boolean"
        for bound in ("exclusiveMinimum", "exclusiveMaximum")
        if not isinstance(schema.get(bound, True), bool)
    ]
    if schema.get("nullable") and kind is None:
        found.append("nullable without type")
    if "enum" in schema and None in schema["enum"] and not schema.get("nullable"):
        found.append("null in enum without nullable")
    if schema.get("required") == []:
        found.append("required is empty")
    return found
