"""
What the grammars of llama.cpp can express: the rules of the dialect for tools, and `loosen()` for
the schema of one reply.

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
from restwright.tools.dialects.regex import grammar_pattern
from restwright.tools.dialects.rewriter import ANNOTATIONS, MOVED, Rewriting, Rules, kinds_of
from restwright.tools.dialects.transforms import (
    any_of_alone,
    any_of_for_one_of,
    enum_for_const,
    without_all_of,
)

Loosen = Callable[[Json, JsonObject], Json]

LONGEST = 2_000
"""Repetitions above this are left to the check of the reply: each is a state of the grammar."""

_SIMPLE_PATTERN = re.compile(r"\^[A-Za-z0-9 _:/@#%&=,~\[\](){}|.*+?-]*\$")


def loosen(schema: JsonObject) -> JsonObject:
    """
    Drop from `schema` what a grammar cannot express.

    Args:
        schema: JSON Schema 2020-12.

    Returns:
        A new schema that allows at least the same values. `$ref`, `$defs` and the order of
        properties stay; formats, patterns with escapes or without both anchors, and everything
        that is not listed in `KEYWORDS` go.
    """
    return _loosen(schema, schema)


def _loosen(schema: Json, root: JsonObject) -> JsonObject:
    kept: JsonObject = {}
    for keyword, value in _expressible(_object(schema), root).items():
        loosened = KEYWORDS[keyword](value, root) if keyword in KEYWORDS else None
        if loosened is not None:
            kept[keyword] = loosened
    return kept


def _object(schema: Json) -> JsonObject:
    """Return a schema as an object; a boolean one allows anything here."""
    return cast("JsonObject", schema) if isinstance(schema, dict) else {}


def _expressible(schema: JsonObject, root: JsonObject) -> JsonObject:
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
        left_out |= {word for word in ("anyOf", "oneOf") if _only_restricts(schema.get(word))}
    kept = {word: value for word, value in schema.items() if word not in left_out}
    if kept.get("additionalProperties") is False and isinstance(kept.get("required"), list):
        known = kept.get("properties", {})
        kept["required"] = [name for name in kept["required"] if name in known]
    return kept


def _only_restricts(choices: Json) -> bool:
    shaping = {"type", "properties", "items", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"}
    return bool(choices) and not all(shaping & _object(choice).keys() for choice in choices)


def _is_known(ref: Json, root: JsonObject) -> bool:
    if not isinstance(ref, str) or not ref.startswith("#"):
        return False
    node: Json = root
    for token in ref[1:].split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if name not in _object(node):
            return False
        node = node[name]
    return True


def _same(value: Json, _root: JsonObject) -> Json:
    return value


def _count(value: Json, _root: JsonObject) -> Json:
    return value if isinstance(value, int) and value <= LONGEST else None


def _choices(value: Json, _root: JsonObject) -> Json:
    return value or None


def _pattern(value: Json, _root: JsonObject) -> Json:
    simple = isinstance(value, str) and _SIMPLE_PATTERN.fullmatch(value) and "(?" not in value
    return value if simple else None


def _each(value: Json, root: JsonObject) -> Json:
    return [_loosen(schema, root) for schema in value] if value else None


def _named(value: Json, root: JsonObject) -> Json:
    return {name: _loosen(schema, root) for name, schema in value.items()}


def _rest(value: Json, root: JsonObject) -> Json:
    return value if isinstance(value, bool) else _loosen(value, root)


KEYWORDS: Mapping[str, Loosen] = {
    "$ref": _same,
    "$defs": _named,
    "definitions": _named,
    "type": _same,
    "enum": _choices,
    "const": _same,
    "properties": _named,
    "required": _same,
    "additionalProperties": _rest,
    "items": _loosen,
    "prefixItems": _each,
    "minItems": _count,
    "maxItems": _count,
    "anyOf": _each,
    "oneOf": _each,
    "allOf": _each,
    "minLength": _count,
    "maxLength": _count,
    "pattern": _pattern,
    "minimum": _same,
    "maximum": _same,
    "exclusiveMinimum": _same,
    "exclusiveMaximum": _same,
}


_MAX_INTEGER = 2**63 - 1
_ALL_TYPES = ["object", "array", "string", "number", "boolean", "null"]


def _said_pattern(_rewriting: Rewriting, value: Json, node: JsonObject, _at: str) -> Json:
    """A pattern in the grammar's own words; lengths beside it would be ignored."""
    if kinds_of(node) not in (["string"], ["string", "null"], []):
        return MOVED
    return grammar_pattern(value) or MOVED


def _said_length(_rewriting: Rewriting, value: Json, node: JsonObject, _at: str) -> Json:
    # A pattern or a format that is kept decides alone.
    taken = grammar_pattern(node.get("pattern", "")) or node.get("format") in _FORMATS
    return MOVED if taken or value > LONGEST else value


def _said_count(_rewriting: Rewriting, value: Json, _node: JsonObject, _at: str) -> Json:
    return value if value <= LONGEST else MOVED


def _said_bound(_rewriting: Rewriting, value: Json, node: JsonObject, _at: str) -> Json:
    """Bounds of integers; those of other numbers are ignored by a grammar."""
    integers = set(kinds_of(node)) - {"null"} == {"integer"}
    fits = value == int(value) and abs(value) <= _MAX_INTEGER
    return int(value) if integers and fits else MOVED


def _said_format(_rewriting: Rewriting, value: Json, node: JsonObject, _at: str) -> Json:
    return value if value in _FORMATS and "pattern" not in node else MOVED


def _said_rest(rewriting: Rewriting, value: Json, node: JsonObject, at: str) -> Json:
    return MOVED if "patternProperties" in node else say.rest(rewriting, value, node, at)


def _said_items(rewriting: Rewriting, value: Json, node: JsonObject, at: str) -> Json:
    """`items`; beside `prefixItems` a grammar reads them as all there is."""
    return MOVED if "prefixItems" in node else say.items(rewriting, value, node, at)


def _bare_ref(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """A `$ref` is read alone: what constrains further is left to words."""
    beside = [key for key in node if key != "$ref" and key not in ANNOTATIONS]
    for keyword in beside:
        rewriting.say(keyword, node[keyword])
    return {key: value for key, value in node.items() if key not in beside} if beside else node


def _any_type(_rewriting: Rewriting, kept: JsonObject, _node: JsonObject, _at: str) -> JsonObject:
    """A value of any kind names all kinds: an empty schema would be an object."""
    if kept.keys() & _DECIDING:
        return kept
    return {"type": _ALL_TYPES, **kept}


_FORMATS = frozenset({"date", "time", "date-time", "uuid"})
_DECIDING = frozenset(
    {"type", "$ref", "enum", "anyOf", "properties", "additionalProperties", "items", "prefixItems"}
)

LLAMA_GRAMMAR = Rules(
    keywords={
        **dict.fromkeys((*ANNOTATIONS, "type", "enum")),
        "$ref": say.reference,
        "properties": say.properties,
        "required": say.required_of_known,
        "additionalProperties": _said_rest,
        "items": _said_items,
        "prefixItems": say.prefix_items,
        "anyOf": say.any_of,
        "pattern": _said_pattern,
        "format": _said_format,
        **dict.fromkeys(("minLength", "maxLength"), _said_length),
        **dict.fromkeys(("minItems", "maxItems"), _said_count),
        **dict.fromkeys(
            ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _said_bound
        ),
    },
    first=(
        ("$ref", _bare_ref),
        ("allOf", without_all_of),
        ("oneOf", any_of_for_one_of),
        ("anyOf", any_of_alone),
        ("const", enum_for_const),
    ),
    last=(_any_type,),
)
