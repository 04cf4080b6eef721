"""One flat schema for one value: references followed, compositions merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object

MAX_DEPTH = 12
_SCALARS = ("string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Schema:
    """
    The keywords of one value, merged.

    Args:
        node: Without `$ref`, `allOf`, `anyOf` and `oneOf`: of alternatives the first that is not
            null is taken.
        definitions: What references in it point into.
    """

    node: JsonObject
    definitions: Mapping[str, Json] = field(repr=False, compare=False)

    @property
    def type(self) -> str:
        """The first type that is not null; empty where nothing tells."""
        kind = self.node.get("type")
        kinds = [kind] if isinstance(kind, str) else [*kind] if is_array(kind) else []
        named = [each for each in kinds if each != "null"]
        if named:
            return named[0]
        if "properties" in self.node:
            return "object"
        return "array" if "items" in self.node else _type_of_values(self.node)

    @property
    def is_scalar(self) -> bool:
        """Whether it is a text, a number or a truth value."""
        return self.type in _SCALARS

    @property
    def properties(self) -> Mapping[str, Json]:
        """`{name: schema as written}`."""
        found = self.node.get("properties")
        return found if is_object(found) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """Names that an object must have."""
        found = self.node.get("required")
        return tuple(each for each in found if isinstance(each, str)) if is_array(found) else ()

    def member(self, name: str) -> Schema:
        """The schema of one property."""
        return flatten(self.properties.get(name, {}), self.definitions)

    def items(self) -> Schema:
        """The schema of the elements of an array."""
        return flatten(self.node.get("items", {}), self.definitions)

    def enum(self) -> tuple[Json, ...]:
        """The values that are listed, null left out."""
        if "const" in self.node:
            return (self.node["const"],)
        found = self.node.get("enum")
        return tuple(each for each in found if each is not None) if is_array(found) else ()


def schema_of(written: Json) -> Schema:
    """The schema of a value whose definitions stand beside it, as `Tool.output` has them."""
    definitions: JsonObject = written.get("$defs", {}) if is_object(written) else {}
    return flatten(written, definitions)


def flatten(written: Json, definitions: Mapping[str, Json]) -> Schema:
    """Follow references and merge what is composed."""
    merged: JsonObject = {}
    for part in _parts(written, definitions, 0):
        _merge(merged, part)
    return Schema(merged, definitions)


def _parts(written: Json, definitions: Mapping[str, Json], depth: int) -> Iterator[JsonObject]:
    if not is_object(written) or depth > MAX_DEPTH:
        return
    reference = written.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        yield from _parts(definitions.get(name), definitions, depth + 1)
    yield {name: value for name, value in written.items() if name not in _COMPOSED}
    for part in written.get("allOf") or ():
        yield from _parts(part, definitions, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        chosen = _first_alternative(written.get(keyword), definitions, depth)
        yield from _parts(chosen, definitions, depth + 1)


_COMPOSED = frozenset(("$ref", "$defs", "allOf", "anyOf", "oneOf"))


def _first_alternative(several: Json, definitions: Mapping[str, Json], depth: int) -> Json:
    """The first that is not null, one of a scalar before others."""
    options = [each for each in several if is_object(each)] if is_array(several) else []
    flat = [(each, _peek(each, definitions, depth)) for each in options]
    usable = [each for each, kind in flat if kind != "null"]
    return usable[0] if usable else None


def _peek(written: Json, definitions: Mapping[str, Json], depth: int) -> str:
    for part in _parts(written, definitions, depth + 1):
        kind = part.get("type")
        if isinstance(kind, str):
            return kind
        if is_array(kind) and kind:
            return next((each for each in kind if each != "null"), "null")
    return ""


def _merge(merged: JsonObject, part: JsonObject) -> None:
    for name, value in part.items():
        if name == "properties" and is_object(value):
            merged["properties"] = {**merged.get("properties", {}), **value}
        elif name == "required" and is_array(value):
            merged["required"] = [*dict.fromkeys([*merged.get("required", ()), *value])]
        elif name == "enum" and is_array(merged.get("enum")) and is_array(value):
            merged["enum"] = [each for each in merged["enum"] if each in value] or [*value]
        else:
            merged.setdefault(name, value)


def _type_of_values(node: JsonObject) -> str:
    """What an enumeration or an example without a type is of."""
    listed: Sequence[Json] = node.get("enum") or ([node["const"]] if "const" in node else [])
    return _PYTHON_TYPES.get(type(listed[0]).__name__, "") if listed else ""


_PYTHON_TYPES = {"str": "string", "bool": "boolean", "int": "integer", "float": "number"}
