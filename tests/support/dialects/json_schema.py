"""JSON Schema 2020-12 of an object, under `parameters`."""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects.walking import dangling, fields, json_schema_faults

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def violations(tool: dict[str, Any]) -> list[str]:
    """Source: JSON Schema 2020-12, "Core" and "Validation"."""
    found = fields(tool, {"name", "description", "parameters"}, set())
    if found:
        return found
    if not NAME.fullmatch(tool["name"]):
        found.append("name")
    schema = tool["parameters"]
    if schema.get("type") != "object":
        found.append("/: the root is not an object")
    return found + json_schema_faults(schema) + dangling(schema)
