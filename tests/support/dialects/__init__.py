"""
What each provider documents about tools, as checkers: `violations(tool)` lists what it would
refuse.

Written from the documented rules, not from the converter, and sharing no code with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.dialects import (
    anthropic,
    gemini,
    gemini_openapi,
    json_schema,
    llama_grammar,
    mcp,
    openai,
    openai_strict,
    openapi_30,
)

CHECKERS: Mapping[str, Callable[[dict[str, Any]], list[str]]] = {
    "json-schema": json_schema.violations,
    "openai": openai.violations,
    "openai-strict": openai_strict.violations,
    "openai-responses": openai.violations_of_flat,
    "openai-responses-strict": openai_strict.violations_of_flat,
    "anthropic": anthropic.violations,
    "gemini": gemini.violations,
    "gemini-openapi": gemini_openapi.violations,
    "mcp": mcp.violations,
    "openapi-3.0": openapi_30.violations,
    "llama-grammar": llama_grammar.violations,
}
