"""
OpenAI functions that are strict.

Source: OpenAI, "Structured model outputs", section "Supported schemas": supported types and
properties, "Root objects must not be anyOf and must be an object", "All fields must be required",
"Objects have limitations on nesting depth and size", "Limitations on total string size",
"Limitations on enum size", "additionalProperties: false must always be set in objects", "Some
type-specific keywords are not yet supported", "For anyOf, the nested schemas must each be a valid
JSON Schema per this subset".
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects import openai
from tests.support.dialects.walking import (
    dangling,
    fields,
    json_schema_faults,
    kinds,
    objects,
    root_of,
)

TYPES = {"string", "number", "boolean", "integer", "object", "array", "null"}
KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const",
    "$ref", "$defs", "title", "description", "pattern", "format", "multipleOf", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
}  # fmt: skip
FORMATS = {
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
}  # fmt: skip
LOOKAROUND = re.compile(r"\(\?<?[=!]")


def violations(tool: dict[str, Any]) -> list[str]:
    """The form of Chat Completions; a function that says `strict: false` only has to be plain."""
    found = fields(tool, {"type", "function"}, set())
    return found or of_function(tool["function"], {"strict"}) + openai.type_of(tool)


def violations_of_flat(tool: dict[str, Any]) -> list[str]:
    """The form of the Responses API."""
    return of_function(tool, {"type", "strict"}) + openai.type_of(tool)


def of_function(function: dict[str, Any], more: set[str]) -> list[str]:
    """One function without its envelope."""
    if not isinstance(function.get("strict"), bool):
        return ["strict is not said"]
    if not function["strict"]:
        return openai.violations_of_function(function, more)
    found = fields(function, {"name", "description", "parameters"}, more)
    if found:
        return found
    schema = function["parameters"]
    found = openai.of_texts(function) + root_of(schema, ("anyOf", "enum", "$ref"))
    found += json_schema_faults(schema) + dangling(schema)
    for at, each in objects(schema):
        found += [f"{at}: {what}" for what in of_node(each)]
    return found + of_size(schema)


def of_node(schema: dict[str, Any]) -> list[str]:
    """One schema, without those below it."""
    found = [f"unsupported {keyword}" for keyword in schema.keys() - KEYWORDS]
    if "$ref" in schema and schema.keys() - {"$ref", "$defs"}:
        found.append("$ref has siblings")
    if not {"type", "anyOf", "$ref"} & schema.keys():
        found.append("no type")
    if not TYPES.issuperset(kinds(schema)):
        found.append("unknown type")
    if schema.get("format", "date") not in FORMATS:
        found.append("unsupported format")
    if LOOKAROUND.search(schema.get("pattern", "")):
        found.append("look-around in pattern")
    if "array" in kinds(schema) and not isinstance(schema.get("items"), dict):
        found.append("array without typed items")
    return found + (of_object(schema) if is_object(schema) else [])


def is_object(schema: dict[str, Any]) -> bool:
    """Whether a schema is about objects."""
    return "object" in kinds(schema) or "properties" in schema


def of_object(schema: dict[str, Any]) -> list[str]:
    """Closed, and everything required."""
    found = []
    if schema.get("additionalProperties") is not False:
        found.append("additionalProperties is not false")
    if set(schema.get("required", ())) != set(schema.get("properties", ())):
        found.append("not all properties are required, or others are")
    return found


def of_size(schema: dict[str, Any]) -> list[str]:
    """The limits on a whole schema."""
    nodes = [each for _, each in objects(schema)]
    names = [name for each in nodes for name in each.get("properties", {})]
    values = [value for each in nodes for value in each.get("enum", ())]
    texts = [*names, *schema.get("$defs", {}), *(each for each in values if isinstance(each, str))]
    found = []
    if len(names) > 5_000:
        found.append("over 5,000 properties")
    if len(values) > 1_000:
        found.append("over 1,000 enum values")
    if sum(map(len, texts)) > 120_000:
        found.append("over 120,000 characters of names and values")
    if any(len(each.get("enum", ())) > 250 and len("".join(map(str, each["enum"]))) > 15_000
           for each in nodes):  # fmt: skip
        found.append("over 15,000 characters in an enum of over 250 values")
    if levels(schema, schema.get("$defs", {}), {}) > 10:
        found.append("over 10 levels of nesting")
    return found


def levels(schema: dict[str, Any], definitions: dict[str, Any], known: dict[str, int]) -> int:
    """Objects inside each other; a definition inside itself counts once."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name not in known:
            known[name] = 0
            known[name] = levels(definitions.get(name, {}), definitions, known)
        return known[name]
    below = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    below += [schema["items"]] if isinstance(schema.get("items"), dict) else []
    deepest = max((levels(each, definitions, known) for each in below), default=0)
    return deepest + ("properties" in schema)
