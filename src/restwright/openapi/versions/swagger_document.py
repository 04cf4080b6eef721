"""A whole Swagger document as OpenAPI 3.2, with what it shares still shared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import follow, pointer_of
from restwright.openapi.versions.swagger import (
    canonical_root,
    media_types,
    operation_object,
    response_object,
)
from restwright.openapi.versions.swagger_parameters import (
    Doubt,
    given,
    parameter_object,
    request_body,
)

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})


def swagger_document(document: JsonObject) -> tuple[JsonObject, Mapping[str, str]]:
    """
    The OpenAPI Object of a Swagger document, its schemas the same objects as there.

    Returns:
        It, and `{reference to a parameter or response: what that is in it}`. References to schemas
        are left as they are written.
    """
    root = canonical_root(document)
    own = {"schemas": document["definitions"]} if is_object(document.get("definitions")) else {}
    shared: dict[str, str] = {}
    for key, name, kind, node in _shared(document):
        own.setdefault(kind, {})[name] = node
        shared[f"#{pointer_of(key, name)}"] = f"#{pointer_of('components', kind, name)}"
    if own:
        root["components"] = {**root.get("components", {}), **own}
    paths = document.get("paths")
    if is_object(paths):
        root["paths"] = {
            path: item if path.startswith("x-") else _path_item(document, item, shared)
            for path, item in paths.items()
        }
    return root, shared


def _shared(document: JsonObject) -> Iterator[tuple[str, str, str, JsonObject]]:
    """`(key, name, kind of component, object)` of the reusable parameters and responses."""
    for key, convert in (("parameters", _parameter), ("responses", _response)):
        several = document.get(key)
        for name, node in several.items() if is_object(several) else ():
            if (converted := convert(document, node)) is not None:
                yield key, name, *converted


def _parameter(document: JsonObject, node: Json) -> tuple[str, JsonObject] | None:
    doubts: list[Doubt] = []
    found = given(document, {"parameters": [node]}, "operation", doubts)
    if not found:
        return None
    body = request_body(found, media_types(document, {}, "consumes"), doubts)
    if body is not None:
        return "requestBodies", body
    return "parameters", parameter_object(found[0], doubts)


def _response(document: JsonObject, node: Json) -> tuple[str, JsonObject] | None:
    try:
        response = follow(document, node)
    except UnresolvedReference:
        return None
    if not is_object(response):
        return None
    return "responses", response_object(response, media_types(document, {}, "produces"))


def _path_item(document: JsonObject, item: Json, shared: Mapping[str, str]) -> Json:
    """The item with its parameters in its operations, where a body has its place."""
    try:
        found = follow(document, item)
    except UnresolvedReference:
        return item
    if not is_object(found):
        return item
    return {
        (key.lower() if key.lower() in _METHODS else key): (
            operation_object(document, found, each, shared)[0]
            if key.lower() in _METHODS and is_object(each)
            else each
        )
        for key, each in found.items()
        if key != "parameters" or not is_array(each)
    }
