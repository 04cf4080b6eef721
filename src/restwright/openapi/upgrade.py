"""
Schemas of OpenAPI 3.0 said in JSON Schema 2020-12, one node at a time.

A node here is one Schema Object without its subschemas, which whoever walks the tree upgrades in
turn. A node of OpenAPI 3.1 comes out as it went in.
"""

from __future__ import annotations

from restwright.typing import Json, JsonObject

_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def upgraded(schema: JsonObject) -> JsonObject:
    """
    One Schema Object in JSON Schema 2020-12; `schema` itself stays as it is.

    Source: OAS 3.0.4, "Schema Object"; JSON Schema 2020-12, "Validation".
    """
    if not _is_old(schema):
        return schema
    node = dict(schema)
    for bound, exclusive in _BOUNDS:
        _exclusive(node, bound, exclusive)
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if "additionalItems" in node:
            node["items"] = node.pop("additionalItems")
    return _nullable(node) if _is_true(node.pop("nullable", False)) else node


def _is_old(schema: JsonObject) -> bool:
    return (
        "nullable" in schema
        or isinstance(schema.get("exclusiveMinimum"), bool)
        or isinstance(schema.get("exclusiveMaximum"), bool)
        or isinstance(schema.get("items"), list)
    )


def _is_true(value: Json) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _exclusive(node: JsonObject, bound: str, exclusive: str) -> None:
    if isinstance(node.get(exclusive), bool):
        is_exclusive = node.pop(exclusive)
        if is_exclusive and bound in node:
            node[exclusive] = node.pop(bound)


def _nullable(node: JsonObject) -> JsonObject:
    """`node`, with null allowed too."""
    enum = node.get("enum")
    if isinstance(enum, list) and None not in enum:
        node["enum"] = [*enum, None]
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"] if node["type"] != "null" else "null"
    elif isinstance(node.get("type"), list):
        node["type"] = [*node["type"], *({"null"} - set(map(str, node["type"])))]
    # Without a type, what the rest says (a reference, allOf) would go on refusing null.
    if any(key in node for key in ("$ref", "allOf", "anyOf", "oneOf", "not", "const")):
        return {"anyOf": [node, {"type": "null"}]}
    return node
