"""
Steps that put a schema into another form with the same meaning, or at least one that accepts as
much: one `anyOf` instead of `oneOf`, `allOf` and siblings; `enum` instead of `const`.
"""

from __future__ import annotations

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import ref_of
from restwright.tools.dialects.rewriter import ANNOTATIONS, MAX_NODES, Rewriting, kinds_of
from restwright.tools.schemas.merge import merged

_SHAPING = frozenset({
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


def without_all_of(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """`allOf` merged into what stands beside it, those of its parts first."""

    def definition(ref: str) -> Json:
        return rewriting.within(ref, _merged_if_needed)

    parts = [
        _merged_if_needed(rewriting, part) if is_object(part) else part for part in node["allOf"]
    ]
    whole = merged({**node, "allOf": parts}, definition)
    if "allOf" in whole:
        rewriting.say("allOf", whole["allOf"])
        whole = {key: value for key, value in whole.items() if key != "allOf"}
    return whole


def _merged_if_needed(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    return without_all_of(rewriting, node) if "allOf" in node else node


def any_of_for_one_of(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """
    `oneOf` as `anyOf`, which accepts a little more.

    Where both stand side by side, one moves into the description.
    """
    if "anyOf" in node:
        rewriting.say("oneOf", node["oneOf"])
        return {key: value for key, value in node.items() if key != "oneOf"}
    return {("anyOf" if key == "oneOf" else key): value for key, value in node.items()}


def enum_for_const(_rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """`const` as an `enum` of one value."""
    rest = {key: value for key, value in node.items() if key not in {"const", "enum"}}
    return {**rest, "enum": [node["const"]]}


def type_for_enum(_rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """The types of an enumeration's values, where nothing else names them."""
    if "type" in node or "$ref" in node:
        return node
    kinds = list(dict.fromkeys(kind_of(each) for each in node["enum"]))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **node} if kinds else node


def ref_alone(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """A `$ref` without siblings: what stands beside it is merged in, or goes around it."""
    beside = {key: value for key, value in node.items() if key != "$ref"}
    if not beside:
        return node
    if rewriting.definition(node["$ref"]) is None:
        rewriting.say("$ref", node["$ref"])
        return beside
    target: JsonObject = {"$ref": node["$ref"]}
    if not beside.keys() <= ANNOTATIONS and "anyOf" in beside:
        rewriting.say("anyOf", beside.pop("anyOf"))
    if beside.keys() <= ANNOTATIONS:
        return {**beside, "anyOf": [target]}
    both = merged({**beside, "allOf": [target]}, rewriting.definition)
    return both if "allOf" not in both else {**beside, "anyOf": [target]}


def ref_in_any_of(
    rewriting: Rewriting, kept: JsonObject, _node: JsonObject, _at: str
) -> JsonObject:
    """A `$ref` beside texts as the only alternative, so that it has no siblings."""
    if "$ref" not in kept or (len(kept) == 1 and not rewriting.has_words):
        return kept
    rest = {key: value for key, value in kept.items() if key != "$ref"}
    return {**rest, "anyOf": [{"$ref": kept["$ref"]}]}


def any_of_alone(rewriting: Rewriting, node: JsonObject) -> JsonObject:
    """
    `anyOf` beside nothing but texts: what stands beside it goes into each alternative.

    Alternatives that only restrict (`{"required": ["a"]}`), and those that cannot be put together
    with the rest, move into the description.
    """
    beside = {key: value for key, value in node.items() if key != "anyOf"}
    asserting = beside.keys() - ANNOTATIONS
    if not asserting:
        return node
    if asserting == {"type"} and _all_of_type(rewriting, node):
        return {key: value for key, value in node.items() if key != "type"}
    combined = _combined(rewriting, node, asserting)
    if combined is None:
        rewriting.say("anyOf", node["anyOf"])
        return beside
    texts = {key: value for key, value in beside.items() if key in ANNOTATIONS}
    return {**texts, "anyOf": combined}


def _all_of_type(rewriting: Rewriting, node: JsonObject) -> bool:
    wanted = set(kinds_of(node))
    return all(_kinds_within(rewriting, each, wanted) for each in node["anyOf"])


def _kinds_within(rewriting: Rewriting, schema: Json, wanted: set[str]) -> bool:
    seen: set[str] = set()
    while (ref := ref_of(schema)) is not None and ref not in seen:
        seen.add(ref)
        schema = rewriting.definition(ref)
    kinds = kinds_of(schema) if is_object(schema) else []
    return bool(kinds) and wanted.issuperset(kinds)


def _combined(
    rewriting: Rewriting, node: JsonObject, asserting: set[str]
) -> list[JsonObject] | None:
    branches: list[Json] = node["anyOf"]
    copies = len(branches) * len(node.get("properties", ()))
    if copies > _MAX_COPIES or rewriting.nodes > MAX_NODES:
        return None
    if all(is_object(each) and _SHAPING.isdisjoint(each) for each in branches):
        return None
    base = {key: node[key] for key in node if key in asserting}
    rewriting.nodes += copies
    found = [merged({"allOf": [each, base]}, rewriting.definition) for each in branches]
    return None if any("allOf" in each for each in found) else found


def kind_of(value: Json) -> str:
    """The JSON type of a value."""
    return next(name for kind, name in _KINDS if isinstance(value, kind))
