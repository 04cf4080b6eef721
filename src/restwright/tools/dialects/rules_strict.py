"""
Schemas that a provider can enforce while the model writes: closed objects, every property required,
optional ones nullable.

Source: OpenAI, "Structured model outputs", section "Supported schemas".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.references import find_ref
from restwright.tools.dialects import rewriter as say
from restwright.tools.dialects.regex import has_lookaround, is_portable
from restwright.tools.dialects.rewriter import (
    MOVED,
    SchemaRewriter,
    SchemaRules,
    definition_name,
    schema_types,
)
from restwright.tools.dialects.transforms import (
    any_of_from_one_of,
    enum_from_const,
    isolate_any_of,
    isolate_ref,
    remove_all_of,
    type_from_enum,
    wrap_ref_in_any_of,
)

MAX_PROPERTIES = 5_000
MAX_LEVELS = 10
MAX_ENUM_VALUES = 1_000
MAX_SCHEMA_TEXT = 120_000
MAX_SCHEMA_DEPTH = 100
"""Of schemas inside each other, references followed; our own limit, far above any in use."""
LARGE_ENUM = 250
MAX_LARGE_ENUM_TEXT = 15_000

_NULL: JsonObject = {"type": "null"}


def keep_strict_pattern(
    _rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str
) -> Json:
    """Patterns without look-around."""
    return value if is_portable(value) and not has_lookaround(value) else MOVED


def _check_enum(rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str) -> Json:
    if any(isinstance(item, dict | list) for item in value):
        rewriting.add_reason(pointer, "an enumeration of objects or arrays")
    return value


def _close_object(
    rewriting: SchemaRewriter, kept: JsonObject, node: JsonObject, pointer: str
) -> JsonObject:
    """An object that has all its properties and no others."""
    if "properties" not in kept and "object" not in schema_types(kept):
        return kept
    named = kept.get("properties", {})
    if why := _explain_openness(node, named):
        rewriting.add_reason(pointer, why)
    required = set(node.get("required", ()))
    kept["properties"] = {
        name: each if name in required else allow_null(each) for name, each in named.items()
    }
    kept["required"] = list(named)
    kept["additionalProperties"] = False
    return kept


def _explain_openness(node: JsonObject, named: JsonObject) -> str:
    """Why an object cannot be closed; empty where it can."""
    unlisted = [name for name in node.get("required", ()) if name not in named]
    if unlisted:
        return f"a required property without a schema ({unlisted[0]})"
    if "patternProperties" in node:
        return "properties by pattern"
    unevaluated = node.get("unevaluatedProperties", bool(named) is False)
    others = node.get("additionalProperties", unevaluated)
    return "" if others is False else "an object with properties of any name"


def _require_type(
    rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, pointer: str
) -> JsonObject:
    """A schema that says what kind of value it is."""
    if "type" not in kept and not {"anyOf", "$ref"} & kept.keys():
        kind = next((kind for key, kind in _IMPLIED.items() if key in kept), "")
        if not kind:
            rewriting.add_reason(pointer, "a value of any type")
        kept = {"type": kind or "string", **kept}
    if "array" in schema_types(kept) and "items" not in kept:
        rewriting.add_reason(pointer, "an array without a type for its items")
    return kept


_IMPLIED = {"properties": "object", "items": "array"}


def allow_null(schema: JsonObject) -> JsonObject:
    """`schema`, or null."""
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema:
        kinds = schema_types(schema)
        return schema if "null" in kinds else {**schema, "type": [*kinds, "null"]}
    if "anyOf" in schema:
        if any("null" in schema_types(branch) for branch in schema["anyOf"]):
            return schema
        return {**schema, "anyOf": [*schema["anyOf"], _NULL]}
    return {"anyOf": [schema, _NULL]}


STRICT = SchemaRules(
    keywords={
        **dict.fromkeys((
            "type", "title", "description", "minimum", "maximum", "exclusiveMinimum",
            "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
        )),
        "required": say.rewrite_required,
        "enum": _check_enum,
        "$ref": say.rewrite_reference,
        "properties": say.rewrite_properties,
        "additionalProperties": say.rewrite_additional_properties,
        "items": say.rewrite_items,
        "anyOf": say.rewrite_any_of,
        "pattern": keep_strict_pattern,
        "format": say.allow_values(
            "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"
        ),
    },
    rewrite_steps=(
        ("allOf", remove_all_of),
        ("oneOf", any_of_from_one_of),
        ("$ref", isolate_ref),
        ("anyOf", isolate_any_of),
        ("const", enum_from_const),
        ("enum", type_from_enum),
    ),
    finish_steps=(wrap_ref_in_any_of, _close_object, _require_type),
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class _LimitCounter:
    """What the limits count. Each definition counts once."""

    definitions: JsonObject = field(repr=False)
    properties: int = 0
    values: int = 0
    text: int = 0
    large: int = 0
    depth: int = 0
    deepest: int = 0
    _levels: dict[str, int] = field(default_factory=dict[str, int])

    def count_levels(self, schema: JsonObject) -> int:
        """How many objects stand inside each other; a definition inside itself counts once."""
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        found = self._schema_levels(schema) if self.depth <= MAX_SCHEMA_DEPTH else 0
        self.depth -= 1
        return found

    def _schema_levels(self, schema: JsonObject) -> int:
        if (ref := find_ref(schema)) is not None:
            return self._definition_levels(definition_name(ref))
        self._count_values(schema)
        named: JsonObject = schema.get("properties", {})
        self.properties += len(named)
        self.text += sum(map(len, named))
        below = max(
            (self.count_levels(child_schema) for child_schema in _child_schemas(schema)), default=0
        )
        return below + 1 if "properties" in schema else below

    def _definition_levels(self, name: str) -> int:
        if name not in self._levels:
            self.text += len(name)
            self._levels[name] = 0
            self._levels[name] = self.count_levels(self.definitions[name])
        return self._levels[name]

    def _count_values(self, schema: JsonObject) -> None:
        values: list[Json] = schema.get("enum", [])
        length = sum(len(value) for value in values if isinstance(value, str))
        self.values += len(values)
        self.text += length
        if len(values) > LARGE_ENUM:
            self.large = max(self.large, length)


def _child_schemas(schema: JsonObject) -> Iterator[JsonObject]:
    yield from schema.get("properties", {}).values()
    yield from schema.get("anyOf", ())
    if "items" in schema:
        yield schema["items"]


_LIMITS: tuple[tuple[str, Callable[[_LimitCounter], int], int], ...] = (
    ("properties", lambda measure: measure.properties, MAX_PROPERTIES),
    ("values in enumerations", lambda measure: measure.values, MAX_ENUM_VALUES),
    ("characters of names and values", lambda measure: measure.text, MAX_SCHEMA_TEXT),
    ("schemas inside each other", lambda measure: measure.deepest, MAX_SCHEMA_DEPTH),
    ("characters in one large enumeration", lambda measure: measure.large, MAX_LARGE_ENUM_TEXT),
)


def list_exceeded_limits(schema: JsonObject) -> list[str]:
    """The limits that a strict schema is over, in words; empty for none."""
    measure = _LimitCounter(definitions=schema.get("$defs", {}))
    levels = measure.count_levels(schema)
    over = [f"/: {levels} levels of objects, {MAX_LEVELS} at most"] if levels > MAX_LEVELS else []
    for what, of, limit in _LIMITS:
        if (count := of(measure)) > limit:
            over.append(f"/: {count:,} {what}, {limit:,} at most")
    return over
