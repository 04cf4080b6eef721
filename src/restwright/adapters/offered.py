"""What a toolbox offers, as every framework takes it: a JSON Schema without references."""

from __future__ import annotations

from collections.abc import Callable

from restwright.adapters.bound_tool import PROVIDER, BoundTool
from restwright.jsontypes import JsonObject
from restwright.toolboxes.pending import Pending
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox
from restwright.tools.dialects.inline_refs import DEPTHS, inline_references

_MAX_CHARS = 16_000


def list_offered(toolbox: Toolbox, *, about: str = "") -> tuple[BoundTool, ...]:
    """The tools of `Toolbox.for_()`; deep parts of recursive schemas are left out, and marked."""
    return tuple(
        BoundTool(
            toolbox=toolbox,
            name=shape["name"],
            description=shape["description"],
            schema=_inline(shape["parameters"]),
        )
        for shape in toolbox.for_(PROVIDER, about=about)
    )


def read_text(reply: Reply, error: Callable[[str], Exception]) -> str:
    """The text that the model reads; that of a call that failed is raised as an `error`."""
    if not reply.ok and reply.pending is None:
        raise error(reply.text)
    return reply.text


def show_pending(pending: Pending) -> JsonObject:
    """What a person is shown of a write, as JSON."""
    return {
        "tool": pending.tool,
        "question": pending.question,
        "request": pending.request,
        "hash": pending.hash,
    }


def _inline(schema: JsonObject) -> JsonObject:
    for depth in DEPTHS:
        limit = _MAX_CHARS if depth is not DEPTHS[-1] else 2**62
        if (whole := inline_references(schema, depth, max_chars=limit)) is not None:
            return whole.schema
    return schema
