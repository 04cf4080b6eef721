"""Schemas and values of any kind, for properties that hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from restwright.jsontypes import JsonObject

NAMES = st.sampled_from(["a", "b"])
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2.5, "", "x", "2026-01-31"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
SCHEMAS = st.recursive(
    st.booleans()
    | st.fixed_dictionaries({"type": st.sampled_from(TYPES)})
    | st.fixed_dictionaries({"const": VALUES})
    | st.fixed_dictionaries({"enum": st.lists(VALUES, min_size=1, max_size=2)})
    | st.fixed_dictionaries({"minLength": st.integers(0, 2), "minimum": st.integers(0, 2)})
    | st.fixed_dictionaries({"required": st.lists(NAMES, unique=True)}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=2),
            "additionalProperties": inner,
            "unevaluatedProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "contains": inner,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "propertyNames": inner,
            "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
            "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
            "unevaluatedItems": inner,
            "minContains": st.integers(0, 2),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "allOf": st.lists(inner, min_size=1, max_size=2),
        },
    ),
    max_leaves=6,
)


def bomb(levels: int, *, deeper: bool) -> JsonObject:
    """Two different alternatives on each level, all of which have to be tried."""

    def level(number: int) -> JsonObject:
        ref = {"$ref": f"#/$defs/D{number}"}
        inner = {"properties": {"a": ref}} if deeper else ref
        return {"anyOf": [{**inner, "maxLength": number}, {**inner, "maxLength": number + 1}]}

    levels_of = {f"D{number + 1}": level(number) for number in range(levels)}
    return {"$ref": f"#/$defs/D{levels}", "$defs": {"D0": {"type": "string"}, **levels_of}}
