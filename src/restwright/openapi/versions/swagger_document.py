"""A whole Swagger document as OpenAPI 3.2, with what it shares still shared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import dereference_node, join_pointer
from restwright.openapi.versions.swagger import (
    convert_operation,
    convert_response,
    convert_swagger_root,
    select_media_types,
)
from restwright.openapi.versions.swagger_parameters import (
    ConversionProblem,
    collect_parameters,
    convert_parameter,
    convert_request_body,
)

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})


def convert_swagger_document(document: JsonObject) -> tuple[JsonObject, Mapping[str, str]]:
    """
    The OpenAPI Object of a Swagger document, its schemas the same objects as there.

    Returns:
        It, and `{reference to a parameter or response: what that is in it}`. References to schemas
        are left as they are written.
    """
    root = convert_swagger_root(document)
    own = {"schemas": document["definitions"]} if is_object(document.get("definitions")) else {}
    shared: dict[str, str] = {}
    for key, name, kind, node in _walk_shared_components(document):
        own.setdefault(kind, {})[name] = node
        shared[f"#{join_pointer(key, name)}"] = f"#{join_pointer('components', kind, name)}"
    if own:
        root["components"] = {**root.get("components", {}), **own}
    paths = document.get("paths")
    if is_object(paths):
        root["paths"] = {
            path: item if path.startswith("x-") else _convert_path_item(document, item, shared)
            for path, item in paths.items()
        }
    return root, shared


def _walk_shared_components(document: JsonObject) -> Iterator[tuple[str, str, str, JsonObject]]:
    """`(key, name, kind of component, object)` of the reusable parameters and responses."""
    for key, convert in (("parameters", _convert_parameter), ("responses", _convert_response)):
        several = document.get(key)
        for name, node in several.items() if is_object(several) else ():
            if (converted := convert(document, node)) is not None:
                yield key, name, *converted


def _convert_parameter(document: JsonObject, node: Json) -> tuple[str, JsonObject] | None:
    doubts: list[ConversionProblem] = []
    found = collect_parameters(document, {"parameters": [node]}, "operation", doubts)
    if not found:
        return None
    body = convert_request_body(found, select_media_types(document, {}, "consumes"), doubts)
    if body is not None:
        return "requestBodies", body
    return "parameters", convert_parameter(found[0], doubts)


def _convert_response(document: JsonObject, node: Json) -> tuple[str, JsonObject] | None:
    try:
        response = dereference_node(document, node)
    except UnresolvedReference:
        return None
    if not is_object(response):
        return None
    return "responses", convert_response(response, select_media_types(document, {}, "produces"))


def _convert_path_item(document: JsonObject, item: Json, shared: Mapping[str, str]) -> Json:
    """The item with its parameters in its operations, where a body has its place."""
    try:
        found = dereference_node(document, item)
    except UnresolvedReference:
        return item
    if not is_object(found):
        return item
    return {
        (key.lower() if key.lower() in _METHODS else key): (
            convert_operation(document, found, each, shared)[0]
            if key.lower() in _METHODS and is_object(each)
            else each
        )
        for key, each in found.items()
        if key != "parameters" or not is_array(each)
    }
