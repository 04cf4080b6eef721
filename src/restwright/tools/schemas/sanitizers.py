"""How each keyword of a schema of a document is cleaned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.schemas.discriminator import cleaned_discriminator
from restwright.tools.schemas.keywords import (
    LIST_KEYWORDS,
    MAP_KEYWORDS,
    REPAIRS,
    SCHEMA_KEYWORDS,
    is_pattern,
    repaired,
)
from restwright.tools.text.json_bytes import written

if TYPE_CHECKING:
    from restwright.openapi.read.schema_resources import Scope
    from restwright.tools.schemas.definitions import Definitions

    Cleaner = Callable[[Definitions, str, Json, Scope | None], Json]

FOREIGN = {"request": "readOnly", "response": "writeOnly"}
"""Flags of properties that do not belong in one direction (OAS 3.1.1, "Schema Object")."""

# Where such a property belongs, its flag says nothing.
_OF_DIRECTIONS = frozenset(FOREIGN.values())
_COMPARED = 20
_OF_2020_12 = frozenset({"3.1", "3.2"})

NOTHING: Json = object()
"""What a cleaner gives for a keyword that is left out."""


def leaf(node: JsonObject) -> JsonObject:
    """A node of nothing but values: most of them are."""
    kept: JsonObject = {}
    for keyword, value in node.items():
        repair = _LEAF_REPAIRS.get(keyword)
        clean = value if repair is None else repair(value)
        if clean is not None or repair is None:
            kept[keyword] = clean
    return kept


def _schema(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    del keyword
    return own.cleaned(value, scope) if isinstance(value, (dict, bool)) else NOTHING


def _schemas(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    del keyword
    return ([own.cleaned(each, scope) for each in value] or NOTHING) if is_array(value) else NOTHING


def _alternatives(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    """Branches of `anyOf`, each once: equal ones say nothing, and multiply the work of a check."""
    branches = _schemas(own, keyword, value, scope)
    if branches is NOTHING or len(branches) > _COMPARED:
        return branches
    # By their text: Python takes `1` for `true`.
    return list({written(each): each for each in branches}.values())


def _named(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    if not is_object(value):
        return NOTHING
    if keyword == "patternProperties":
        value = {name: each for name, each in value.items() if is_pattern(name)}
    return {name: own.cleaned(each, scope) for name, each in value.items()}


def _as_written(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    del own, keyword, scope
    return value


def _repaired(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    del own, scope
    value = repaired(keyword, value)
    return NOTHING if value is None else value


def _enum(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    # Nothing is one of no values; before 3.1 an empty list was a mistake, and providers refuse it.
    if value == [] and own.form == "checks" and own.specification in _OF_2020_12:
        return value
    return _repaired(own, keyword, value, scope)


def _discriminator(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    del keyword
    return cleaned_discriminator(value, lambda ref: own.target(ref, scope)) or NOTHING


def _examples(own: Definitions, keyword: str, value: Json, scope: Scope | None) -> Json:
    return _repaired(own, keyword, value, scope) if own.form == "shows" else NOTHING


CLEANERS: Mapping[str, Cleaner] = {
    **dict.fromkeys(REPAIRS.keys() - _OF_DIRECTIONS, _repaired),
    **dict.fromkeys(SCHEMA_KEYWORDS, _schema),
    **dict.fromkeys(LIST_KEYWORDS, _schemas),
    **dict.fromkeys(MAP_KEYWORDS, _named),
    **dict.fromkeys(("const", "default"), _as_written),  # null is a value like others
    "anyOf": _alternatives,
    "enum": _enum,
    "discriminator": _discriminator,
    "examples": _examples,
}

_LEAF_REPAIRS = {
    keyword: repair
    for keyword, repair in REPAIRS.items()
    if keyword not in {"enum", "examples", *_OF_DIRECTIONS}
}
LEAF = frozenset({*_LEAF_REPAIRS, "const", "default"})
"""The keywords of a node that `leaf()` cleans."""
