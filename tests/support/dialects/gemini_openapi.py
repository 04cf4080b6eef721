"""
Gemini function declarations with `parameters`.

Sources: Gemini API, "FunctionDeclaration", "Schema" and "Type" ("a select subset of an OpenAPI 3.0
schema object"); Vertex AI, "Schema"; the API's own refusals ("when using any_of, it must be the
only field set", "enum: only allowed for STRING type", "enum[0]: cannot be empty", "items: missing
field", "properties: should be non-empty for OBJECT type" at the root).
"""

from __future__ import annotations

from typing import Any

from tests.support.dialects.gemini import of_names
from tests.support.dialects.walking import fields, is_json, objects

TYPES = {"string", "number", "integer", "boolean", "array", "object"}
KEYWORDS = {
    "type", "format", "description", "nullable", "enum", "maxItems", "minItems", "properties",
    "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "anyOf",
    "propertyOrdering", "items", "minimum", "maximum",
}  # fmt: skip
FORMATS = {
    "string": {"date-time", "enum"},
    "number": {"float", "double"},
    "integer": {"int32", "int64"},
}


def violations(tool: dict[str, Any]) -> list[str]:
    """A declaration with the schema as OpenAPI 3.0's subset; left unset where nothing is taken."""
    found = fields(tool, {"name", "description"}, {"parameters"})
    if found or "parameters" not in tool:
        return found + of_names(tool.get("name", ""), {})
    schema = tool["parameters"]
    found = of_names(tool["name"], schema)
    if schema.get("type") != "object" or not schema.get("properties"):
        found.append("/: the root is no object with properties")
    for at, each in objects(schema):
        found += [f"{at}: {what}" for what in of_node(each)]
    return found + is_json(tool)


def of_node(schema: dict[str, Any]) -> list[str]:
    """One schema, without those below it."""
    found = [f"unsupported {keyword}" for keyword in schema.keys() - KEYWORDS]
    if "anyOf" in schema:
        return found + (["other fields beside anyOf"] if len(schema) > 1 else [])
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        found.append(f"type {kind}")
    if "format" in schema and schema["format"] not in FORMATS.get(str(kind), ()):
        found.append("format")
    if kind == "array" and "items" not in schema:
        found.append("array without items")
    if set(schema.get("required", ())) - set(schema.get("properties", ())):
        found.append("required without properties")
    return found + (of_enum(schema) if "enum" in schema else [])


def of_enum(schema: dict[str, Any]) -> list[str]:
    """Texts, none of them empty."""
    plain = schema["enum"] and all(isinstance(each, str) and each for each in schema["enum"])
    return [] if plain and schema.get("type") == "string" else ["enum of other values than texts"]
