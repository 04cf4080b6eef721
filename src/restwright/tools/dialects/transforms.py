"""
Steps that put a schema into another form with the same meaning, or at least one that accepts as
much: one `anyOf` instead of `oneOf`, `allOf` and siblings; `enum` instead of `const`.
"""

from __future__ import annotations

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.dialects.rewriter import (
    ANNOTATION_KEYWORDS,
    MAX_REWRITTEN_NODES,
    SchemaRewriter,
    schema_types,
)
from restwright.tools.schemas.merge import merge_all_of

_SHAPING_KEYWORDS = frozenset({
    "type", "properties", "items", "prefixItems", "$ref", "enum", "const", "anyOf", "oneOf",
    "allOf", "additionalProperties",
})  # fmt: skip
_MAX_COPIES = 400
_KINDS = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (type(None), "null"),
    (dict, "object"),
    (list, "array"),
)


def remove_all_of(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """`allOf` merged into what stands beside it, those of its parts first."""

    def definition(ref: str) -> Json:
        return rewriting.rewrite_definition(ref, _merge_if_needed)

    parts = [
        _merge_if_needed(rewriting, part) if is_object(part) else part for part in node["allOf"]
    ]
    whole = merge_all_of({**node, "allOf": parts}, definition)
    if "allOf" in whole:
        rewriting.move_to_description("allOf", whole["allOf"])
        whole = {key: value for key, value in whole.items() if key != "allOf"}
    return whole


def _merge_if_needed(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    return remove_all_of(rewriting, node) if "allOf" in node else node


def any_of_from_one_of(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """
    `oneOf` as `anyOf`, which accepts a little more.

    Where both stand side by side, one moves into the description.
    """
    if "anyOf" in node:
        rewriting.move_to_description("oneOf", node["oneOf"])
        return {key: value for key, value in node.items() if key != "oneOf"}
    return {("anyOf" if key == "oneOf" else key): value for key, value in node.items()}


def enum_from_const(_rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """`const` as an `enum` of one value."""
    rest = {key: value for key, value in node.items() if key not in {"const", "enum"}}
    return {**rest, "enum": [node["const"]]}


def type_from_enum(_rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """The types of an enumeration's values, where nothing else names them."""
    if "type" in node or "$ref" in node:
        return node
    kinds = list(dict.fromkeys(json_type(item) for item in node["enum"]))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **node} if kinds else node


def isolate_ref(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """A `$ref` without siblings: what stands beside it is merged in, or goes around it."""
    beside = {key: value for key, value in node.items() if key != "$ref"}
    if not beside:
        return node
    if rewriting.definition(node["$ref"]) is None:
        rewriting.move_to_description("$ref", node["$ref"])
        return beside
    target: JsonObject = {"$ref": node["$ref"]}
    if not beside.keys() <= ANNOTATION_KEYWORDS and "anyOf" in beside:
        rewriting.move_to_description("anyOf", beside.pop("anyOf"))
    if beside.keys() <= ANNOTATION_KEYWORDS:
        return {**beside, "anyOf": [target]}
    both = merge_all_of({**beside, "allOf": [target]}, rewriting.definition)
    return both if "allOf" not in both else {**beside, "anyOf": [target]}


def wrap_ref_in_any_of(
    rewriting: SchemaRewriter, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """A `$ref` beside texts as the only alternative, so that it has no siblings."""
    if "$ref" not in kept or (len(kept) == 1 and not rewriting.has_description_lines):
        return kept
    rest = {key: value for key, value in kept.items() if key != "$ref"}
    return {**rest, "anyOf": [{"$ref": kept["$ref"]}]}


def isolate_any_of(rewriting: SchemaRewriter, node: JsonObject) -> JsonObject:
    """
    `anyOf` beside nothing but texts: what stands beside it goes into each alternative.

    Alternatives that only restrict (`{"required": ["a"]}`), and those that cannot be put together
    with the rest, move into the description.
    """
    beside = {key: value for key, value in node.items() if key != "anyOf"}
    asserting = beside.keys() - ANNOTATION_KEYWORDS
    if not asserting:
        return node
    if asserting == {"type"} and _all_of_type(rewriting, node):
        return {key: value for key, value in node.items() if key != "type"}
    combined = _combine_alternatives(rewriting, node, asserting)
    if combined is None:
        rewriting.move_to_description("anyOf", node["anyOf"])
        return beside
    texts = {key: value for key, value in beside.items() if key in ANNOTATION_KEYWORDS}
    return {**texts, "anyOf": combined}


def _all_of_type(rewriting: SchemaRewriter, node: JsonObject) -> bool:
    wanted = set(schema_types(node))
    return all(_kinds_within(rewriting, branch, wanted) for branch in node["anyOf"])


def _kinds_within(rewriting: SchemaRewriter, schema: Json, wanted: set[str]) -> bool:
    seen: set[str] = set()
    while (ref := find_ref(schema)) is not None and ref not in seen:
        seen.add(ref)
        schema = rewriting.definition(ref)
    kinds = schema_types(schema) if is_object(schema) else []
    return bool(kinds) and wanted.issuperset(kinds)


def _combine_alternatives(
    rewriting: SchemaRewriter, node: JsonObject, asserting: set[str]
) -> list[JsonObject] | None:
    branches: list[Json] = node["anyOf"]
    copies = len(branches) * len(node.get("properties", ()))
    if copies > _MAX_COPIES or rewriting.nodes > MAX_REWRITTEN_NODES:
        return None
    if all(is_object(branch) and _SHAPING_KEYWORDS.isdisjoint(branch) for branch in branches):
        return None
    base = {key: node[key] for key in node if key in asserting}
    rewriting.nodes += copies
    found = [merge_all_of({"allOf": [branch, base]}, rewriting.definition) for branch in branches]
    return None if any("allOf" in item for item in found) else found


def json_type(value: Json) -> str:
    """The JSON type of a value."""
    return next(name for kind, name in _KINDS if isinstance(value, kind))
