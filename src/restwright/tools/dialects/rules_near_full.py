"""
Rules for readers that take nearly all of JSON Schema: they refuse a few things only, most of them
at the root.

Sources: OpenAI, "Function calling"; Anthropic, "Tool use", section "Defining tools"; Gemini API,
"Function calling" and, for the keywords of JSON Schema, "Structured outputs".
"""

from __future__ import annotations

from collections.abc import Mapping

from restwright.jsontypes import Json, JsonObject
from restwright.tools.dialects import rewriter as say
from restwright.tools.dialects.recursion import without_endless
from restwright.tools.dialects.regex import is_portable
from restwright.tools.dialects.rewriter import ANNOTATIONS, MOVED, Keep, Rewriting, Rules, kinds_of
from restwright.tools.dialects.transforms import (
    any_of_for_one_of,
    enum_for_const,
    ref_alone,
    ref_in_any_of,
    type_for_enum,
    without_all_of,
)

_ROOT_REFUSES = frozenset({"oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"})


def _portable_pattern(_rewriting: Rewriting, value: Json, _node: JsonObject, _at: str) -> Json:
    """Patterns that the provider's own validator can compile."""
    return value if is_portable(value) else MOVED


def _pattern_named(rewriting: Rewriting, value: Json, _node: JsonObject, at: str) -> Json:
    if not all(is_portable(name) for name in value):
        return MOVED
    return {
        name: rewriting.node(each, f"{at}/patternProperties/{name}") for name, each in value.items()
    }


def _open_rest(rewriting: Rewriting, value: Json, node: JsonObject, at: str) -> Json:
    """`additionalProperties`, unless a pattern beside it has gone."""
    by_pattern = node.get("patternProperties", {})
    if not all(is_portable(name) for name in by_pattern):
        return MOVED
    return say.rest(rewriting, value, node, at)


def _exactly(_rewriting: Rewriting, value: Json, _node: JsonObject, _at: str) -> Json:
    """
    A schema that may not be loosened, since what is around it turns or counts its verdict.

    It stays as it is where it needs no rewriting, else it goes.
    """
    plain = isinstance(value, bool) or not _DEEP & value.keys()
    return value if plain else MOVED


_DEEP = frozenset({
    "$ref", "properties", "patternProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf",
    "not", "if", "then", "else", "pattern", "contains", "propertyNames", "dependentSchemas",
    "additionalProperties",
})  # fmt: skip


def _root_merged(rewriting: Rewriting, kept: JsonObject, node: JsonObject, at: str) -> JsonObject:
    """A root that is a plain object; nothing to be done elsewhere."""
    if at:
        return kept
    for keyword in _ROOT_REFUSES & kept.keys():
        rewriting.say(keyword, node.get(keyword, kept[keyword]))
        del kept[keyword]
    if kept.get("type") != "object":
        kept = {**kept, "type": "object"}
    if "properties" not in kept:
        kept["properties"] = {}
    return kept


def _array_items(
    _rewriting: Rewriting, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """An array says what its items are, be they anything."""
    if "array" in kinds_of(kept) and "items" not in kept:
        kept["items"] = {}
    return kept


_LEAVES = (
    "type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
    "minProperties", "maxProperties", "format", "contentEncoding", "contentMediaType",
    "dependentRequired",
)  # fmt: skip

_WIDE: Mapping[str, Keep | None] = {
    **dict.fromkeys(_LEAVES),
    "$ref": say.reference,
    "properties": say.properties,
    "patternProperties": _pattern_named,
    "additionalProperties": _open_rest,
    "items": say.items,
    "prefixItems": say.prefix_items,
    "anyOf": say.any_of,
    "allOf": say.all_of,
    "pattern": _portable_pattern,
    **dict.fromkeys(("not", "propertyNames"), _exactly),
}

OPENAI = Rules(
    keywords=_WIDE,
    first=(("oneOf", any_of_for_one_of),),
    last=(_root_merged, _array_items),
)
"""Beside these, any function's root is a plain object and its arrays have `items`."""

ANTHROPIC = Rules(keywords=_WIDE, first=(("oneOf", any_of_for_one_of),), last=(_root_merged,))


def _texts_or_numbers(_rewriting: Rewriting, value: Json, _node: JsonObject, _at: str) -> Json:
    plain = all(isinstance(each, str | int | float) and each is not True for each in value)
    return value if plain and not any(each is False for each in value) else MOVED


def _null_apart(_rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """Null among other values of an enumeration as an alternative of its own."""
    values = [each for each in node["enum"] if each is not None]
    if len(values) in {0, len(node["enum"])} or "anyOf" in node:
        return node
    texts = {key: value for key, value in node.items() if key in ANNOTATIONS}
    rest = {key: value for key, value in node.items() if key not in ANNOTATIONS}
    kinds = [kind for kind in kinds_of(node) if kind != "null"]
    rest["enum"] = values
    if kinds:
        rest["type"] = kinds[0] if len(kinds) == 1 else kinds
    if len(kinds) == len(kinds_of(node)) and kinds:
        return {**texts, **rest}
    return {**texts, "anyOf": [rest, {"type": "null"}]}


def _after_patterns(rewriting: Rewriting, value: Json, node: JsonObject, at: str) -> Json:
    return MOVED if "patternProperties" in node else say.rest(rewriting, value, node, at)


GEMINI_JSON_SCHEMA = Rules(
    keywords={
        **dict.fromkeys((
            "type", "title", "description", "format", "minimum", "maximum", "minItems",
            "maxItems", "required",
        )),
        "enum": _texts_or_numbers,
        "$ref": say.reference,
        "properties": say.properties,
        "additionalProperties": _after_patterns,
        "items": say.items,
        "prefixItems": say.prefix_items,
        "anyOf": say.any_of,
    },
    first=(
        ("allOf", without_all_of),
        ("oneOf", any_of_for_one_of),
        ("$ref", ref_alone),
        ("const", enum_for_const),
        ("enum", type_for_enum),
        ("enum", _null_apart),
    ),
    last=(ref_in_any_of, _root_merged),
    at_last=without_endless,
)  # fmt: skip
"""The keywords that Gemini reads in JSON Schema; a `$ref` stands alone."""
