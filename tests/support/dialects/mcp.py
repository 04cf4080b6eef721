"""
MCP tools.

Source: Model Context Protocol 2026-07-28, "Tools": "Tool", "Tool Names", "ToolAnnotations".
"""

from __future__ import annotations

import re
from typing import Any

from tests.support.dialects.walking import dangling, fields, is_json, json_schema_faults

NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


def violations(tool: dict[str, Any]) -> list[str]:
    """One entry of `tools/list`."""
    found = fields(
        tool, {"name", "description", "inputSchema"}, {"title", "annotations", "outputSchema"}
    )
    if found:
        return found
    if not NAME.fullmatch(tool["name"]):
        found.append("name")
    if tool["inputSchema"].get("type") != "object":
        found.append("inputSchema is not an object")
    hints = tool.get("annotations", {})
    found += [f"unknown hint {each}" for each in hints.keys() - HINTS - {"title"}]
    found += [
        f"{each} is no boolean" for each in HINTS & hints.keys() if hints[each] not in (True, False)
    ]
    if hints.get("readOnlyHint") and hints.get("destructiveHint"):
        found.append("read-only and destructive")
    schema = tool["inputSchema"]
    return found + json_schema_faults(schema) + dangling(schema) + is_json(tool)
