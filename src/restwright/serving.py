"""What functions give to clients of `restwright mcp serve`, and what they ask of them."""

from __future__ import annotations

from restwright.tools.functions.contents import EmbeddedResource, Media
from restwright.tools.functions.context import (
    CallContext,
    ClientQuestion,
    Form,
    LogLevel,
    Roots,
    Sample,
)
from restwright.tools.functions.marks import prompt, resource

__all__ = [
    "CallContext",
    "ClientQuestion",
    "EmbeddedResource",
    "Form",
    "LogLevel",
    "Media",
    "Roots",
    "Sample",
    "prompt",
    "resource",
]
