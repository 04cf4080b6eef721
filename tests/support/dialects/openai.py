"""
OpenAI functions that are not strict.

Sources: OpenAI, "Function calling", section "Defining functions"; API reference, "Create chat
completion" (`tools`) and "Create a response" (`tools`). Root and arrays: the API's own refusals
("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
level", "array schema missing items", "is not a 'regex'").
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects.walking import (
    dangling,
    fields,
    is_json,
    json_schema_faults,
    kinds,
    objects,
    root_of,
)

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MAX_DESCRIPTION = 1024
ROOT_REFUSES = ("oneOf", "anyOf", "allOf", "enum", "not", "const", "$ref")


def violations(tool: dict[str, Any]) -> list[str]:
    """The form of Chat Completions."""
    found = fields(tool, {"type", "function"}, set())
    return found or violations_of_function(tool["function"], set()) + type_of(tool)


def violations_of_flat(tool: dict[str, Any]) -> list[str]:
    """The form of the Responses API, where `strict` has to be said."""
    found = violations_of_function(tool, {"type", "strict"}) + type_of(tool)
    return found if tool.get("strict") is False else [*found, "strict is not false"]


def type_of(tool: dict[str, Any]) -> list[str]:
    """`type` is `function`."""
    return [] if tool.get("type") == "function" else ["type is not function"]


def violations_of_function(function: dict[str, Any], more: set[str]) -> list[str]:
    """One function without its envelope."""
    found = fields(function, {"name", "description", "parameters"}, more)
    if found:
        return found
    return (
        of_texts(function)
        + root_of(function["parameters"], ROOT_REFUSES)
        + of_schema(function["parameters"])
        + is_json(function)
    )


def of_texts(function: dict[str, Any]) -> list[str]:
    """Name and description."""
    found = [] if NAME.fullmatch(function["name"]) else ["name"]
    if len(function["description"]) > MAX_DESCRIPTION:
        found.append("description is too long")
    return found


def of_schema(schema: dict[str, Any]) -> list[str]:
    """The schema as a whole."""
    found = json_schema_faults(schema) + dangling(schema)
    for at, each in objects(schema):
        if "array" in kinds(each) and "items" not in each:
            found.append(f"{at}: array without items")
        if "pattern" in each and not compiles(each["pattern"]):
            found.append(f"{at}: pattern is no regex")
    return found


def compiles(pattern: str) -> bool:
    """Whether the validator of the API, which is Python's, takes a pattern."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
