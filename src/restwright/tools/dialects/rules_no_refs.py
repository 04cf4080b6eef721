"""
Rules for readers without references: OpenAPI 3.0, and the subset of it that Gemini's `parameters`
takes. Their schemas come inlined.

Sources: OAS 3.0.4, "Schema Object"; Gemini API, "FunctionDeclaration" and "Schema"
(https://ai.google.dev/api/caching).
"""

from __future__ import annotations

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.dialects import rewriter as say
from restwright.tools.dialects.nullable import move_null_from_any_of, narrow_to_one_type
from restwright.tools.dialects.rewriter import MOVED, SchemaRewriter, SchemaRules, is_nonempty_array
from restwright.tools.dialects.transforms import (
    any_of_from_one_of,
    enum_from_const,
    isolate_any_of,
    remove_all_of,
    type_from_enum,
)

_TEXTS = ("title", "description")
_RANGES = ("minimum", "maximum")
_PLAIN_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


def _example_for_examples(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """The first of `examples` as `example`; the others are left to `@examples`."""
    examples: list[Json] = node["examples"]
    rest = {key: value for key, value in node.items() if key != "examples"}
    if not is_nonempty_array(examples) or "example" in node:
        return rest
    if len(examples) > 1:
        rewriting.move_to_description("examples", examples[1:])
    return {**rest, "example": examples[0]}


def _byte_for_encoding(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """`contentEncoding: base64` as `format: byte`."""
    if node["contentEncoding"] != "base64" or "format" in node:
        return node
    rest = {key: value for key, value in node.items() if key != "contentEncoding"}
    rewriting.move_to_description("contentEncoding", "base64")
    return {**rest, "format": "byte"}


def _flag_bounds(
    rewriting: SchemaRewriter, kept: JsonObject, node: JsonObject, _at: str
) -> JsonObject:
    """`exclusiveMinimum: 3` as `minimum: 3` with a flag, where it is the tighter bound."""
    for bound, exclusive, sign in (
        ("minimum", "exclusiveMinimum", 1),
        ("maximum", "exclusiveMaximum", -1),
    ):
        limit = node.get(exclusive)
        if limit is None or isinstance(limit, bool):
            continue
        kept.pop(exclusive, None)
        if bound not in node or sign * limit >= sign * node[bound]:
            kept |= {bound: limit, exclusive: True}
        else:
            rewriting.move_to_description(exclusive, limit)
    return kept


def _fill_array_items(
    _rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """An array has `items`, be they of any kind."""
    if kept.get("type") == "array" and "items" not in kept:
        kept["items"] = {}
    return kept


def _rewrite_plain_items(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    """`items`, unless they are those after `prefixItems`."""
    return MOVED if "prefixItems" in node else rewriting.rewrite(value, f"{pointer}/items")


def _rewrite_plain_additional_properties(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    """`additionalProperties`, unless they are those beside `patternProperties`."""
    return (
        MOVED
        if "patternProperties" in node
        else say.rewrite_additional_properties(rewriting, value, node, pointer)
    )


def _keep_plain_not(_rewriting: SchemaRewriter, value: Json, _node: JsonObject, _at: str) -> Json:
    """`not`; inside it, schemas may not be loosened, so that only plain ones stay."""
    if not is_object(value) or not value.keys() <= {"type", "enum"}:
        return MOVED
    return value if value.get("type", "string") in _PLAIN_TYPES else MOVED


OPENAPI_30 = SchemaRules(
    keywords={
        **dict.fromkeys((
            *_TEXTS, *_RANGES, *_COUNTS, "type", "nullable", "enum", "multipleOf", "pattern",
            "uniqueItems", "format", "default", "example", "deprecated", "readOnly", "writeOnly",
            "exclusiveMinimum", "exclusiveMaximum", "required",
        )),
        "properties": say.rewrite_properties,
        "additionalProperties": _rewrite_plain_additional_properties,
        "items": _rewrite_plain_items,
        "anyOf": say.rewrite_any_of,
        "oneOf": say.rewrite_one_of,
        "allOf": say.rewrite_all_of,
        "not": _keep_plain_not,
    },
    rewrite_steps=(
        ("const", enum_from_const),
        ("enum", type_from_enum),
        ("type", narrow_to_one_type),
        ("anyOf", move_null_from_any_of),
        ("examples", _example_for_examples),
        ("contentEncoding", _byte_for_encoding),
    ),
    finish_steps=(_flag_bounds, _fill_array_items),
)  # fmt: skip

_FORMATS = {
    "string": frozenset({"date-time", "enum"}),
    "number": frozenset({"float", "double"}),
    "integer": frozenset({"int32", "int64"}),
}


def _keep_gemini_format(
    _rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str
) -> Json:
    return value if value in _FORMATS.get(str(node.get("type")), ()) else MOVED


def _keep_gemini_enum(_rewriting: SchemaRewriter, value: Json, node: JsonObject, _at: str) -> Json:
    """Texts only, none of them empty; null among them is `nullable`."""
    texts = [item for item in value if item is not None]
    if node.get("type") != "string" or not all(isinstance(text, str) and text for text in texts):
        return MOVED
    return texts or MOVED


def _mark_nullable_enum(
    _rewriting: SchemaRewriter, kept: JsonObject, node: JsonObject, _at: str
) -> JsonObject:
    """A moved or emptied enumeration beside `nullable`."""
    if None in node.get("enum", ()) and "nullable" not in kept and kept.get("type"):
        kept["nullable"] = True
    return kept


def _fill_type(
    _rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """Every schema has a type; a value of any kind is one of all kinds."""
    if "type" in kept or "anyOf" in kept:
        return kept
    if "properties" in kept:
        return {"type": "object", **kept}
    if "items" in kept:
        return {"type": "array", **kept}
    texts = {key: value for key, value in kept.items() if key in {"description", "nullable"}}
    return {**texts, "anyOf": [dict(item) for item in _ANYTHING]}


_SCALARS: tuple[JsonObject, ...] = (
    {"type": "string", "nullable": True},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "object"},
)
_ANYTHING: tuple[JsonObject, ...] = (
    *_SCALARS,
    {"type": "array", "items": {"anyOf": list(_SCALARS)}},
)


def _fill_item_type(
    _rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    if kept.get("type") == "array" and "items" not in kept:
        kept["items"] = {"anyOf": [dict(item) for item in _SCALARS]}
    return kept


def _isolate_any_of(
    rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """`anyOf` is the only field: texts and `nullable` go into its first alternative."""
    if "anyOf" not in kept:
        return kept
    first = kept["anyOf"][0]
    while "anyOf" in first:
        kept = {**kept, "anyOf": [*first["anyOf"], *kept["anyOf"][1:]]}
        first = kept["anyOf"][0]
    texts = [item["description"] for item in (kept, first) if "description" in item]
    description = rewriting.append_description("\n".join(dict.fromkeys(texts)))
    first = {**first, "description": description} if description else first
    if kept.get("nullable"):
        first = {**first, "nullable": True}
    return {"anyOf": [first, *kept["anyOf"][1:]]}


def _rewrite_known_required(
    rewriting: SchemaRewriter, value: Json, node: JsonObject, pointer: str
) -> Json:
    return say.rewrite_required(rewriting, value, node, pointer) or MOVED


GEMINI_PARAMETERS = SchemaRules(
    keywords={
        **dict.fromkeys((*_RANGES, *_COUNTS, "description", "type", "nullable", "pattern")),
        "required": _rewrite_known_required,
        "enum": _keep_gemini_enum,
        "format": _keep_gemini_format,
        "properties": say.rewrite_properties,
        "items": _rewrite_plain_items,
        "anyOf": say.rewrite_any_of,
    },
    rewrite_steps=(
        ("allOf", remove_all_of),
        ("oneOf", any_of_from_one_of),
        ("const", enum_from_const),
        ("enum", type_from_enum),
        ("anyOf", move_null_from_any_of),
        ("anyOf", isolate_any_of),
        ("type", narrow_to_one_type),
    ),
    finish_steps=(_mark_nullable_enum, _fill_type, _fill_item_type, _isolate_any_of),
)
