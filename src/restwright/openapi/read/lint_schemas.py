"""Schemas that say what cannot be meant: no such type, no possible value, no such property."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite, nan

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.read.lint_composition import (
    check_closed_parts,
    check_discriminator_mapping,
    check_empty_compositions,
)
from restwright.openapi.references import join_pointer

_TYPES: dict[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": is_array,
    "object": is_object,
    "null": lambda value: value is None,
}
_BOUNDS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_NUMBERS: Mapping[str, tuple[Callable[[float], bool], str]] = {
    **dict.fromkeys(("minimum", "maximum"), (lambda number: True, "number")),
    "multipleOf": (lambda number: number > 0, "positive number"),
    **dict.fromkeys(
        [text for pair in _BOUNDS[1:] for text in pair],
        (lambda number: number >= 0 and number.is_integer(), "count"),
    ),
}
# Where the schemas in a schema are: alone, in a list, under names.
_ONE = (
    *("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties", "additionalItems", "contentSchema"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_COMPOSED = frozenset({"allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if"})
# Keys of an OpenAPI document whose values are data.
_DATA = frozenset({"example", "examples", "default", "enum", "const", "value", "dataValue"})
_SHOWN = 60
_OF_2020_12 = frozenset({"3.1", "3.2"})

_TokenChain = tuple["_TokenChain", str | int] | None


def lint_document_schemas(document: JsonObject, specification: str) -> Iterator[Problem]:
    """
    Yield what is doubtful in the schemas of a document, in its order.

    Args:
        specification: `2.0` has one type more, `file`.
    """
    checks = (
        partial(_check_type, types={"file", *_TYPES} if specification == "2.0" else set(_TYPES)),
        partial(_check_enum, is_exact=specification in _OF_2020_12),
        _check_bounds,
        _check_numbers,
        partial(_check_pattern, known={}),
        check_empty_compositions,
        partial(check_discriminator_mapping, document=document),
        partial(check_closed_parts, document=document),
    )
    for where, schema, is_branch in _walk_schemas(document):
        found = [problem for check in checks for problem in check(schema)]
        if not is_branch:
            found.extend(_check_required(schema))
        if found:
            pointer = _build_pointer(where)
            for problem in found:
                yield Problem(
                    pointer + problem.pointer, problem.what, problem.severity, problem.action
                )


def _check_type(schema: JsonObject, types: set[str]) -> Iterator[Problem]:
    written = schema.get("type")
    if written is None or (isinstance(written, str) and written in types):
        return
    for item in written if is_array(written) else [written]:
        if not isinstance(item, str) or item not in types:
            what = f"{_format_value(item)} is no type of a schema"
            yield Problem("/type", what, "warning", "any type is accepted")


def _check_enum(schema: JsonObject, *, is_exact: bool) -> Iterator[Problem]:
    if "enum" not in schema:
        return
    enum = schema["enum"]
    if not is_array(enum):
        yield Problem("/enum", "is no list", "warning", "ignored")
        return
    if not enum:
        # JSON Schema 2020-12 allows it, and then nothing is one of no values.
        taken = "no value is accepted" if is_exact else "any value is accepted"
        yield Problem("/enum", "has no values", "warning", taken)
        return
    texts = Counter(json.dumps(item, sort_keys=True) for item in enum)
    if len(texts) < len(enum):
        twice = next(text for text, count in texts.items() if count > 1)
        yield Problem("/enum", f"{twice[:_SHOWN]} stands twice", "information", "said once")
    test = _TYPES.get(schema["type"]) if isinstance(schema.get("type"), str) else None
    if test and not any(map(test, enum)):
        what = f"none of the values is of the type {schema['type']!r}"
        yield Problem("/enum", what, "warning", "no value is accepted")
    default = schema.get("default")
    if default is not None and default not in enum and not is_array(default):
        what = f"{_format_value(default)} is not among the values of `enum`"
        yield Problem("/default", what, "warning", "shown as it is")


def _check_bounds(schema: JsonObject) -> Iterator[Problem]:
    for low, high in _BOUNDS:
        if low in schema and high in schema:
            least, most = schema[low], schema[high]
            if _is_number(least) and _is_number(most) and least > most:
                what = f"`{low}` {least} is over `{high}` {most}"
                yield Problem(f"/{low}", what, "warning", "no value is accepted")


def _check_numbers(schema: JsonObject) -> Iterator[Problem]:
    if _NUMBERS.keys().isdisjoint(schema):
        return
    for keyword, value in schema.items():
        fits, kind = _NUMBERS.get(keyword, (None, ""))
        number = _to_number(value) if fits else None
        if fits and (number is None or not fits(number)):
            yield Problem(
                f"/{keyword}", f"{_format_value(value)} is no {kind}", "warning", "not checked"
            )


def _to_number(value: Json) -> float | None:
    """A number, also where it is written as text; None for the rest."""
    try:
        number = float(value) if isinstance(value, str) or _is_number(value) else nan
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_required(schema: JsonObject) -> Iterator[Problem]:
    required, properties = schema.get("required"), schema.get("properties")
    if required is None or isinstance(required, bool):
        return
    if not is_array(required):
        yield Problem("/required", "is no list", "warning", "ignored")
    elif is_object(properties) and not (_COMPOSED & schema.keys()):
        for name in required:
            if not isinstance(name, str) or name not in properties:
                what = f"there is no property {_format_value(name)}"
                yield Problem("/required", what, "warning", "required all the same")


def _check_pattern(schema: JsonObject, known: dict[str, bool]) -> Iterator[Problem]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        if pattern not in known:
            known[pattern] = _is_pattern(pattern)
        if not known[pattern]:
            what = f"{_format_value(pattern)} is no regular expression"
            yield Problem("/pattern", what, "warning", "not checked")


def _is_pattern(pattern: str) -> bool:
    """Whether it is a regular expression as JSON Schema has them."""
    import jsonschema_rs

    try:
        jsonschema_rs.validator_for({"pattern": pattern})
    except ValueError:
        return False
    return True


def _format_value(value: Json) -> str:
    return repr(value)[:_SHOWN]


def _walk_schemas(document: JsonObject) -> Iterator[tuple[_TokenChain, JsonObject, bool]]:
    """Every schema of the document: where it is, itself, and whether it is part of another's."""
    waiting: list[tuple[_TokenChain, Json, str]] = [(None, document, "")]
    while waiting:
        where, node, kind = waiting.pop()
        if kind in {"schema", "branch"} and is_object(node):
            yield where, node, kind == "branch"
        found = _CHILD_READERS[kind](node)
        waiting.extend(((where, key), each, inner) for key, each, inner in reversed(list(found)))


_Children = Iterator[tuple[str | int, Json, str]]


def _document_children(node: Json) -> _Children:
    members: Iterable[tuple[str | int, Json]] = ()
    if is_object(node):
        members = node.items()
    elif is_array(node):
        members = enumerate(node)
    for key, each in members:
        if not isinstance(each, dict | list) or key in _DATA or str(key).startswith("x-"):
            continue
        yield key, each, _KINDS.get(key, "") if isinstance(key, str) else ""


def _schema_children(schema: Json) -> _Children:
    if not is_object(schema):
        return
    for key, each in schema.items():
        if key in _MAPS:
            yield key, each, "schemas"
        elif key in _LISTS and is_array(each):
            yield key, each, "branches" if key.endswith("Of") else "list"
        elif key in _ONE:
            yield key, each, "branch" if key in _BRANCHES else "schema"


def _map_children(node: Json) -> _Children:
    if is_object(node):
        yield from ((key, each, "schema") for key, each in node.items())


def _list_children(node: Json) -> _Children:
    yield from ((index, each, "schema") for index, each in enumerate(node))


def _branch_children(node: Json) -> _Children:
    yield from ((index, each, "branch") for index, each in enumerate(node))


_BRANCHES = frozenset({"not", "if", "then", "else"})
_KINDS = {
    "schema": "schema",
    "itemSchema": "schema",
    "schemas": "schemas",
    "definitions": "schemas",
}
_CHILD_READERS: dict[str, Callable[[Json], _Children]] = {
    "": _document_children,
    "schema": _schema_children,
    "branch": _schema_children,
    "schemas": _map_children,
    "list": _list_children,
    "branches": _branch_children,
}


def _build_pointer(where: _TokenChain) -> str:
    tokens: list[str | int] = []
    while where is not None:
        where, token = where
        tokens.append(token)
    return join_pointer(*reversed(tokens))
