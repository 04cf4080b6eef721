"""Media types: which one a body is written or read in."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import MediaType, Operation
from restwright.openapi.references import lookup_reference

_SEQUENCES = frozenset(
    {
        *("application/jsonl", "application/x-jsonlines", "application/jsonlines"),
        *("application/x-ndjson", "application/ndjson", "application/x-jsonl"),
        *("application/json-seq", "application/geo+json-seq", "text/jsonl"),
    }
)
EVENT_STREAM = "text/event-stream"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def body_media_type(operation: Operation) -> MediaType | None:
    """The media type that a body is written in: JSON where it can be, then forms; None for none."""
    return choose_media_type(operation.request_body.content if operation.request_body else ())


def choose_media_type(content: Iterable[MediaType]) -> MediaType | None:
    """The media type that says most: JSON, then forms, then what comes first; None for none."""
    return min(content, key=_media_type_rank, default=None)


def can_be_json(name: str) -> bool:
    """
    Whether a media type is JSON, or leaves it open.

    Source: RFC 6839, "The +json Structured Syntax Suffix".
    """
    essence = name.partition(";")[0].strip().lower()
    return essence.endswith(("/json", "+json")) or essence in {"*/*", "application/*"}


def is_sequence(name: str) -> bool:
    """
    Whether a media type is JSON values one after another.

    Source: OAS 3.2, "Sequential Media Types".
    """
    essence = name.partition(";")[0].strip().lower()
    return essence in _SEQUENCES or essence.endswith("+json-seq")


def is_xml(name: str) -> bool:
    """Whether a media type is XML."""
    return name.partition(";")[0].strip().lower().endswith(("/xml", "+xml"))


def body_schema(media_type: MediaType) -> Json:
    """The schema of a whole body; an array where only that of its items is said."""
    if media_type.item_schema is None or media_type.schema is not True:
        return media_type.schema
    return {"type": "array", "items": media_type.item_schema}


def sequence_schema(media_type: MediaType, document: JsonObject) -> Json:
    """
    The schema of all values of a sequence.

    Before `itemSchema` there was one for a whole body alone, and many say that of a value in it.

    Args:
        document: What the references of the schema point into.
    """
    schema = body_schema(media_type)
    target = schema
    with suppress(UnresolvedReference):
        if is_object(schema) and isinstance(schema.get("$ref"), str):
            target = lookup_reference(document, schema["$ref"])
    kind = target.get("type") if is_object(target) else None
    is_whole = schema is True or kind == "array" or (is_array(kind) and "array" in kind)
    return schema if is_whole else {"type": "array", "items": schema}


def _media_type_rank(media_type: MediaType) -> int:
    essence = media_type.name.partition(";")[0].strip().lower()
    if essence == "application/json":
        return 0
    if essence.endswith(("/json", "+json")):
        return 1
    if essence in _FORMS:
        return 2 + _FORMS.index(essence)
    return 4 if can_be_json(essence) else 5
