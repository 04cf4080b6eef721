"""A check that goes on where a document's schema is broken: without its broken keywords."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import Problem

Built = TypeVar("Built")
SchemaPath = tuple[str | int, ...]

_MAX_REMOVED = 100
# Keywords whose values are schemas by name: a fault in one of those is not a fault of the keyword.
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_SCHEMA_ARRAYS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSchema(Generic[Built]):
    """
    A validator with the schema that it was built from.

    Args:
        schema: Without the keywords that cannot be compiled.
        problems: One for each of those; the pointer is that in the schema.
    """

    validator: Built
    schema: Json
    problems: tuple[Problem, ...] = ()


def compile_schema_leniently(schema: Json, build: Callable[[Json], Built]) -> CompiledSchema[Built]:
    """
    Build a validator of `schema`, taking out what cannot be compiled.

    Args:
        build: Raises `jsonschema_rs.ValidationError` with the place of the fault.

    Returns:
        A schema that cannot be saved accepts every value.
    """
    import jsonschema_rs

    problems: list[Problem] = []
    copy = schema
    for _ in range(_MAX_REMOVED):
        try:
            return CompiledSchema(validator=build(copy), schema=copy, problems=tuple(problems))
        except jsonschema_rs.ValidationError as error:
            where, what = tuple(error.instance_path), error.message
        except (ValueError, RecursionError) as error:
            where, what = (), str(error)
        copy = deepcopy(copy) if copy is schema else copy
        found = _remove_keyword(copy, where) if where else _remove_broken_reference(copy)
        if not found:
            break
        problems.append(_make_problem(found, what))
    problems.append(_make_problem((), "the schema cannot be compiled"))
    return CompiledSchema(validator=build({}), schema={}, problems=tuple(problems))


def _make_problem(path: SchemaPath, what: str) -> Problem:
    pointer = "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in path)
    return Problem(pointer, what[:200], "warning", "not checked")


def _remove_keyword(schema: Json, path: SchemaPath) -> SchemaPath:
    """Remove the keyword, or replace the subschema, that holds the fault at `path`."""
    place = _keyword_path(path)
    parent: Any = schema
    for key in place[:-1]:
        parent = parent[key]
    last = place[-1]
    is_subschema = isinstance(last, int) or (len(place) > 1 and place[-2] in _SCHEMA_MAPS)
    if is_subschema:
        parent[last] = True
    else:
        del parent[last]
    return place


def _keyword_path(path: SchemaPath) -> SchemaPath:
    """Cut `path` to the keyword of the schema that it leads into (`enum/0` -> `enum`)."""
    end = 0
    while end < len(path):
        key = path[end]
        step = 2 if key in _SCHEMA_MAPS or key in _SCHEMA_ARRAYS else 1
        if end + step >= len(path) or (step == 1 and not _is_schema_keyword(key)):
            return path[: end + step]
        end += step
    return path


def _is_schema_keyword(key: str | int) -> bool:
    return key in {
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }


def _remove_broken_reference(schema: Json) -> SchemaPath:
    """Remove the first `$ref` that leads nowhere in `schema`; a fault of those has no place."""
    stack: list[tuple[SchemaPath, Json]] = [((), schema)]
    while stack:
        path, node = stack.pop()
        if is_object(node):
            ref = node.get("$ref")
            if isinstance(ref, str) and not _is_resolvable(schema, ref):
                del node["$ref"]
                return (*path, "$ref")
            stack.extend(((*path, key), each) for key, each in reversed(node.items()))
        elif is_array(node):
            stack.extend(((*path, index), each) for index, each in enumerate(node))
    return ()


def _is_resolvable(schema: Json, ref: str) -> bool:
    if ref != "#" and not ref.startswith("#/"):
        return False
    node = schema
    for token in ref.split("/")[1:]:
        key = re.sub("~1", "/", token).replace("~0", "~")
        if is_array(node) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        elif is_object(node) and key in node:
            node = node[key]
        else:
            return False
    return isinstance(node, (dict, bool))
