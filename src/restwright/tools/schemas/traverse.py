"""Walks through cleaned schemas."""

from __future__ import annotations

from collections.abc import Iterator

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.schemas.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS


def schema_references(schema: Json) -> Iterator[str]:
    """Every `$ref` in a cleaned schema, in document order, `$defs` left out."""
    if not is_object(schema):
        return
    if (ref := find_ref(schema)) is not None:
        yield ref
    for child in subschemas(schema):
        yield from schema_references(child)


def subschemas(schema: JsonObject) -> Iterator[Json]:
    """The schemas right below one cleaned schema."""
    for keyword, value in schema.items():
        if keyword in SCHEMA_KEYWORDS:
            yield value
        elif keyword in LIST_KEYWORDS:
            yield from value
        elif keyword in MAP_KEYWORDS:
            yield from value.values()


def schema_members(schema: JsonObject) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """`(tokens of a JSON Pointer, schema)` of those right below a schema, `$defs` included."""
    for key, value in schema.items():
        if key in MAP_KEYWORDS or key == "$defs":
            yield from (((key, name), each) for name, each in value.items())
        elif key in LIST_KEYWORDS:
            yield from (((key, index), each) for index, each in enumerate(value))
        elif key in SCHEMA_KEYWORDS:
            yield (key,), value
