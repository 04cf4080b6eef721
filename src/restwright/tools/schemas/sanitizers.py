"""How each keyword of a schema of a document is cleaned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.schemas.discriminator import clean_discriminator
from restwright.tools.schemas.keywords import (
    LIST_KEYWORDS,
    MAP_KEYWORDS,
    REPAIRS,
    SCHEMA_KEYWORDS,
    is_valid_pattern,
    repair_keyword,
)
from restwright.tools.text.json_bytes import to_json_bytes

if TYPE_CHECKING:
    from restwright.openapi.read.schema_resources import DynamicScope
    from restwright.tools.schemas.definitions import Definitions

    Cleaner = Callable[[Definitions, str, Json, DynamicScope | None], Json]

FOREIGN_KEYWORDS = {"request": "readOnly", "response": "writeOnly"}
"""Flags of properties that do not belong in one direction (OAS 3.1.1, "Schema Object")."""

# Where such a property belongs, its flag says nothing.
_OF_DIRECTIONS = frozenset(FOREIGN_KEYWORDS.values())
_COMPARED = 20
_OF_2020_12 = frozenset({"3.1", "3.2"})

OMITTED: Json = object()
"""What a cleaner gives for a keyword that is left out."""


def clean_leaf(node: JsonObject) -> JsonObject:
    """A node of nothing but values: most of them are."""
    kept: JsonObject = {}
    for keyword, value in node.items():
        repair = _LEAF_REPAIRS.get(keyword)
        clean = value if repair is None else repair(value)
        if clean is not None or repair is None:
            kept[keyword] = clean
    return kept


def _clean_schema(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    del keyword
    return definitions.clean(value, scope) if isinstance(value, (dict, bool)) else OMITTED


def _clean_schema_list(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    del keyword
    return (
        ([definitions.clean(item, scope) for item in value] or OMITTED)
        if is_array(value)
        else OMITTED
    )


def _clean_any_of(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    """Branches of `anyOf`, each once: equal ones say nothing, and multiply the work of a check."""
    branches = _clean_schema_list(definitions, keyword, value, scope)
    if branches is OMITTED or len(branches) > _COMPARED:
        return branches
    # By their text: Python takes `1` for `true`.
    return list({to_json_bytes(branch): branch for branch in branches}.values())


def _clean_schema_map(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    if not is_object(value):
        return OMITTED
    if keyword == "patternProperties":
        value = {name: each for name, each in value.items() if is_valid_pattern(name)}
    return {name: definitions.clean(each, scope) for name, each in value.items()}


def _keep_as_written(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    del definitions, keyword, scope
    return value


def _repair_value(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    del definitions, scope
    value = repair_keyword(keyword, value)
    return OMITTED if value is None else value


def _clean_enum(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    # Nothing is one of no values; before 3.1 an empty list was a mistake, and providers refuse it.
    if value == [] and definitions.form == "checks" and definitions.specification in _OF_2020_12:
        return value
    return _repair_value(definitions, keyword, value, scope)


def _clean_discriminator(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    del keyword
    return clean_discriminator(value, lambda ref: definitions.resolve_target(ref, scope)) or OMITTED


def _clean_examples(
    definitions: Definitions, keyword: str, value: Json, scope: DynamicScope | None
) -> Json:
    return (
        _repair_value(definitions, keyword, value, scope)
        if definitions.form == "shows"
        else OMITTED
    )


CLEANERS: Mapping[str, Cleaner] = {
    **dict.fromkeys(REPAIRS.keys() - _OF_DIRECTIONS, _repair_value),
    **dict.fromkeys(SCHEMA_KEYWORDS, _clean_schema),
    **dict.fromkeys(LIST_KEYWORDS, _clean_schema_list),
    **dict.fromkeys(MAP_KEYWORDS, _clean_schema_map),
    **dict.fromkeys(("const", "default"), _keep_as_written),  # null is a value like others
    "anyOf": _clean_any_of,
    "enum": _clean_enum,
    "discriminator": _clean_discriminator,
    "examples": _clean_examples,
}

_LEAF_REPAIRS = {
    keyword: repair
    for keyword, repair in REPAIRS.items()
    if keyword not in {"enum", "examples", *_OF_DIRECTIONS}
}
LEAF_KEYWORDS = frozenset({*_LEAF_REPAIRS, "const", "default"})
"""The keywords of a node that `clean_leaf()` cleans."""
