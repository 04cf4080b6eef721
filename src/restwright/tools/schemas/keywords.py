"""
Which values the keywords of JSON Schema may have. What a document writes otherwise is repaired
where its meaning is plain (`"maxLength": "20"`), and left out where not: one wrong keyword would
make the whole schema useless to a validator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import isfinite

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.prose import to_plain_text

MAX_PATTERN = 1000
MAX_EXAMPLE = 60

SCHEMA_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})

# Keywords whose values are schemas, by how they hold them.
SCHEMA_KEYWORDS = frozenset({
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LIST_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAP_KEYWORDS = frozenset({"properties", "patternProperties", "dependentSchemas"})


def repair_keyword(keyword: str, value: Json) -> Json:
    """
    `value` as `keyword` may have it, or None where the keyword is unknown or cannot be repaired.

    Source: JSON Schema 2020-12, "Validation" and its meta-schemas.
    """
    repair = REPAIRS.get(keyword)
    return repair(value) if repair else None


def _repair_number(value: Json) -> Json:
    if isinstance(value, str):
        try:
            value = int(value) if value.strip().lstrip("-").isdecimal() else float(value)
        except ValueError:
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and isfinite(value) else None


def _repair_positive(value: Json) -> Json:
    number = _repair_number(value)
    return number if number is not None and number > 0 else None


def _repair_count(value: Json) -> Json:
    number = _repair_number(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def _repair_flag(value: Json) -> Json:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _repair_text(value: Json) -> Json:
    return value if isinstance(value, str) else None


def _repair_printable(value: Json) -> Json:
    return to_plain_text(value) or None if isinstance(value, str) else None


def _repair_examples(value: Json) -> Json:
    """The first example that is short; long ones cost a model more than they tell."""
    values: Sequence[Json] = value if is_array(value) else ()
    return next(([item] for item in values if _is_short(item)), None)


def _is_short(value: Json) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= MAX_EXAMPLE and value.isprintable()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _repair_pattern(value: Json) -> Json:
    return value if isinstance(value, str) and is_valid_pattern(value) else None


def _repair_type(value: Json) -> Json:
    if isinstance(value, str):
        return value if value in SCHEMA_TYPES else None
    known = (
        [item for item in value if isinstance(item, str) and item in SCHEMA_TYPES]
        if is_array(value)
        else []
    )
    return list(dict.fromkeys(known)) or None


def _repair_names(value: Json) -> Json:
    if not is_array(value):
        return None
    return list(dict.fromkeys(item for item in value if isinstance(item, str))) or None


def _repair_list(value: Json) -> Json:
    return value if is_array(value) and value else None


def _repair_name_lists(value: Json) -> Json:
    if not is_object(value):
        return None
    return {name: names for name, each in value.items() if (names := _repair_names(each))} or None


REPAIRS: Mapping[str, Callable[[Json], Json]] = {
    "type": _repair_type,
    "enum": _repair_list,
    "required": _repair_names,
    "dependentRequired": _repair_name_lists,
    "title": _repair_printable,
    "description": _repair_printable,
    "examples": _repair_examples,
    "format": _repair_text,
    "contentEncoding": _repair_text,
    "contentMediaType": _repair_text,
    "pattern": _repair_pattern,
    "multipleOf": _repair_positive,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _repair_number),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        _repair_count,
    ),
    **dict.fromkeys(("minContains", "maxContains"), _repair_count),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _repair_flag),
}
"""The keywords whose values hold no schemas; None is what cannot be repaired."""


@lru_cache(maxsize=4096)
def is_valid_pattern(pattern: str) -> bool:
    """Whether the validator can compile `pattern`, of at most 1,000 characters."""
    if len(pattern) > MAX_PATTERN:
        return False
    import jsonschema_rs

    schema: JsonObject = {"pattern": pattern}
    try:
        jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True
