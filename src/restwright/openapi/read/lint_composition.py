"""Schemas put together of others: parts that are missing, or that shut each other out."""

from __future__ import annotations

from collections.abc import Iterator

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import dereference_node, join_pointer, lookup_reference

_LISTS = ("allOf", "anyOf", "oneOf")
_MAX_NAMES = 3
# Parts of parts are looked into so far; deeper ones are seldom written, and may be circles.
_MAX_PARTS = 100


def check_empty_compositions(schema: JsonObject) -> Iterator[Problem]:
    """Source: JSON Schema 2020-12, "Keywords for Applying Subschemas With Logic"."""
    for key in _LISTS:
        if key in schema and schema[key] == []:
            yield Problem(f"/{key}", "has no schemas", "warning", "ignored")


def check_discriminator_mapping(schema: JsonObject, document: JsonObject) -> Iterator[Problem]:
    """Source: OAS 3.2, "Discriminator Object": values are references or names of components."""
    discriminator = schema.get("discriminator")
    mapping = discriminator.get("mapping") if is_object(discriminator) else None
    if not is_object(mapping):
        return
    for value, target in mapping.items():
        if isinstance(target, str) and _is_missing(target, document):
            what = f"there is no schema {target[:100]!r}"
            yield Problem(join_pointer("discriminator", "mapping", value), what, action="not used")


def _is_missing(target: str, document: JsonObject) -> bool:
    if not target.startswith("#/"):
        components = document.get("components")
        schemas = components.get("schemas") if is_object(components) else None
        is_name = not any(mark in target for mark in "#/.:")
        return is_name and not (is_object(schemas) and target in schemas)
    try:
        lookup_reference(document, target)
    except UnresolvedReference:
        return True
    return False


def check_closed_parts(schema: JsonObject, document: JsonObject) -> Iterator[Problem]:
    """
    Properties that one part of `allOf` describes and another one forbids.

    Source: JSON Schema 2020-12, "additionalProperties": it sees the schema it stands in alone.
    """
    if not is_array(schema.get("allOf")):
        return
    parts = _collect_parts(schema, document)
    named = dict.fromkeys(name for part in parts for name in _property_names(part))
    lost = [name for name in named if any(_forbids_property(part, name) for part in parts)]
    for name in lost[:_MAX_NAMES]:
        what = f"`{name[:80]}` can never be given: another part of allOf allows no more properties"
        more = len(lost) - _MAX_NAMES
        more = f" (so with {more} more)" if more > 0 and name == lost[_MAX_NAMES - 1] else ""
        yield Problem("/allOf", what + more, "warning", "checked as it is written")


def _collect_parts(schema: JsonObject, document: JsonObject) -> list[JsonObject]:
    """A schema and all that its `allOf` holds, references followed, each once."""
    parts: dict[int, JsonObject] = {}
    waiting: list[Json] = [schema]
    while waiting and len(parts) < _MAX_PARTS:
        try:
            node = dereference_node(document, waiting.pop())
        except UnresolvedReference:
            continue
        if is_object(node) and id(node) not in parts:
            parts[id(node)] = node
            inner = node.get("allOf")
            waiting.extend(reversed(inner) if is_array(inner) else ())
    return list(parts.values())


def _property_names(part: JsonObject) -> Iterator[str]:
    for key in ("properties", "required"):
        written = part.get(key)
        if is_object(written) or is_array(written):
            yield from (name for name in written if isinstance(name, str))


def _forbids_property(part: JsonObject, name: str) -> bool:
    if part.get("additionalProperties") is not False or "patternProperties" in part:
        return False
    properties = part.get("properties")
    return not (is_object(properties) and name in properties)
