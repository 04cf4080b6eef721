"""
The shape of a JSON value in one line, for a prompt: `{total: int, items: [{id: str, name: str}]}`.

`str?` may be null, `'a'|'b'` is an enumeration, `date` a string of that format, `{*: int}` an
object of any names, `Category` a schema that contains itself, `{...}` a part left out for its
length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref

_MAX_DEPTH = 12
# Of lists in lists and of alternatives too, so that no schema needs a deep stack.
_MAX_LEVELS = 40
_MAX_ENUM = 8
_MAX_ALTERNATIVES = 4
_MAX_NODES = 4000
_MAX_ELEMENTS = 50

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "number",
    "boolean": "bool",
    "null": "null",
}
# Formats that say more about a string than `str`; the others are about sizes or are unknown.
_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "duration": "duration",
    "uuid": "uuid",
    "uri": "url",
    "url": "url",
    "email": "email",
    "binary": "bytes",
    "byte": "base64",
}

# A schema, and the names of the definitions that it stands inside.
_Part: TypeAlias = tuple[JsonObject, tuple[str, ...]]


def summarize_type(schema: Json, *, max_chars: int = 1500) -> str:
    """
    The shape that a schema describes.

    Args:
        schema: JSON Schema 2020-12 with its `$defs`, as `Tool.output` is.
        max_chars: Deep parts are left out until it fits; then the last properties.
    """
    text = "any"
    for depth in range(_MAX_DEPTH, 0, -1):
        pen = _SummaryWriter(definitions=schema.get("$defs", {}) if is_object(schema) else {})
        text = pen.write(schema, depth)
        if len(text) <= max_chars and pen.nodes < _MAX_NODES:
            return text
    return _cut_at_comma(text, max_chars)


def summarize_value_type(value: Json, *, max_chars: int = 1500) -> str:
    """The shape of a value as it is, such as a response that no schema describes."""
    return summarize_type(infer_schema(value), max_chars=max_chars)


def infer_schema(value: Json) -> JsonObject:
    """
    A JSON Schema that says what kind of value this is; elements of an array put together.

    Of what lies deeper than a shape tells, only the kind is said.
    """
    return _infer_schema_within(value, _MAX_LEVELS)


def _infer_schema_within(value: Json, left: int) -> JsonObject:
    if is_object(value):
        parts = value.items() if left else ()
        properties = {name: _infer_schema_within(each, left - 1) for name, each in parts}
        return {"type": "object", "properties": properties}
    if is_array(value):
        first = value[:_MAX_ELEMENTS] if left else ()
        elements = _drop_duplicates(_infer_schema_within(item, left - 1) for item in first)
        return (
            {"type": "array", "items": _join_schemas(elements)} if elements else {"type": "array"}
        )
    return {"type": _json_type(value)}


def _json_type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _join_schemas(schemas: list[JsonObject]) -> JsonObject:
    """One schema for several; the properties of objects side by side."""
    objects = [schema for schema in schemas if schema["type"] == "object"]
    others = [schema for schema in schemas if schema["type"] != "object"]
    if objects:
        names = dict.fromkeys(name for object_ in objects for name in object_["properties"])
        properties = {
            name: _join_schemas(
                _drop_duplicates(
                    object_["properties"][name]
                    for object_ in objects
                    if name in object_["properties"]
                )
            )
            for name in names
        }
        others.append({"type": "object", "properties": properties})
    if {"type": "number"} in others:
        others = [other for other in others if other != {"type": "integer"}]
    return others[0] if len(others) == 1 else {"type": "any", "anyOf": others}


def _drop_duplicates(schemas: Iterable[JsonObject]) -> list[JsonObject]:
    found: list[JsonObject] = []
    for schema in schemas:
        if schema not in found:
            found.append(schema)
    return found


@dataclass(slots=True, kw_only=True)
class _SummaryWriter:
    """Writes one schema; counts nodes, since shared definitions can multiply without end."""

    definitions: JsonObject = field(repr=False)
    nodes: int = 0
    level: int = 0

    def write(self, schema: Json, depth: int, inside: tuple[str, ...] = ()) -> str:
        """The shape of a schema; `any` for what stands on too many levels."""
        if self.level >= _MAX_LEVELS:
            return "any"
        self.level += 1
        text = self._write_schema(schema, depth, inside)
        self.level -= 1
        return text

    def _write_schema(self, schema: Json, depth: int, inside: tuple[str, ...]) -> str:
        self.nodes += 1
        if not is_object(schema) or self.nodes > _MAX_NODES:
            return "any"
        if (ref := find_ref(schema)) is not None:
            name = ref.rpartition("/")[2]
            if name in inside:
                return name
            return self.write(self.definitions.get(name, True), depth, (*inside, name))
        if "const" in schema:
            return _format_literal(schema["const"])
        if "enum" in schema:
            return _format_enum(schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema and "properties" not in schema:
                return self._write_alternatives(schema[keyword], depth, inside)
        return self._write_typed(schema, depth, inside)

    def _write_alternatives(self, schemas: list[Json], depth: int, inside: tuple[str, ...]) -> str:
        texts = list(dict.fromkeys(self.write(schema, depth, inside) for schema in schemas))
        is_nullable = "null" in texts
        texts = [name for name in texts if name != "null"]
        if not texts:
            return "null"
        shown = texts[:_MAX_ALTERNATIVES]
        text = " | ".join([*shown, "..."] if len(texts) > len(shown) else shown)
        return _mark_nullable(text) if is_nullable else text

    def _write_typed(self, schema: JsonObject, depth: int, inside: tuple[str, ...]) -> str:
        parts = list(self._parts(schema, inside))
        kinds = _type_names(parts)
        texts = [self._write_kind(kind, parts, depth) for kind in kinds if kind != "null"]
        if not texts:
            return "null" if kinds else "any"
        text = " | ".join(dict.fromkeys(texts))
        return _mark_nullable(text) if "null" in kinds else text

    def _parts(self, schema: JsonObject, inside: tuple[str, ...]) -> Iterator[_Part]:
        """`schema` and what its allOf adds, each with the names that it stands inside."""
        for part in schema.get("allOf", ()):
            target, deeper = self._resolve(part, inside)
            if is_object(target):
                yield from self._parts(target, deeper)
        yield schema, inside

    def _resolve(self, schema: Json, inside: tuple[str, ...]) -> tuple[Json, tuple[str, ...]]:
        """What a chain of references leads to; True where it leads back into itself."""
        while (ref := find_ref(schema)) is not None:
            name = ref.rpartition("/")[2]
            if name in inside:
                return True, inside
            schema, inside = self.definitions.get(name, True), (*inside, name)
        return schema, inside

    def _write_kind(self, kind: str, parts: list[_Part], depth: int) -> str:
        if kind == "object":
            return self._write_object(parts, depth)
        if kind == "array":
            return self._write_array(parts, depth)
        enum = next((part["enum"] for part, _ in parts if "enum" in part), None)
        if enum is not None:
            return _format_enum(enum)
        formats = (part.get("format", "") for part, _ in parts)
        named = next((_FORMATS[format_] for format_ in formats if format_ in _FORMATS), "str")
        return named if kind == "string" else _SCALARS.get(kind, "any")

    def _write_object(self, parts: list[_Part], depth: int) -> str:
        if depth <= 0:
            return "{...}"
        members: dict[str, str] = {}
        for part, inside in parts:
            for name, each in part.get("properties", {}).items():
                members[_format_key(name)] = self.write(each, depth - 1, inside)
            more = part.get("additionalProperties")
            if is_object(more) or (more is True and not part.get("properties")):
                members["*"] = self.write(more, depth - 1, inside)
        return "{" + ", ".join(f"{name}: {text}" for name, text in members.items()) + "}"

    def _write_array(self, parts: list[_Part], depth: int) -> str:
        for part, inside in parts:
            if "prefixItems" in part:
                texts = [
                    self.write(prefix_item, depth, inside) for prefix_item in part["prefixItems"]
                ]
                return f"[{', '.join(texts)}]"
            if "items" in part:
                return f"[{self.write(part['items'], depth, inside)}]"
        return "[any]"


def _type_names(parts: list[_Part]) -> list[str]:
    """Types that the parts name; objects and arrays also without a `type`."""
    for part, _ in reversed(parts):
        kind = part.get("type")
        if kind is not None:
            return [kind] if isinstance(kind, str) else list(kind)
    if any("properties" in part or "additionalProperties" in part for part, _ in parts):
        return ["object"]
    return ["array"] if any("items" in part for part, _ in parts) else []


def _mark_nullable(text: str) -> str:
    return f"({text})?" if " | " in text or "'|" in text else f"{text}?"


def _format_enum(values: list[Json]) -> str:
    shown = [_format_literal(value) for value in values if value is not None]
    more = ["..."] if len(shown) > _MAX_ENUM else []
    text = "|".join([*shown[:_MAX_ENUM], *more])
    if len(shown) == len(values):
        return text
    return f"({text})?" if "|" in text else f"{text or 'null'}?"


def _format_literal(value: Json) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "\\'") + "'"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _format_key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _format_literal(name)


def _cut_at_comma(text: str, max_chars: int) -> str:
    """The beginning, up to a comma, its brackets closed."""
    kept = text[: max(max_chars - 10, 1)].rpartition(", ")[0]
    opened: list[str] = []
    for name in kept:
        if name in "{[":
            opened.append({"{": "}", "[": "]"}[name])
        elif opened and name == opened[-1]:
            opened.pop()
    return f"{kept}, ...{''.join(reversed(opened))}" if kept else "{...}"
