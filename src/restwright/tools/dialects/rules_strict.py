"""
Schemas that a provider can enforce while the model writes: closed objects, every property required,
optional ones nullable.

Source: OpenAI, "Structured model outputs", section "Supported schemas".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.references import ref_of
from restwright.tools.dialects import rewriter as say
from restwright.tools.dialects.regex import has_lookaround, is_portable
from restwright.tools.dialects.rewriter import MOVED, Rewriting, Rules, kinds_of, name_of
from restwright.tools.dialects.transforms import (
    any_of_alone,
    any_of_for_one_of,
    enum_for_const,
    ref_alone,
    ref_in_any_of,
    type_for_enum,
    without_all_of,
)

MAX_PROPERTIES = 5_000
MAX_LEVELS = 10
MAX_ENUM_VALUES = 1_000
MAX_TEXT = 120_000
MAX_DEPTH = 100
"""Of schemas inside each other, references followed; our own limit, far above any in use."""
LARGE_ENUM = 250
MAX_LARGE_ENUM_TEXT = 15_000

_NULL: JsonObject = {"type": "null"}


def strict_pattern(_rewriting: Rewriting, value: Json, _node: JsonObject, _at: str) -> Json:
    """Patterns without look-around."""
    return value if is_portable(value) and not has_lookaround(value) else MOVED


def _enum(rewriting: Rewriting, value: Json, _node: JsonObject, at: str) -> Json:
    if any(isinstance(each, dict | list) for each in value):
        rewriting.impossible(at, "an enumeration of objects or arrays")
    return value


def _closed(rewriting: Rewriting, kept: JsonObject, node: JsonObject, at: str) -> JsonObject:
    """An object that has all its properties and no others."""
    if "properties" not in kept and "object" not in kinds_of(kept):
        return kept
    named = kept.get("properties", {})
    if why := _openness(node, named):
        rewriting.impossible(at, why)
    required = set(node.get("required", ()))
    kept["properties"] = {
        name: each if name in required else nullable(each) for name, each in named.items()
    }
    kept["required"] = list(named)
    kept["additionalProperties"] = False
    return kept


def _openness(node: JsonObject, named: JsonObject) -> str:
    """Why an object cannot be closed; empty where it can."""
    unlisted = [name for name in node.get("required", ()) if name not in named]
    if unlisted:
        return f"a required property without a schema ({unlisted[0]})"
    if "patternProperties" in node:
        return "properties by pattern"
    unevaluated = node.get("unevaluatedProperties", bool(named) is False)
    others = node.get("additionalProperties", unevaluated)
    return "" if others is False else "an object with properties of any name"


def _typed(rewriting: Rewriting, kept: JsonObject, _node: JsonObject, at: str) -> JsonObject:
    """A schema that says what kind of value it is."""
    if "type" not in kept and not {"anyOf", "$ref"} & kept.keys():
        kind = next((kind for key, kind in _IMPLIED.items() if key in kept), "")
        if not kind:
            rewriting.impossible(at, "a value of any type")
        kept = {"type": kind or "string", **kept}
    if "array" in kinds_of(kept) and "items" not in kept:
        rewriting.impossible(at, "an array without a type for its items")
    return kept


_IMPLIED = {"properties": "object", "items": "array"}


def nullable(schema: JsonObject) -> JsonObject:
    """`schema`, or null."""
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema:
        kinds = kinds_of(schema)
        return schema if "null" in kinds else {**schema, "type": [*kinds, "null"]}
    if "anyOf" in schema:
        if any("null" in kinds_of(each) for each in schema["anyOf"]):
            return schema
        return {**schema, "anyOf": [*schema["anyOf"], _NULL]}
    return {"anyOf": [schema, _NULL]}


STRICT = Rules(
    keywords={
        **dict.fromkeys((
            "type", "title", "description", "minimum", "maximum", "exclusiveMinimum",
            "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
        )),
        "required": say.required_of_known,
        "enum": _enum,
        "$ref": say.reference,
        "properties": say.properties,
        "additionalProperties": say.rest,
        "items": say.items,
        "anyOf": say.any_of,
        "pattern": strict_pattern,
        "format": say.one_of_these(
            "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"
        ),
    },
    first=(
        ("allOf", without_all_of),
        ("oneOf", any_of_for_one_of),
        ("$ref", ref_alone),
        ("anyOf", any_of_alone),
        ("const", enum_for_const),
        ("enum", type_for_enum),
    ),
    last=(ref_in_any_of, _closed, _typed),
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class _Measure:
    """What the limits count. Each definition counts once."""

    definitions: JsonObject = field(repr=False)
    properties: int = 0
    values: int = 0
    text: int = 0
    large: int = 0
    depth: int = 0
    deepest: int = 0
    _levels: dict[str, int] = field(default_factory=dict[str, int])

    def levels(self, schema: JsonObject) -> int:
        """How many objects stand inside each other; a definition inside itself counts once."""
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        found = self._levels_of(schema) if self.depth <= MAX_DEPTH else 0
        self.depth -= 1
        return found

    def _levels_of(self, schema: JsonObject) -> int:
        if (ref := ref_of(schema)) is not None:
            return self._of_definition(name_of(ref))
        self._count_values(schema)
        named: JsonObject = schema.get("properties", {})
        self.properties += len(named)
        self.text += sum(map(len, named))
        below = max((self.levels(each) for each in _below(schema)), default=0)
        return below + 1 if "properties" in schema else below

    def _of_definition(self, name: str) -> int:
        if name not in self._levels:
            self.text += len(name)
            self._levels[name] = 0
            self._levels[name] = self.levels(self.definitions[name])
        return self._levels[name]

    def _count_values(self, schema: JsonObject) -> None:
        values: list[Json] = schema.get("enum", [])
        length = sum(len(each) for each in values if isinstance(each, str))
        self.values += len(values)
        self.text += length
        if len(values) > LARGE_ENUM:
            self.large = max(self.large, length)


def _below(schema: JsonObject) -> Iterator[JsonObject]:
    yield from schema.get("properties", {}).values()
    yield from schema.get("anyOf", ())
    if "items" in schema:
        yield schema["items"]


_LIMITS: tuple[tuple[str, Callable[[_Measure], int], int], ...] = (
    ("properties", lambda measure: measure.properties, MAX_PROPERTIES),
    ("values in enumerations", lambda measure: measure.values, MAX_ENUM_VALUES),
    ("characters of names and values", lambda measure: measure.text, MAX_TEXT),
    ("schemas inside each other", lambda measure: measure.deepest, MAX_DEPTH),
    ("characters in one large enumeration", lambda measure: measure.large, MAX_LARGE_ENUM_TEXT),
)


def exceeded(schema: JsonObject) -> list[str]:
    """The limits that a strict schema is over, in words; empty for none."""
    measure = _Measure(definitions=schema.get("$defs", {}))
    levels = measure.levels(schema)
    over = [f"/: {levels} levels of objects, {MAX_LEVELS} at most"] if levels > MAX_LEVELS else []
    for what, of, limit in _LIMITS:
        if (count := of(measure)) > limit:
            over.append(f"/: {count:,} {what}, {limit:,} at most")
    return over
