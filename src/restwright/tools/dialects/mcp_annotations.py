"""What an HTTP method says about a tool, as MCP's hints."""

from __future__ import annotations

from restwright.jsontypes import JsonObject

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}


def hints_from_method(method: str) -> JsonObject:
    """
    The hints for a tool of this HTTP method.

    Only a safe method promises to destroy nothing. PUT and PATCH replace what is there, DELETE
    removes it, and POST or a method of one's own may do anything, so that all of them keep the
    careful hint.

    Source: RFC 9110, "Common Method Properties" and "Method Definitions"; MCP 2026-07-28,
    "ToolAnnotations".
    """
    upper = method.upper()
    return {
        "readOnlyHint": upper in SAFE_METHODS,
        "destructiveHint": upper not in SAFE_METHODS,
        "idempotentHint": upper in IDEMPOTENT_METHODS,
        "openWorldHint": True,
    }
