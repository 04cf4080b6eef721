"""What a class says about a tool, as the hints of the Model Context Protocol."""

from __future__ import annotations

from restwright.jsontypes import JsonObject
from restwright.tools.dialects.mcp_annotations import IDEMPOTENT_METHODS
from restwright.tools.safety import OperationClass

_REPLACING_METHODS = frozenset({"PUT", "PATCH"})


def annotate_class(operation_class: OperationClass, method: str) -> JsonObject:
    """
    The hints for a tool of a class.

    Only a read promises to change nothing. What replaces a thing is as careful as what destroys
    one; a POST that no word of its document calls destructive adds something.

    Args:
        operation_class: As the policy says it, so that the user has the last word.
        method: Of HTTP, in any case.

    Source: MCP 2026-07-28, "ToolAnnotations"; RFC 9110, "Common Method Properties".
    """
    upper = method.upper()
    is_read = operation_class == "read"
    is_loss = operation_class == "destructive" or upper in _REPLACING_METHODS
    return {
        "readOnlyHint": is_read,
        "destructiveHint": is_loss and not is_read,
        "idempotentHint": is_read or upper in IDEMPOTENT_METHODS,
        "openWorldHint": True,
    }
