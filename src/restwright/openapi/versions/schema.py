"""
One Schema Object of any version of the specification, said in JSON Schema 2020-12.

A node here is one Schema Object without its subschemas, which whoever walks the tree upgrades in
turn. This runs for every node of a document, so what has nothing to change leaves at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from restwright.jsontypes import Json, JsonObject, is_array, is_object

Specification = Literal["2.0", "3.0", "3.1", "3.2"]

# The versions where what stands beside a `$ref` is ignored.
_OLD = frozenset({"2.0", "3.0"})

# What says nothing about which values are valid.
_ANNOTATIONS = frozenset({
    "title", "description", "default", "deprecated", "readOnly", "writeOnly", "example", "examples",
    "externalDocs", "xml", "$comment", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor",
    "$schema", "$recursiveAnchor",
})  # fmt: skip

# Keywords that go on refusing null when `type` allows it.
_REFUSING = frozenset({
    "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "const",
})  # fmt: skip

# JSON Schema 2020-12 Core, "Defining location-independent identifiers".
_FRAGMENT = re.compile(r"#[A-Za-z_][-A-Za-z0-9._]*")

_NULLABLE = ("nullable", "x-nullable")
_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})


def upgrade_schema(schema: JsonObject, specification: Specification = "3.1") -> JsonObject:
    """
    One Schema Object in JSON Schema 2020-12; `schema` itself where there is nothing to change.

    Args:
        schema: Stays as it is. What is wrong in it and in no version right is kept.
        specification: In 2.0 and 3.0 what stands beside `$ref` counts only where it annotates or
            allows null; everything else is read alike, since people mix the versions.

    Source: Swagger 2.0 and OAS 3.0.4, "Schema Object"; JSON Schema 2020-12, "Validation"; its
        release notes for what earlier drafts said.
    """
    is_old = specification in _OLD
    if (
        _CHANGES.keys().isdisjoint(schema)
        and not isinstance(schema.get("items"), list)
        and not (
            is_old and (schema.get("type") == "file" or ("$ref" in schema and len(schema) > 1))
        )
    ):
        return schema
    node = dict(schema)
    if is_old:
        _drop_dialect(node)
        _drop_ignored(node)
    for keyword in schema:
        if keyword in _CHANGES:
            _CHANGES[keyword](node)
    _change_items(node)
    node = _allow_null(node) if _take_nullable(node) else node
    return schema if node == schema else node


def relocate_subschema(schema: JsonObject, keyword: str, key: str | None) -> tuple[str, ...]:
    """
    Where the subschemas under `keyword` of `schema` stand in its upgraded form, as tokens.

    Args:
        key: The token after `keyword`, which decides for `dependencies`; None where there is none.
    """
    renamed = _rename_keyword(schema, keyword, key)
    is_outer = keyword in _ANNOTATIONS or keyword.startswith("x-")
    if is_outer or not any(is_true(schema.get(literal)) for literal in _NULLABLE):
        return (renamed,)
    return ("anyOf", "0", renamed) if _is_wrapped(schema) else (renamed,)


def is_true(value: Json) -> bool:
    """True, also where it is written as a string."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def _rename_keyword(schema: JsonObject, keyword: str, key: str | None) -> str:
    if keyword in {"items", "additionalItems"} and isinstance(schema.get("items"), list):
        return "prefixItems" if keyword == "items" else "items"
    if keyword == "dependencies":
        dependencies = schema.get(keyword)
        names = is_object(dependencies) and key is not None and is_array(dependencies.get(key))
        return "dependentRequired" if names else "dependentSchemas"
    return "$defs" if keyword == "definitions" else keyword


def _drop_dialect(node: JsonObject) -> None:
    """Before 3.1 there was one dialect, whose references did not resolve against an `$id`."""
    if node.get("type") == "file":
        node |= {"type": "string", "format": "binary"}
    node.pop("$schema", None)
    if "$id" in node:
        node["x-id"] = node.pop("$id")


def _drop_ignored(node: JsonObject) -> None:
    if isinstance(node.get("$ref"), str):
        for keyword in node.keys() - _ANNOTATIONS - {"$ref", *_NULLABLE}:
            if not keyword.startswith("x-"):
                del node[keyword]


def _change_bounds(node: JsonObject) -> None:
    for bound, exclusive in _BOUNDS:
        value = node.get(exclusive)
        if _is_flag(value):
            del node[exclusive]
            if is_true(value) and bound in node and not _is_flag(node[bound]):
                node[exclusive] = node.pop(bound)


def _is_flag(value: Json) -> bool:
    is_word = isinstance(value, str) and value.strip().lower() in {"true", "false"}
    return is_word or isinstance(value, bool)


def _change_items(node: JsonObject) -> None:
    if isinstance(node.get("items"), list):
        items = node.pop("items")
        if items:
            node["prefixItems"] = items
        if isinstance(node.get("additionalItems"), dict | bool):
            node["items"] = node.pop("additionalItems")


def _change_examples(node: JsonObject) -> None:
    examples = node.get("examples")
    if is_object(examples):
        # As in a Media Type Object: Example Objects under names.
        values = [
            item["value"] if is_object(item) and "value" in item else item
            for item in examples.values()
        ]
        node["examples"] = examples = values
    if "example" not in node:
        return
    if examples is None:
        node["examples"] = [node.pop("example")]
    elif is_array(examples):
        example = node.pop("example")
        node["examples"] = [*examples, *([] if example in examples else [example])]


def _change_discriminator(node: JsonObject) -> None:
    if isinstance(node.get("discriminator"), str):
        node["discriminator"] = {"propertyName": node["discriminator"]}


def _change_definitions(node: JsonObject) -> None:
    if is_object(node.get("definitions")):
        own = node.get("$defs", {})
        if is_object(own):
            node["$defs"] = {**node.pop("definitions"), **own}


def _change_dependencies(node: JsonObject) -> None:
    dependencies = node.get("dependencies")
    if not is_object(dependencies):
        return
    del node["dependencies"]
    names = {key: each for key, each in dependencies.items() if is_array(each)}
    schemas = {key: each for key, each in dependencies.items() if key not in names}
    for keyword, several in (("dependentRequired", names), ("dependentSchemas", schemas)):
        own = node.get(keyword, {})
        if several and is_object(own):
            node[keyword] = {**several, **own}


def _change_identity(node: JsonObject) -> None:
    """
    A fragment alone is an anchor; a whole `id` of draft 4 stays: as `$id` it would change what the
    references below it resolve against, which nobody who wrote `id` in OpenAPI had in mind.
    """
    for keyword in ("$id", "id"):
        value = node.get(keyword)
        if isinstance(value, str) and _FRAGMENT.fullmatch(value) and "$anchor" not in node:
            node["$anchor"] = node.pop(keyword)[1:]


# By the keyword that calls for the change. Array-form `items` is looked for besides, since nearly
# every `items` is a schema.
_CHANGES: dict[str, Callable[[JsonObject], None]] = {
    "exclusiveMinimum": _change_bounds,
    "exclusiveMaximum": _change_bounds,
    "example": _change_examples,
    "examples": _change_examples,
    "discriminator": _change_discriminator,
    "definitions": _change_definitions,
    "dependencies": _change_dependencies,
    "id": _change_identity,
    "$id": _change_identity,
    # These are taken out by others, and must be seen.
    **dict.fromkeys((*_NULLABLE, "$schema"), lambda node: None),
}


def _take_nullable(node: JsonObject) -> bool:
    flags = [node.pop(literal, None) for literal in _NULLABLE]
    return any(map(is_true, flags))


def _allow_null(node: JsonObject) -> JsonObject:
    """`node`, with null allowed too and nothing else changed."""
    if _is_wrapped(node):
        outer = {key: node[key] for key in node if key in _ANNOTATIONS or key.startswith("x-")}
        inner = {key: node[key] for key in node if key not in outer}
        return {**outer, "anyOf": [inner, {"type": "null"}]}
    enum = node.get("enum")
    if is_array(enum) and None not in enum:
        node["enum"] = [*enum, None]
    kind = node.get("type")
    # Of a type that nobody knows nothing is refused, so that null needs no permission.
    if isinstance(kind, str) and kind in _TYPES - {"null"}:
        node["type"] = [kind, "null"]
    elif is_array(kind) and "null" not in kind:
        node["type"] = [*kind, "null"]
    return node


def _is_wrapped(node: JsonObject) -> bool:
    return not _REFUSING.isdisjoint(node)
