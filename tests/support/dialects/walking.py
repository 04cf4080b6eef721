"""Every schema inside a schema, and what is wrong with it as JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
       "unevaluatedItems", "unevaluatedProperties")  # fmt: skip
SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def every(schema: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """`(pointer, schema)` of a schema and all below it, booleans too."""
    yield at, schema
    if not isinstance(schema, dict):
        return
    for keyword in ONE:
        if keyword in schema:
            yield from every(schema[keyword], f"{at}/{keyword}")
    for keyword in SEVERAL:
        for index, each in enumerate(schema.get(keyword, ())):
            yield from every(each, f"{at}/{keyword}/{index}")
    for keyword in NAMED:
        for name, each in schema.get(keyword, {}).items():
            yield from every(each, f"{at}/{keyword}/{name}")


def objects(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """As `every()`; booleans left out."""
    return ((at, each) for at, each in every(schema) if isinstance(each, dict))


def json_schema_faults(schema: Any) -> list[str]:
    """What the 2020-12 meta-schema, or a reference that leads nowhere, says against it."""
    try:
        jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ValidationError) as error:
        return [f"not JSON Schema 2020-12: {str(error).splitlines()[0]}"]
    return []


def dangling(schema: Any) -> list[str]:
    """Every reference that leads to no definition."""
    names = {f"#/$defs/{name}" for name in schema.get("$defs", {})}
    refs = {each["$ref"]: at for at, each in objects(schema) if "$ref" in each}
    return [f"{at}: {ref} leads nowhere" for ref, at in refs.items() if ref not in names]


def kinds(schema: dict[str, Any]) -> list[str]:
    """The types that a schema names."""
    found = schema.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def root_of(schema: dict[str, Any], refused: tuple[str, ...]) -> list[str]:
    """What is wrong with a root that has to be a plain object."""
    found = [f"/: {keyword} at the root" for keyword in refused if keyword in schema]
    if schema.get("type") != "object":
        found.append("/: the root is not an object")
    if not isinstance(schema.get("properties"), dict):
        found.append("/: the root has no properties")
    return found


def fields(tool: dict[str, Any], needed: set[str], allowed: set[str]) -> list[str]:
    """What is missing from a tool, or too much."""
    more = tool.keys() - needed - allowed
    return [f"no {each}" for each in sorted(needed - tool.keys())] + [
        f"unknown field {each}" for each in sorted(more)
    ]


def is_json(tool: Any) -> list[str]:
    """Whether it is plain JSON without NaN."""
    try:
        json.dumps(tool, allow_nan=False)
    except (TypeError, ValueError) as error:
        return [f"not JSON: {error}"]
    return []
