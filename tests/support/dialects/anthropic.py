"""
Anthropic client tools.

Sources: Anthropic, "Define tools" (name, description, input_schema) and the API's own refusals:
"input_schema does not support oneOf, allOf, or anyOf at the top level", "Property keys should
match pattern '^[a-zA-Z0-9_.-]{1,64}$'", "JSON schema is invalid. It must match JSON Schema draft
2020-12".
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects.openai import compiles
from tests.support.dialects.walking import (
    dangling,
    fields,
    is_json,
    json_schema_faults,
    objects,
    root_of,
)

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def violations(tool: dict[str, Any]) -> list[str]:
    """A tool as the Messages API takes it."""
    found = fields(tool, {"name", "description", "input_schema"}, {"strict", "input_examples"})
    if found:
        return found
    schema = tool["input_schema"]
    found = [] if NAME.fullmatch(tool["name"]) else ["name"]
    found += root_of(schema, ("oneOf", "anyOf", "allOf", "$ref"))
    found += [
        f"/properties/{name}: illegal name"
        for name in schema.get("properties", {})
        if not PROPERTY.fullmatch(name)
    ]
    found += [
        f"{at}: pattern is no regex"
        for at, each in objects(schema)
        if not compiles(each.get("pattern", ""))
    ]
    return found + json_schema_faults(schema) + dangling(schema) + is_json(tool)
