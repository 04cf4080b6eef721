"""An answer for an operation that nothing handles: made from the document alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from restwright.jsontypes import Json, JsonObject
from restwright_bench.world.document import Route, resolved
from restwright_bench.world.exchange import Answer

DEEPEST = 8


def made_up(route: Route) -> Answer:
    """The success response of an operation: its example, else the smallest value of its schema."""
    status = next((each for each in route.statuses if 200 <= each < 300), 204)
    response = resolved(route.operation["responses"].get(str(status), {}), route.root)
    media = response.get("content", {}).get("application/json")
    if media is None:
        return Answer(status=status)
    checker = route.response_checkers[status]
    for body in (*_examples(media), smallest(media.get("schema", {}), route.root)):
        if checker.is_valid(body):
            return Answer(status=status, body=body)
    return Answer(status=501, body={"message": "no answer can be made up for this operation"})


def _examples(media: JsonObject) -> list[Json]:
    named = [each.get("value") for each in media.get("examples", {}).values()]
    return [media["example"], *named] if "example" in media else named


def smallest(schema: Json, root: JsonObject, depth: int = 0) -> Json:
    """The smallest value of a schema: required properties, empty lists, zero, no text."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return None
    node = resolved(schema, root)
    for keyword in ("const", "default"):
        if keyword in node:
            return node[keyword]
    if node.get("enum"):
        return node["enum"][0]
    if "allOf" in node:
        return smallest(_merged(node, root), root, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        if node.get(keyword):
            return smallest(node[keyword][0], root, depth + 1)
    kind = node.get("type", "object" if node.get("properties") else "null")
    one = kind[0] if isinstance(kind, list) else kind
    return _MAKERS[one](node, root, depth)


def _merged(node: JsonObject, root: JsonObject) -> JsonObject:
    """An `allOf` as one schema, as far as it tells of types, properties and what is required."""
    parts = [{name: each for name, each in node.items() if name != "allOf"}]
    for each in node["allOf"]:
        part = resolved(each, root)
        parts.append(_merged(part, root) if "allOf" in part else part)
    merged: JsonObject = {name: each for part in reversed(parts) for name, each in part.items()}
    merged["properties"] = {k: v for part in parts for k, v in part.get("properties", {}).items()}
    merged["required"] = [name for part in parts for name in part.get("required", ())]
    return merged


def _object(node: JsonObject, root: JsonObject, depth: int) -> JsonObject:
    properties = node.get("properties", {})
    return {
        each: smallest(properties.get(each, {}), root, depth + 1)
        for each in node.get("required", ())
    }


_MAKERS: Mapping[str, Callable[[JsonObject, JsonObject, int], Json]] = {
    "object": _object,
    "array": lambda node, root, depth: [
        smallest(node.get("items", {}), root, depth + 1) for _ in range(node.get("minItems", 0))
    ],
    "string": lambda node, _root, _depth: "x" * node.get("minLength", 0),
    "integer": lambda node, _root, _depth: max(0, node.get("minimum", 0)),
    "number": lambda node, _root, _depth: max(0.0, node.get("minimum", 0.0)),
    "boolean": lambda _node, _root, _depth: False,
    "null": lambda _node, _root, _depth: None,
}
