"""
`allOf` said as one schema, without a change of meaning.

Two schemas are put together keyword by keyword. Where a pair of keywords has no common form (two
patterns, two `anyOf`s), the part that holds the second one stays in `allOf`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref

ANNOTATIONS = frozenset(
    {
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        "discriminator",
    }
)

# What looks at the other keywords beside it; moved into another schema it would see other ones.
_LOOKING = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_ARRAYS = frozenset({"items", "prefixItems", "contains", "minContains", "maxContains"})
_CONDITIONS = frozenset({"if", "then", "else"})

DefinitionLookup = Callable[[str], Json]
"""What a cleaned `$ref` points at; None where that is being put together right now."""


def merge_all_of(schema: JsonObject, definition: DefinitionLookup) -> JsonObject:
    """
    `schema` without its `allOf`, as far as that can be said.

    Args:
        schema: Cleaned; its own `allOf` is merged, those of its subschemas are not looked at.
        definition: Resolves the references of the parts.

    Returns:
        A schema that accepts the same values. A part that cannot be merged is left in `allOf`; an
        `allOf` that only adds texts to one reference becomes that reference with the texts.

    Source: JSON Schema 2020-12, "allOf".
    """
    whole: JsonObject = {key: value for key, value in schema.items() if key != "allOf"}
    parts: list[Json] = [part for part in schema["allOf"] if part is not True and part != {}]
    if len(parts) == 1 and find_ref(parts[0]) is not None and whole.keys() <= ANNOTATIONS:
        return {**parts[0], **whole}
    left: list[Json] = []
    for part in parts:
        both = _merge_part(whole, part, definition)
        if both is None:
            left.append(part)
        else:
            whole = both
    if "properties" in whole:
        whole["properties"] = _order_properties(whole["properties"], schema.get("properties", {}))
    return {**whole, "allOf": left} if left else whole


def wrap_reference(schema: JsonObject) -> JsonObject:
    """`schema` with its `$ref` as the first part of `allOf`, which means the same."""
    whole = {key: value for key, value in schema.items() if key != "$ref"}
    return {**whole, "allOf": [{"$ref": schema["$ref"]}, *schema.get("allOf", ())]}


def _order_properties(properties: JsonObject, own: JsonObject) -> JsonObject:
    """In the order of the document, where what is inherited stands first."""
    inherited = {name: each for name, each in properties.items() if name not in own}
    return {**inherited, **{name: properties[name] for name in own}}


def _merge_part(whole: JsonObject, part: Json, definition: DefinitionLookup) -> JsonObject | None:
    content = _part_content(part, definition)
    if content is None or "$ref" in whole or not _LOOKING.isdisjoint(content):
        return None
    return merge_schemas(whole, content)


def _part_content(part: Json, definition: DefinitionLookup) -> JsonObject | None:
    """The keywords of a part of `allOf`, its reference followed; None where there are none."""
    seen: set[str] = set()
    more: JsonObject = {}
    while (ref := find_ref(part)) is not None:
        beside = {key: value for key, value in part.items() if key != "$ref"}
        if ref in seen or not beside.keys() <= ANNOTATIONS:
            return None
        seen.add(ref)
        more = {**beside, **more}
        part = definition(ref)
    if not is_object(part) or "allOf" in part:
        return None
    return {**part, **more}


def merge_schemas(first: JsonObject, second: JsonObject) -> JsonObject | None:
    """
    One schema that accepts what both accept; None where there is no such form.

    Texts and defaults of `first` win.
    """
    if not _CONDITIONS.isdisjoint(first) and not _CONDITIONS.isdisjoint(second):
        return None
    elements, properties = _merge_items(first, second), _merge_properties(first, second)
    if elements is None or properties is None:
        return None
    both: JsonObject = {**second, **first, **elements, **properties}
    for keyword in first.keys() & second.keys() - _MERGED_APART:
        one, other = first[keyword], second[keyword]
        if keyword in ANNOTATIONS or (one == other and keyword not in _VALUES):
            continue
        combine = _COMBINE.get(keyword)
        value = combine(one, other) if combine else None
        if value is None:
            return None
        both[keyword] = value
    return both


_MERGED_APART = frozenset({"properties", "additionalProperties", "items"})
# Python's `1 == True` is not JSON's.
_VALUES = frozenset({"const", "enum"})


def _merge_items(first: JsonObject, second: JsonObject) -> JsonObject | None:
    """`items` of both; None where it depends on other keywords of arrays."""
    if _ARRAYS.isdisjoint(first) or _ARRAYS.isdisjoint(second):
        return {}
    if _ARRAYS & {*first, *second} - {"items"}:
        return None
    return {"items": _merge_subschemas(first["items"], second["items"])}


def _merge_properties(first: JsonObject, second: JsonObject) -> JsonObject | None:
    """`properties` and `additionalProperties` of both."""
    one, other = first.get("properties", {}), second.get("properties", {})
    closing = "additionalProperties" in first or "additionalProperties" in second
    if closing and ("patternProperties" in first or "patternProperties" in second):
        return None
    properties: JsonObject = {}
    for name in {**one, **other}:
        ours = one[name] if name in one else first.get("additionalProperties", True)
        theirs = other[name] if name in other else second.get("additionalProperties", True)
        properties[name] = _merge_subschemas(ours, theirs)
    said: JsonObject = {"properties": properties} if properties else {}
    if closing:
        said["additionalProperties"] = _merge_subschemas(
            first.get("additionalProperties", True), second.get("additionalProperties", True)
        )
    return said


def _merge_subschemas(one: Json, other: Json) -> Json:
    if one is False or other is False:
        return False
    if one is True or one == {} or one == other:
        return other
    if other is True or other == {}:
        return one
    simple = "allOf" not in one and "allOf" not in other
    if simple and "$ref" not in one and "$ref" not in other and _LOOKING.isdisjoint({*one, *other}):
        both = merge_schemas(one, other)
        if both is not None:
            return both
    return {"allOf": [one, other]}


def _merge_types(one: Json, other: Json) -> Json:
    ours = [one] if isinstance(one, str) else list(one)
    theirs = [other] if isinstance(other, str) else list(other)
    kept = [mine for mine in ours if mine in theirs]
    if "number" in ours and "integer" in theirs and "integer" not in kept:
        kept.append("integer")
    if "integer" in ours and "number" in theirs and "integer" not in kept:
        kept.append("integer")
    return None if not kept else kept[0] if len(kept) == 1 else kept


def _merge_enums(one: Json, other: Json) -> Json:
    return [item for item in one if _is_in(item, other)] or None


def _is_in(value: Json, values: list[Json]) -> bool:
    return any(_is_same(value, item) for item in values)


def _is_same(one: Json, other: Json) -> bool:
    """Equality as JSON has it, where `1` is `1.0` but not `true`."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _merge_constants(one: Json, other: Json) -> Json:
    # A null in common has no form here, and stays in `allOf`.
    return one if _is_in(one, [other]) else None


def _merge_names(one: Json, other: Json) -> Json:
    return list(dict.fromkeys([*one, *other]))


def _merge_multiples(one: Json, other: Json) -> Json:
    if isinstance(one, int) and isinstance(other, int):
        return one * other // gcd(one, other)
    return None


def _merge_flags(one: Json, other: Json) -> Json:
    return one or other


_COMBINE: Mapping[str, Callable[[Json, Json], Json]] = {
    "type": _merge_types,
    "enum": _merge_enums,
    "const": _merge_constants,
    "required": _merge_names,
    "multipleOf": _merge_multiples,
    "uniqueItems": _merge_flags,
    **dict.fromkeys(("minimum", "exclusiveMinimum"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), min),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), min),
}
