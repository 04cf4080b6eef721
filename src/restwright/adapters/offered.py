"""What a toolbox offers, as every framework takes it: a JSON Schema without references."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox
from restwright.tools.dialects.inline_refs import DEPTHS, inline_references
from restwright.tools.toolset import OfferLimits, ToolCall

PROVIDER = "json-schema"
"""The form in which adapters exchange calls with a toolbox."""
_MAX_CHARS = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedShape:
    """One tool; `schema` is a JSON Schema of its arguments, without references."""

    name: str
    description: str
    schema: JsonObject = field(repr=False)


def list_offered(
    toolbox: Toolbox, *, about: str = "", limits: OfferLimits | None = None
) -> tuple[OfferedShape, ...]:
    """The tools of `Toolbox.for_()`; deep parts of recursive schemas are left out, and marked."""
    shapes = toolbox.for_(PROVIDER, about=about, limits=limits)
    return tuple(
        OfferedShape(
            name=shape["name"],
            description=shape["description"],
            schema=_inline(shape["parameters"]),
        )
        for shape in shapes
    )


def to_call(name: str, arguments: JsonObject) -> ToolCall:
    """A call as a toolbox takes it from any provider."""
    return ToolCall(name, arguments)


def is_for_model(reply: Reply) -> bool:
    """Whether the model can mend a call that failed, by calling again."""
    return reply.result is not None and reply.result.repairable_by == "model"


def _inline(schema: JsonObject) -> JsonObject:
    for depth in DEPTHS:
        limit = _MAX_CHARS if depth is not DEPTHS[-1] else 2**62
        if (whole := inline_references(schema, depth, max_chars=limit)) is not None:
            return whole.schema
    return schema
