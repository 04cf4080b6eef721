"""Whether the value of a response is as the document says, by the media type of the response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from restwright.calls.arguments.check import check_value
from restwright.calls.mismatch import Mismatch
from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.media_ranges import matches_media_range, media_type_essence
from restwright.calls.response.xml_schema import value_from_xml
from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import MediaType
from restwright.tools.text.media_types import (
    EVENT_STREAM,
    body_schema,
    can_be_json,
    is_sequence,
    is_xml,
)
from restwright.tools.tool import Tool

MAX_CHECKED_ITEMS = 1000
"""Of a stream of events; each is checked by itself."""
MAX_RESPONSE_MISMATCHES = 50
_Check = Callable[[Tool, MediaType, Json], tuple[Mismatch, ...]]


def check_response_value(tool: Tool, content_type: str, value: Json) -> tuple[Mismatch, ...]:
    """
    Return where a success is not as the document says; the document's own mistakes are common.

    Of server-sent events each is checked, against `itemSchema`, or its data against `schema`. XML
    is checked as the value that its schema describes, so that `"7"` may be a number.

    Args:
        value: As it was read.
    """
    name = media_type_essence(content_type)
    media_type = _find_media_type(tool, name)
    if media_type is None:
        return () if tool.output is None else check_value(tool.output, value)
    if "*" in media_type.name and not _is_structured(name):
        return ()  # Bytes, or text: a schema for any media type says nothing about those.
    return _CHECKS.get("xml" if is_xml(name) else name, _check_whole)(tool, media_type, value)


def _find_media_type(tool: Tool, name: str) -> MediaType | None:
    """What the document says of a media type: by its name, else by a range that it is in."""
    success = tool.operation.success
    content = success.content if success else ()
    named = (media_type for media_type in content if media_type_essence(media_type.name) == name)
    ranged = (
        media_type
        for media_type in content
        if "*" in media_type.name and matches_media_range(name, media_type.name)
    )
    return next(named, None) or next(ranged, None)


def _is_structured(name: str) -> bool:
    """Whether bodies of a media type become values with parts."""
    return can_be_json(name) or is_xml(name) or is_sequence(name) or name == EVENT_STREAM


def _check_whole(tool: Tool, media_type: MediaType, value: Json) -> tuple[Mismatch, ...]:
    schema = tool.outputs.get(media_type.name)
    return () if schema is None else check_value(schema, value)


def _check_xml(tool: Tool, media_type: MediaType, value: Json) -> tuple[Mismatch, ...]:
    if not is_object(value):
        return ()  # Text that is no XML: the reader has said so.
    described = BodySchema(body_schema(media_type), tool.document)
    return _check_whole(tool, media_type, value_from_xml(value, described))


def _check_events(tool: Tool, media_type: MediaType, value: Json) -> tuple[Mismatch, ...]:
    schema = tool.outputs.get(media_type.name)
    if schema is None or not is_array(value):
        return ()
    find = check_value if media_type.item_schema is not None else _check_event_data
    found = (
        replace(mismatch, pointer=f"/{index}{mismatch.pointer}")
        for index, event in enumerate(value[:MAX_CHECKED_ITEMS])
        for mismatch in find(schema, event)
    )
    return tuple(islice(found, MAX_RESPONSE_MISMATCHES))


def _check_event_data(schema: Json, event: Json) -> tuple[Mismatch, ...]:
    """What is wrong with the data of an event; data that is no JSON (`[DONE]`) may be any."""
    data = event.get("data") if is_object(event) else None
    if not (is_object(data) or is_array(data)):
        return ()
    found = check_value(schema, data)
    return tuple(replace(mismatch, pointer=f"/data{mismatch.pointer}") for mismatch in found)


_CHECKS: dict[str, _Check] = {"xml": _check_xml, EVENT_STREAM: _check_events}
