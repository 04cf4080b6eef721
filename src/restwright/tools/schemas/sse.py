"""
The schema of a server-sent event as it is read: with data that is JSON as a value.

Source: OAS 3.2, "Special Considerations for Server-Sent Events".
"""

from __future__ import annotations

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import lookup_reference

_MAX_DEPTH = 4  # references and branches may go round in circles
_BRANCHES = ("allOf", "anyOf", "oneOf")
_READ: JsonObject = {"type": ["object", "array"]}


def event_schema(schema: Json, document: JsonObject, depth: int = 0) -> Json:
    """
    Return the schema of an event whose `data` is a text, or what its JSON says.

    Args:
        schema: Of one event, whose `data` is a text there.
        document: What its references point into.
    """
    if not is_object(schema) or depth > _MAX_DEPTH:
        return schema
    node = _follow_reference(schema, document)
    properties = node.get("properties")
    changed: JsonObject = {}
    if is_object(properties) and "data" in properties:
        changed["properties"] = {**properties, "data": _data_schema(properties["data"], document)}
    for keyword in _BRANCHES:
        if is_array(branches := node.get(keyword)):
            changed[keyword] = [event_schema(branch, document, depth + 1) for branch in branches]
    return {**node, **changed} if changed else schema


def _data_schema(schema: Json, document: JsonObject) -> Json:
    node = _follow_reference(schema, document) if is_object(schema) else {}
    inner = node.get("contentSchema", _READ)
    # What is no object and no array stays a text.
    text: JsonObject = {"type": "string", "allOf": [schema]}
    return {"anyOf": [text, inner if is_object(inner) else _READ]}


def _follow_reference(schema: JsonObject, document: JsonObject) -> JsonObject:
    """What a reference leads to, with what stands beside it."""
    ref = schema.get("$ref")
    try:
        target = lookup_reference(document, ref) if isinstance(ref, str) else None
    except UnresolvedReference:
        return schema
    if not is_object(target):
        return schema
    return {**target, **{key: each for key, each in schema.items() if key != "$ref"}}
