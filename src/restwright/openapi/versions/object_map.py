"""
Which object of OpenAPI 3.2 stands under which key of another, down to the schemas.

What is not in these tables is data (examples, defaults, extensions) or holds no schema.

Source: OAS 3.2.0, "Specification"; JSON Schema 2020-12, "Core", "Applicators".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from restwright.jsontypes import Json, JsonObject, is_array, is_object

SlotShape = Literal["one", "list", "map"]
ObjectKind = Literal[
    "document", "components", "path item", "operation", "parameter", "header", "request body",
    "response", "media type", "encoding", "callback", "link", "example",
    "security scheme", "schema",
]  # fmt: skip


class Slot(NamedTuple):
    """What stands under a key: one object of a kind, a list of them, or a map by name."""

    shape: SlotShape
    kind: ObjectKind


METHOD_KEYS = frozenset({
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
})  # fmt: skip

_CONTENT = Slot("map", "media type")
_EXAMPLES = Slot("map", "example")
_SCHEMA = Slot("one", "schema")
_ENCODINGS: Mapping[str, Slot] = {
    "encoding": Slot("map", "encoding"),
    "prefixEncoding": Slot("list", "encoding"),
    "itemEncoding": Slot("one", "encoding"),
}

_SLOTS: Mapping[ObjectKind, Mapping[str, Slot]] = {
    "document": {
        "paths": Slot("map", "path item"),
        "webhooks": Slot("map", "path item"),
        "components": Slot("one", "components"),
    },
    "components": {
        "schemas": Slot("map", "schema"),
        "responses": Slot("map", "response"),
        "parameters": Slot("map", "parameter"),
        "examples": _EXAMPLES,
        "securitySchemes": Slot("map", "security scheme"),
        "requestBodies": Slot("map", "request body"),
        "headers": Slot("map", "header"),
        "links": Slot("map", "link"),
        "callbacks": Slot("map", "callback"),
        "pathItems": Slot("map", "path item"),
        "mediaTypes": _CONTENT,
    },
    "path item": {
        **dict.fromkeys(METHOD_KEYS, Slot("one", "operation")),
        "additionalOperations": Slot("map", "operation"),
        "parameters": Slot("list", "parameter"),
    },
    "operation": {
        "parameters": Slot("list", "parameter"),
        "requestBody": Slot("one", "request body"),
        "responses": Slot("map", "response"),
        "callbacks": Slot("map", "callback"),
    },
    "parameter": {"schema": _SCHEMA, "content": _CONTENT, "examples": _EXAMPLES},
    "header": {"schema": _SCHEMA, "content": _CONTENT, "examples": _EXAMPLES},
    "request body": {"content": _CONTENT},
    "response": {
        "headers": Slot("map", "header"),
        "content": _CONTENT,
        "links": Slot("map", "link"),
    },
    "media type": {
        "schema": _SCHEMA,
        "itemSchema": _SCHEMA,
        "examples": _EXAMPLES,
        **_ENCODINGS,
    },
    "encoding": {"headers": Slot("map", "header"), **_ENCODINGS},
    "callback": {},
    "link": {},
    "example": {},
    "security scheme": {},
    "schema": {
        **dict.fromkeys(
            (
                *("items", "additionalItems", "additionalProperties", "not", "if", "then", "else"),
                *("contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
                "contentSchema",
            ),
            _SCHEMA,
        ),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), Slot("list", "schema")),
        **dict.fromkeys(
            (
                *("properties", "patternProperties", "dependentSchemas", "$defs"),
                *("definitions", "dependencies"),
            ),
            Slot("map", "schema"),
        ),
    },
}
# Specification Extensions may stand among the names of these.
_EXTENSIBLE = frozenset({"path item", "response"})


def find_slot(kind: ObjectKind, node: JsonObject, key: str) -> Slot | None:
    """What stands under `key` of `node`; None for data."""
    if kind == "callback":
        return None if key.startswith("x-") else Slot("one", "path item")
    found = _SLOTS[kind].get(key)
    if found is None and kind == "path item" and key.lower() in METHOD_KEYS:
        return Slot("one", "operation")
    if found is _SCHEMA and is_array(node.get(key)):
        return Slot("list", "schema")  # `items` of earlier drafts
    return found


def slot_members(place: Slot, value: Json) -> Iterator[tuple[str, Json]]:
    """`(token, object)` of what stands in a list or a map."""
    if place.shape == "list" and is_array(value):
        yield from ((str(index), each) for index, each in enumerate(value))
    elif place.shape == "map" and is_object(value):
        for name, each in value.items():
            if not is_extension(place, name):
                yield name, each


def is_extension(place: Slot, name: str) -> bool:
    """Whether what stands under `name` in a map is an extension."""
    return place.kind in _EXTENSIBLE and name.startswith("x-")
