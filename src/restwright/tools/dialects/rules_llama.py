"""
What the grammars of llama.cpp can express: the rules of the dialect for tools, and
`loosen_schema()` for the schema of one reply.

A reply under a loosened schema is checked again under the original one, so that anything may be
dropped, and nothing may be added.

Source: llama.cpp, grammars/README.md, "JSON Schemas -> GBNF".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import cast

from restwright.jsontypes import Json, JsonObject
from restwright.tools.dialects import rewriter as say
from restwright.tools.dialects.regex import to_grammar_pattern
from restwright.tools.dialects.rewriter import (
    ANNOTATION_KEYWORDS,
    MOVED,
    SchemaRewriter,
    SchemaRules,
    schema_types,
)
from restwright.tools.dialects.transforms import (
    any_of_from_one_of,
    enum_from_const,
    isolate_any_of,
    remove_all_of,
)

KeywordLoosener = Callable[[Json, JsonObject], Json]

MAX_REPETITIONS = 2_000
"""Repetitions above this are left to the check of the reply: each is a state of the grammar."""

MAX_INTEGER = 2**63 - 1

_SIMPLE_PATTERN = re.compile(r"\^[A-Za-z0-9 _:/@#%&=,~\[\](){}|.*+?-]*\$")


def loosen_schema(schema: JsonObject) -> JsonObject:
    """
    Drop from `schema` what a grammar cannot express.

    Args:
        schema: JSON Schema 2020-12.

    Returns:
        A new schema that allows at least the same values. `$ref`, `$defs` and the order of
        properties stay; formats, patterns with escapes or without both anchors, and everything
        that is not listed in `LOOSENERS` go.
    """
    return _loosen_node(schema, schema)


def _loosen_node(schema: Json, root: JsonObject) -> JsonObject:
    kept: JsonObject = {}
    for keyword, value in _drop_contradictions(_as_object(schema), root).items():
        loosened = LOOSENERS[keyword](value, root) if keyword in LOOSENERS else None
        if loosened is not None:
            kept[keyword] = loosened
    return kept


def _as_object(schema: Json) -> JsonObject:
    """Return a schema as an object; a boolean one allows anything here."""
    return cast("JsonObject", schema) if isinstance(schema, dict) else {}


def _drop_contradictions(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Leave out the keywords that contradict others once some are dropped."""
    left_out: set[str] = set()
    if "patternProperties" in schema:
        left_out.add("additionalProperties")
    if schema.get("items") is False:
        left_out.add("items")
    if not _is_known(schema.get("$ref", "#"), root):
        left_out.add("$ref")
    # A grammar takes such a choice instead of what stands beside it.
    if "properties" in schema or "type" in schema:
        left_out |= {word for word in ("anyOf", "oneOf") if _is_restriction_only(schema.get(word))}
    kept = {word: value for word, value in schema.items() if word not in left_out}
    if kept.get("additionalProperties") is False and isinstance(kept.get("required"), list):
        known = kept.get("properties", {})
        kept["required"] = [name for name in kept["required"] if name in known]
    return kept


def _is_restriction_only(choices: Json) -> bool:
    shaping = {"type", "properties", "items", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"}
    return bool(choices) and not all(shaping & _as_object(choice).keys() for choice in choices)


def _is_known(ref: Json, root: JsonObject) -> bool:
    if not isinstance(ref, str) or not ref.startswith("#"):
        return False
    node: Json = root
    for token in ref[1:].split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if name not in _as_object(node):
            return False
        node = node[name]
    return True


def _keep_value(value: Json, _root: JsonObject) -> Json:
    return value


def _keep_count(value: Json, _root: JsonObject) -> Json:
    return value if isinstance(value, int) and value <= MAX_REPETITIONS else None


def _keep_choices(value: Json, _root: JsonObject) -> Json:
    return value if value and all(map(_is_readable, value)) else None


def _keep_readable(value: Json, _root: JsonObject) -> Json:
    return value if _is_readable(value) else None


def _is_readable(value: Json) -> bool:
    """Whether the engine reads a value: of integers it reads 64 bits."""
    return not isinstance(value, int) or abs(value) <= MAX_INTEGER


def _keep_pattern(value: Json, _root: JsonObject) -> Json:
    simple = isinstance(value, str) and _SIMPLE_PATTERN.fullmatch(value) and "(?" not in value
    return value if simple else None


def _loosen_list(value: Json, root: JsonObject) -> Json:
    return [_loosen_node(schema, root) for schema in value] if value else None


def _loosen_map(value: Json, root: JsonObject) -> Json:
    return {name: _loosen_node(schema, root) for name, schema in value.items()}


def _loosen_additional_properties(value: Json, root: JsonObject) -> Json:
    return value if isinstance(value, bool) else _loosen_node(value, root)


LOOSENERS: Mapping[str, KeywordLoosener] = {
    "$ref": _keep_value,
    "$defs": _loosen_map,
    "definitions": _loosen_map,
    "type": _keep_value,
    "enum": _keep_choices,
    "const": _keep_readable,
    "properties": _loosen_map,
    "required": _keep_value,
    "additionalProperties": _loosen_additional_properties,
    "items": _loosen_node,
    "prefixItems": _loosen_list,
    "minItems": _keep_count,
    "maxItems": _keep_count,
    "anyOf": _loosen_list,
    "oneOf": _loosen_list,
    "allOf": _loosen_list,
    "minLength": _keep_count,
    "maxLength": _keep_count,
    "pattern": _keep_pattern,
    "minimum": _keep_readable,
    "maximum": _keep_readable,
    "exclusiveMinimum": _keep_readable,
    "exclusiveMaximum": _keep_readable,
}


_ALL_TYPES = ["object", "array", "string", "number", "boolean", "null"]


def _rewrite_pattern(_rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    """A pattern in the grammar's own words; lengths beside it would be ignored."""
    if schema_types(node) not in (["string"], ["string", "null"], []):
        return MOVED
    return to_grammar_pattern(value) or MOVED


def _rewrite_length(_rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    # A pattern or a format that is kept decides alone.
    taken = to_grammar_pattern(node.get("pattern", "")) or node.get("format") in _FORMATS
    return MOVED if taken or value > MAX_REPETITIONS else value


def _rewrite_count(_rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str) -> Json:
    return value if value <= MAX_REPETITIONS else MOVED


def _rewrite_bound(_rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    """Bounds of integers; those of other numbers are ignored by a grammar."""
    integers = set(schema_types(node)) - {"null"} == {"integer"}
    fits = value == int(value) and abs(value) <= MAX_INTEGER
    return int(value) if integers and fits else MOVED


def _rewrite_format(_rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    return value if value in _FORMATS and "pattern" not in node else MOVED


def _rewrite_additional_properties(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    return (
        MOVED
        if "patternProperties" in node
        else say.rewrite_additional_properties(rewriting, value, node, pointer)
    )


def _rewrite_items(rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str) -> Json:
    """`items`; beside `prefixItems` a grammar reads them as all there is."""
    return MOVED if "prefixItems" in node else say.rewrite_items(rewriting, value, node, pointer)


def _isolate_ref(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """A `$ref` is read alone: what constrains further is left to words."""
    beside = [key for key in node if key != "$ref" and key not in ANNOTATION_KEYWORDS]
    for keyword in beside:
        rewriting.move_to_description(keyword, node[keyword])
    return {key: value for key, value in node.items() if key not in beside} if beside else node


def _fill_any_type(
    _rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """A value of any kind names all kinds: an empty schema would be an object."""
    if kept.keys() & _TYPE_DECIDING:
        return kept
    return {"type": _ALL_TYPES, **kept}


_FORMATS = frozenset({"date", "time", "date-time", "uuid"})
_TYPE_DECIDING = frozenset(
    {"type", "$ref", "enum", "anyOf", "properties", "additionalProperties", "items", "prefixItems"}
)

LLAMA_GRAMMAR = SchemaRules(
    keywords={
        **dict.fromkeys((*ANNOTATION_KEYWORDS, "type", "enum")),
        "$ref": say.rewrite_reference,
        "properties": say.rewrite_properties,
        "required": say.rewrite_required,
        "additionalProperties": _rewrite_additional_properties,
        "items": _rewrite_items,
        "prefixItems": say.rewrite_prefix_items,
        "anyOf": say.rewrite_any_of,
        "pattern": _rewrite_pattern,
        "format": _rewrite_format,
        **dict.fromkeys(("minLength", "maxLength"), _rewrite_length),
        **dict.fromkeys(("minItems", "maxItems"), _rewrite_count),
        **dict.fromkeys(
            ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _rewrite_bound
        ),
    },
    rewrite_steps=(
        ("$ref", _isolate_ref),
        ("allOf", remove_all_of),
        ("oneOf", any_of_from_one_of),
        ("anyOf", isolate_any_of),
        ("const", enum_from_const),
    ),
    finish_steps=(_fill_any_type,),
)
