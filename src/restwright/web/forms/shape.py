"""Which control a part of a schema needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref, lookup_reference

Kind = Literal[
    "object", "map", "array", "branches", "options", "file", "text", "number", "date", "any", "json"
]
MAX_DEPTH = 6
"""Levels of fields; what lies deeper is written as JSON."""
_NULL = "null"
_TEXT_KINDS: dict[str, Kind] = {"date": "date", "binary": "file", "file": "file", "byte": "file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """
    A part of a schema, and how it is filled in.

    Args:
        schema: With what it refers to, and without what stands for null.
        refs: The references on the way to it; one that comes again ends the form by JSON.
        options: The values of `options`.
        branches: The schemas of `branches`.
    """

    kind: Kind
    schema: JsonObject
    is_nullable: bool = False
    depth: int = 0
    refs: frozenset[str] = field(default_factory=frozenset[str], repr=False)
    options: tuple[Json, ...] = ()
    branches: tuple[Json, ...] = ()

    def find_part(self, part: Json, root: JsonObject) -> Shape:
        """The shape of a schema within this one."""
        return find_shape(part, root, refs=self.refs, depth=self.depth + 1)

    def find_branch(self, index: int, root: JsonObject) -> Shape:
        """The shape of one of `branches`, with what holds for all of them."""
        common = {
            key: value
            for key, value in self.schema.items()
            if key not in {"oneOf", "anyOf", "discriminator", "title", "description"}
        }
        whole = _merge(common, _follow(self.branches[index], root, set(self.refs)) or {})
        return find_shape(whole, root, refs=self.refs, depth=self.depth + 1)

    @property
    def members(self) -> dict[str, Json]:
        """`{name: schema}` of an object."""
        return self.schema.get("properties", {})

    @property
    def required(self) -> frozenset[str]:
        """Names of the members that must be there."""
        return frozenset(self.schema.get("required", ()))


def find_shape(
    schema: Json, root: JsonObject, *, refs: frozenset[str] = frozenset(), depth: int = 0
) -> Shape:
    """
    How a part of a schema is filled in.

    Args:
        root: The whole schema, which has the definitions.
    """
    seen = set(refs)
    found = _follow(schema, root, seen)
    if found is None or depth > MAX_DEPTH:
        return Shape(kind="json", schema=schema if is_object(schema) else {}, depth=depth)
    found, is_nullable = _without_null(_join_all_of(found, root, seen))
    if is_nullable and (only := _only_branch(found)) is not None:
        # `anyOf: [X, null]` is X that may be null.
        merged = _follow(only, root, seen)
        if merged is None:
            return Shape(kind="json", schema=found, is_nullable=True, depth=depth)
        rest = {key: value for key, value in found.items() if key not in {"anyOf", "oneOf"}}
        found = _merge(_join_all_of(merged, root, seen), rest)
    kind = _find_kind(found)
    return Shape(
        kind=kind,
        schema=found,
        is_nullable=is_nullable,
        depth=depth,
        refs=frozenset(seen),
        options=_list_options(found) if kind == "options" else (),
        branches=tuple(found.get("oneOf") or found.get("anyOf") or ())
        if kind == "branches"
        else (),
    )


def _follow(schema: Json, root: JsonObject, seen: set[str]) -> JsonObject | None:
    """A schema with what it refers to; None where that leads back to where it came from."""
    while (ref := find_ref(schema)) is not None:
        if ref in seen:
            return None
        seen.add(ref)
        try:
            target = lookup_reference(root, ref)
        except UnresolvedReference:
            return {}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **beside} if is_object(target) else beside
    return schema if is_object(schema) else {}


def _join_all_of(schema: JsonObject, root: JsonObject, seen: set[str]) -> JsonObject:
    parts = schema.get("allOf")
    if not is_array(parts):
        return schema
    joined = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        followed = _follow(part, root, seen)
        joined = _merge(_join_all_of(followed, root, seen) if followed else {}, joined)
    return joined


def _merge(first: JsonObject, second: JsonObject) -> JsonObject:
    """Two schemas that both hold; where they say the same thing, the second one is believed."""
    merged = {**first, **second}
    if "properties" in first and "properties" in second:
        merged["properties"] = {**first["properties"], **second["properties"]}
    if "required" in first and "required" in second:
        merged["required"] = [*dict.fromkeys([*first["required"], *second["required"]])]
    return merged


def _without_null(schema: JsonObject) -> tuple[JsonObject, bool]:
    found, is_nullable = dict(schema), False
    types = found.get("type")
    if is_array(types) and _NULL in types:
        others = [name for name in types if name != _NULL]
        found["type"], is_nullable = (others[0] if len(others) == 1 else others), True
    if is_array(found.get("enum")) and None in found["enum"]:
        found["enum"] = [value for value in found["enum"] if value is not None]
        is_nullable = True
    for key in ("anyOf", "oneOf"):
        if is_array(found.get(key)):
            others = [part for part in found[key] if not _is_null(part)]
            is_nullable = is_nullable or len(others) < len(found[key])
            found[key] = others
    return found, is_nullable


def _is_null(part: Json) -> bool:
    return is_object(part) and (part.get("type") == _NULL or part.get("enum") == [None])


def _only_branch(schema: JsonObject) -> Json | None:
    parts = schema.get("anyOf") or schema.get("oneOf") or ()
    return parts[0] if len(parts) == 1 else None


def _find_kind(schema: JsonObject) -> Kind:
    if "const" in schema or schema.get("enum"):
        return "options"
    branches = schema.get("oneOf") or schema.get("anyOf") or ()
    if branches and not all(map(_only_requires, branches)):
        return "branches"
    kind = schema.get("type")
    if kind == "object" or (kind is None and "properties" in schema):
        return _find_object_kind(schema)
    if kind == "array":
        return "array" if is_object(schema.get("items")) else "json"
    if kind == "boolean":
        return "options"
    if kind in {"integer", "number"}:
        return "number"
    return _find_text_kind(schema) if kind == "string" else "any"


def _only_requires(branch: Json) -> bool:
    """Whether a branch says only which members must be there, which the check says too."""
    return is_object(branch) and branch.keys() <= {"required", "not", "title", "description"}


def _find_object_kind(schema: JsonObject) -> Kind:
    if schema.get("properties") or schema.get("additionalProperties") is False:
        return "object"
    return "map" if is_object(schema.get("additionalProperties")) else "json"


def _find_text_kind(schema: JsonObject) -> Kind:
    is_file = "contentMediaType" in schema or schema.get("contentEncoding") == "base64"
    return "file" if is_file else _TEXT_KINDS.get(str(schema.get("format", "")), "text")


def _list_options(schema: JsonObject) -> tuple[Json, ...]:
    if "const" in schema:
        return (schema["const"],)
    return tuple(schema.get("enum") or (True, False))
