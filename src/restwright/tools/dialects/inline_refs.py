"""
Schemas without references: each definition written where it is used, as far as there is room.

Definitions inside themselves are unrolled a few levels, and deep ones end where the whole would
grow over its limit (2^30 copies are a few lines in a document). What ends is marked `[left out]`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref
from restwright.tools.dialects.rewriter import ANNOTATION_KEYWORDS, add_note, definition_name
from restwright.tools.schemas.keywords import LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS

LEFT_OUT_MARK = "[left out]"

_MAX_NAMES = 20
# Schemas inside each other: as deep as a document may be that has no references.
_MAX_LEVEL = 200
# Quotes, colon, comma and a little for the braces.
_KEY_OVERHEAD = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineDepth:
    """
    How far references are followed.

    Args:
        references: Inside each other.
        levels: Of a definition inside itself.
    """

    references: int
    levels: int


DEPTHS = (
    InlineDepth(references=12, levels=3),
    InlineDepth(references=8, levels=2),
    InlineDepth(references=6, levels=1),
    InlineDepth(references=4, levels=1),
    InlineDepth(references=3, levels=1),
    InlineDepth(references=2, levels=1),
    InlineDepth(references=1, levels=1),
    InlineDepth(references=0, levels=0),
)
"""Tried in this order, until the schema is small enough."""


class _TooLong(Exception):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class InlinedSchema:
    """A schema without references, and the JSON Pointers of what was left out."""

    schema: JsonObject
    left_out: tuple[str, ...] = ()


def inline_references(
    schema: JsonObject, depth: InlineDepth, *, max_chars: int
) -> InlinedSchema | None:
    """
    `schema` without references and `$defs`; None where that would be longer than `max_chars`.

    Where a reference is not followed, an optional property is left out and its object says so (and
    is open, since the property may still be given); anything else is a schema of the right type
    that says so itself. The root's own properties always stay.
    """
    writing = _Inliner(definitions=schema.get("$defs", {}), depth=depth, remaining=max_chars)
    root = {key: value for key, value in schema.items() if key != "$defs"}
    try:
        whole = writing.inline(root, (), "")
    except _TooLong:
        return None
    return InlinedSchema(schema=whole, left_out=tuple(writing.left_out))


@dataclass(slots=True, kw_only=True)
class _Inliner:
    definitions: JsonObject = field(repr=False)
    depth: InlineDepth
    remaining: int
    level: int = 0
    left_out: list[str] = field(default_factory=list[str])
    _stubs: dict[int, JsonObject] = field(default_factory=dict[int, "JsonObject"])

    def inline(self, schema: Json, inside: tuple[str, ...], pointer: str) -> Json:
        if not is_object(schema):
            return schema
        self.level += 1
        if self.level > _MAX_LEVEL:
            raise _TooLong
        is_target = find_ref(schema) is not None
        written = (
            self._inline_target(schema, inside, pointer)
            if is_target
            else self._inline_keywords(schema, inside, pointer)
        )
        self.level -= 1
        return written

    def _inline_keywords(
        self, schema: JsonObject, inside: tuple[str, ...], pointer: str
    ) -> JsonObject:
        kept: JsonObject = {}
        for keyword, value in schema.items():
            self.remaining -= len(keyword) + _KEY_OVERHEAD
            kept[keyword] = self._inline_value(keyword, value, inside, pointer)
        return self._without_stubs(kept, inside, pointer)

    def _inline_value(
        self, keyword: str, value: Json, inside: tuple[str, ...], pointer: str
    ) -> Json:
        if keyword in SCHEMA_KEYWORDS:
            return self.inline(value, inside, f"{pointer}/{keyword}")
        if keyword in LIST_KEYWORDS:
            below = enumerate(value)
            return [
                self.inline(each, inside, f"{pointer}/{keyword}/{index}") for index, each in below
            ]
        if keyword in MAP_KEYWORDS:
            return self._inline_map(value, inside, f"{pointer}/{keyword}")
        self.remaining -= _json_length(value)
        if self.remaining < 0:
            raise _TooLong
        return value

    def _inline_map(self, value: JsonObject, inside: tuple[str, ...], pointer: str) -> JsonObject:
        written: JsonObject = {}
        for name, each in value.items():
            self.remaining -= len(name) + _KEY_OVERHEAD
            written[name] = self.inline(each, inside, f"{pointer}/{name}")
        return written

    def _inline_target(self, schema: JsonObject, inside: tuple[str, ...], pointer: str) -> Json:
        name = definition_name(schema["$ref"])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if beside:
            beside = self.inline(beside, inside, pointer)
        if name not in self.definitions:
            return add_note(beside, f"{name} {LEFT_OUT_MARK}")
        if self._is_too_deep(name, inside):
            target = self._stub(name)
        else:
            target = self.inline(self.definitions[name], (*inside, name), pointer)
        if beside and id(target) not in self._stubs:
            return _merge_siblings(target, beside)
        return target

    def _is_too_deep(self, name: str, inside: tuple[str, ...]) -> bool:
        return len(inside) >= self.depth.references or inside.count(name) >= self.depth.levels

    def _stub(self, name: str) -> JsonObject:
        kinds = _resolve_type(self.definitions[name], self.definitions)
        stub: JsonObject = {"type": kinds} if kinds else {}
        stub["description"] = f"{name} {LEFT_OUT_MARK}"
        self.remaining -= len(name) + 60
        if self.remaining < 0:
            raise _TooLong
        # Held by its identity, which nothing else can have as long as it is held.
        self._stubs[id(stub)] = stub
        return stub

    def _without_stubs(self, kept: JsonObject, inside: tuple[str, ...], pointer: str) -> JsonObject:
        named = kept.get("properties")
        if not self._stubs or not named:
            return kept
        required = set(kept.get("required", ()))
        stubs = [name for name, each in named.items() if id(each) in self._stubs]
        self.left_out += [f"{pointer}/properties/{name}" for name in stubs]
        gone = [name for name in stubs if inside and name not in required]
        if not gone:
            return kept
        kept["properties"] = {name: each for name, each in named.items() if name not in gone}
        kept.pop("additionalProperties", None)
        more = ", ".join([*gone[:_MAX_NAMES], *(["…"] if len(gone) > _MAX_NAMES else [])])
        return add_note(kept, f"{LEFT_OUT_MARK}: {more}")


def _merge_siblings(target: Json, beside: JsonObject) -> JsonObject:
    """A definition's content and what stood beside the reference to it."""
    if not is_object(target):
        return beside if target is True else {**beside, "not": {}}
    if beside.keys() <= ANNOTATION_KEYWORDS:
        return {**target, **beside}
    return {"allOf": [target, beside]}


def _resolve_type(schema: Json, definitions: JsonObject) -> Json:
    seen: set[str] = set()
    while (ref := find_ref(schema)) is not None and ref not in seen:
        seen.add(ref)
        schema = definitions.get(definition_name(ref))
    return schema.get("type") if is_object(schema) else None


def _json_length(value: Json) -> int:
    """About as many characters as a value has in JSON."""
    if isinstance(value, str):
        return len(value) + 2
    if is_array(value):
        return 2 + sum(map(_json_length, value)) + len(value)
    return len(str(value))
