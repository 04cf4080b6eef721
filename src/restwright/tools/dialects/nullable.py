"""`null` and several types in the words of OpenAPI 3.0: `nullable` beside one `type`."""

from __future__ import annotations

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.dialects.rewriter import ANNOTATION_KEYWORDS, SchemaRewriter, schema_types
from restwright.tools.dialects.transforms import enum_from_const, json_type, type_from_enum

NULL_SCHEMA: JsonObject = {"type": "string", "nullable": True, "enum": [None]}
"""Null alone: some type has to stand beside `nullable`."""

# Keywords that look at values of one type only.
_KEYWORDS_BY_TYPE = {
    "string": frozenset({
        "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
    }),
    "number": frozenset({
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format",
    }),
    "array": frozenset({
        "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
        "maxContains", "unevaluatedItems",
    }),
    "object": frozenset({
        "properties", "required", "additionalProperties", "patternProperties", "minProperties",
        "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas",
        "unevaluatedProperties",
    }),
    "boolean": frozenset[str](),
}  # fmt: skip
_KEYWORDS_BY_TYPE["integer"] = _KEYWORDS_BY_TYPE["number"]
_TYPED_KEYWORDS = frozenset[str]().union(*_KEYWORDS_BY_TYPE.values())


def narrow_to_one_type(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """`type` as one name; null as `nullable`, several as alternatives."""
    kinds = schema_types(node)
    if kinds == ["null"]:
        texts = {key: value for key, value in node.items() if key in ANNOTATION_KEYWORDS}
        return {**texts, **NULL_SCHEMA}
    left = [kind for kind in kinds if kind != "null"]
    if "number" in left and "integer" in left:
        left.remove("integer")
    if len(left) == len(kinds) == 1:
        return node if isinstance(node["type"], str) else {**node, "type": left[0]}
    if len(left) == 1:
        return {**node, "type": left[0], "nullable": True}
    return _split_by_type(rewriting, node, left, is_nullable=len(left) < len(kinds))


def _split_by_type(
    rewriting: SchemaRewriter, node: JsonObject, kinds: list[str], *, is_nullable: bool
) -> JsonObject:
    rest = {key: value for key, value in node.items() if key != "type"}
    if "anyOf" in node or "oneOf" in node:
        rewriting.move_to_description("type", node["type"])
        return rest
    branches = [_branch_of_type(rest, kind) for kind in kinds]
    branches = [branch for branch in branches if branch.get("enum") != []] or branches
    if is_nullable or None in rest.get("enum", ()):
        branches[0] = {**branches[0], "nullable": True}
    around = {
        key: value for key, value in rest.items() if key not in _TYPED_KEYWORDS and key != "enum"
    }
    return {**around, "anyOf": branches}


def _branch_of_type(rest: JsonObject, kind: str) -> JsonObject:
    wanted = _KEYWORDS_BY_TYPE[kind]
    branch: JsonObject = {"type": kind} | {
        key: value for key, value in rest.items() if key in wanted
    }
    if "enum" in rest:
        branch["enum"] = [item for item in rest["enum"] if _is_of_type(item, kind)]
    return branch


def _is_of_type(value: Json, kind: str) -> bool:
    own = json_type(value)
    return own == kind or (kind == "number" and own == "integer")


def move_null_from_any_of(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """An alternative that is null alone becomes `nullable` on another one."""
    branches: list[Json] = node["anyOf"]
    left = [branch for branch in branches if not is_null_schema(branch)]
    if len(left) == len(branches):
        return _unwrap_any_of(node)
    left = [_add_type(rewriting, item) for item in left]
    at = next((index for index, each in enumerate(left) if _has_type(each)), None)
    if at is None:
        return _unwrap_any_of({**node, "anyOf": [*left, NULL_SCHEMA]})
    left[at] = _make_nullable(left[at])
    return _unwrap_any_of({**node, "anyOf": left})


def _add_type(rewriting: SchemaRewriter, schema: Json) -> Json:
    """A constant or an enumeration with its type."""
    if is_object(schema) and "const" in schema:
        schema = enum_from_const(rewriting, schema)
    return type_from_enum(rewriting, schema) if is_object(schema) and "enum" in schema else schema


def _unwrap_any_of(node: JsonObject) -> JsonObject:
    """A single alternative beside nothing but texts, without the `anyOf`."""
    branches: list[Json] = node["anyOf"]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    if len(branches) > 1 or not rest.keys() <= ANNOTATION_KEYWORDS or branches[0] is False:
        return node
    return {**branches[0], **rest} if is_object(branches[0]) else rest


def _make_nullable(schema: JsonObject) -> JsonObject:
    kinds = schema_types(schema)
    is_one = isinstance(schema["type"], str)
    more: JsonObject = (
        {"nullable": True}
        if is_one
        else {"type": [*(kind for kind in kinds if kind != "null"), "null"]}
    )
    if "enum" in schema and None not in schema["enum"]:
        more["enum"] = [*schema["enum"], None]
    return {**schema, **more}


def is_null_schema(schema: Json) -> bool:
    """Whether null is the only value that a schema accepts."""
    if not is_object(schema):
        return False
    if schema.get("type") in ("null", ["null"]) or schema.get("enum") == [None]:
        return True
    return "const" in schema and schema["const"] is None


def _has_type(schema: Json) -> bool:
    return is_object(schema) and "type" in schema
