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
from restwright.tools.dialects.recursion import break_required_cycles
from restwright.tools.dialects.regex import is_portable
from restwright.tools.dialects.rewriter import (
    ANNOTATION_KEYWORDS,
    MOVED,
    KeywordRewriter,
    SchemaRewriter,
    SchemaRules,
    schema_types,
)
from restwright.tools.dialects.transforms import (
    any_of_from_one_of,
    enum_from_const,
    isolate_ref,
    remove_all_of,
    type_from_enum,
    wrap_ref_in_any_of,
)

_ROOT_REFUSES = frozenset({"oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"})


def _keep_portable_pattern(
    _rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str
) -> Json:
    """Patterns that the provider's own validator can compile."""
    return value if is_portable(value) else MOVED


def _rewrite_pattern_properties(
    rewriting: SchemaRewriter, value: Json, _node: JsonObject, pointer: str
) -> Json:
    if not all(is_portable(name) for name in value):
        return MOVED
    return {
        name: rewriting.rewrite(each, f"{pointer}/patternProperties/{name}")
        for name, each in value.items()
    }


def _rewrite_open_additional_properties(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    """`additionalProperties`, unless a pattern beside it has gone."""
    by_pattern = node.get("patternProperties", {})
    if not all(is_portable(name) for name in by_pattern):
        return MOVED
    return say.rewrite_additional_properties(rewriting, value, node, pointer)


def _keep_plain_schema(
    _rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str
) -> Json:
    """
    A schema that may not be loosened, since what is around it turns or counts its verdict.

    It stays as it is where it needs no rewriting, else it goes.
    """
    plain = isinstance(value, bool) or not _DEEP_KEYWORDS & value.keys()
    return value if plain else MOVED


_DEEP_KEYWORDS = frozenset({
    "$ref", "properties", "patternProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf",
    "not", "if", "then", "else", "pattern", "contains", "propertyNames", "dependentSchemas",
    "additionalProperties",
})  # fmt: skip


def _plain_object_root(
    rewriting: SchemaRewriter, kept: JsonObject, node: JsonObject, pointer: str
) -> JsonObject:
    """A root that is a plain object; nothing to be done elsewhere."""
    if pointer:
        return kept
    for keyword in _ROOT_REFUSES & kept.keys():
        rewriting.move_to_description(keyword, node.get(keyword, kept[keyword]))
        del kept[keyword]
    if kept.get("type") != "object":
        kept = {**kept, "type": "object"}
    if "properties" not in kept:
        kept["properties"] = {}
    return kept


def _fill_array_items(
    _rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """An array says what its items are, be they anything."""
    if "array" in schema_types(kept) and "items" not in kept:
        kept["items"] = {}
    return kept


_LEAF_KEYWORDS = (
    "type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
    "minProperties", "maxProperties", "format", "contentEncoding", "contentMediaType",
    "dependentRequired",
)  # fmt: skip

_NEAR_FULL_KEYWORDS: Mapping[str, KeywordRewriter | None] = {
    **dict.fromkeys(_LEAF_KEYWORDS),
    "$ref": say.rewrite_reference,
    "properties": say.rewrite_properties,
    "patternProperties": _rewrite_pattern_properties,
    "additionalProperties": _rewrite_open_additional_properties,
    "items": say.rewrite_items,
    "prefixItems": say.rewrite_prefix_items,
    "anyOf": say.rewrite_any_of,
    "allOf": say.rewrite_all_of,
    "pattern": _keep_portable_pattern,
    **dict.fromkeys(("not", "propertyNames"), _keep_plain_schema),
}

OPENAI = SchemaRules(
    keywords=_NEAR_FULL_KEYWORDS,
    rewrite_steps=(("oneOf", any_of_from_one_of),),
    finish_steps=(_plain_object_root, _fill_array_items),
)
"""Beside these, any function's root is a plain object and its arrays have `items`."""

ANTHROPIC = SchemaRules(
    keywords=_NEAR_FULL_KEYWORDS,
    rewrite_steps=(("oneOf", any_of_from_one_of),),
    finish_steps=(_plain_object_root,),
)


def _keep_texts_or_numbers(
    _rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str
) -> Json:
    plain = all(isinstance(item, str | int | float) and item is not True for item in value)
    return value if plain and not any(item is False for item in value) else MOVED


def _separate_null(_rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """Null among other values of an enumeration as an alternative of its own."""
    values = [item for item in node["enum"] if item is not None]
    if len(values) in {0, len(node["enum"])} or "anyOf" in node:
        return node
    texts = {key: value for key, value in node.items() if key in ANNOTATION_KEYWORDS}
    rest = {key: value for key, value in node.items() if key not in ANNOTATION_KEYWORDS}
    kinds = [kind for kind in schema_types(node) if kind != "null"]
    rest["enum"] = values
    if kinds:
        rest["type"] = kinds[0] if len(kinds) == 1 else kinds
    if len(kinds) == len(schema_types(node)) and kinds:
        return {**texts, **rest}
    return {**texts, "anyOf": [rest, {"type": "null"}]}


def _rewrite_additional_properties(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    return (
        MOVED
        if "patternProperties" in node
        else say.rewrite_additional_properties(rewriting, value, node, pointer)
    )


GEMINI_JSON_SCHEMA = SchemaRules(
    keywords={
        **dict.fromkeys((
            "type", "title", "description", "format", "minimum", "maximum", "minItems",
            "maxItems", "required",
        )),
        "enum": _keep_texts_or_numbers,
        "$ref": say.rewrite_reference,
        "properties": say.rewrite_properties,
        "additionalProperties": _rewrite_additional_properties,
        "items": say.rewrite_items,
        "prefixItems": say.rewrite_prefix_items,
        "anyOf": say.rewrite_any_of,
    },
    rewrite_steps=(
        ("allOf", remove_all_of),
        ("oneOf", any_of_from_one_of),
        ("$ref", isolate_ref),
        ("const", enum_from_const),
        ("enum", type_from_enum),
        ("enum", _separate_null),
    ),
    finish_steps=(wrap_ref_in_any_of, _plain_object_root),
    finish_root=break_required_cycles,
)  # fmt: skip
"""The keywords that Gemini reads in JSON Schema; a `$ref` stands alone."""
