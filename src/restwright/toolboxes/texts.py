"""What a model reads of a write that waits."""

from __future__ import annotations

from restwright.tools.tool import Tool


def describe_pending(tool: Tool) -> str:
    """A write that nobody has allowed yet."""
    why = "a person is asked first whether it may be"
    return f"{tool.name} was not sent yet: {why}. Do not call it again; tell the user what waits."
