"""
One walk over `paths`: what a list of operations needs, and nothing else.

It runs over every operation of every document that is opened, so it makes no cursor and no value
for what is as it should be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from restwright.jsontypes import JsonObject, is_array, is_object
from restwright.openapi.model import METHODS, Method
from restwright.openapi.read.cursor import (
    Cursor,
    ReadContext,
    boolean_from_scalar,
    dereference_cursor,
    merge_path_item,
    text_from_scalar,
)
from restwright.openapi.references import join_pointer

ADDITIONAL = "additionalOperations"
"""The key of the operations whose methods have no key of their own."""

# As routers write them: `:id`, `:id?`, `:path*`, `:id(\\d+)`. What stands in braces is a name.
_COLON = re.compile(
    r"\{[^{}]*\}|:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:\([^()/]*\))?(?:[?*+](?=/|\Z))?"
)
_QUERY = re.compile(r"\?(?!/|\Z)|#")

_ITEM_KEYS = frozenset({"$ref", "summary", "description", "servers", "parameters"})


class OperationRow(NamedTuple):
    """What is read of an operation at once, named as in `Operation`."""

    method: Method
    path: str
    pointer: str
    operation_id: str | None
    summary: str
    tags: tuple[str, ...]
    deprecated: bool


def walk_paths(root: JsonObject, reading: ReadContext) -> Iterator[OperationRow]:
    """
    Every operation under `paths`, in document order.

    Source: OAS 3.2, "Paths Object" and "Path Item Object".
    """
    paths = root.get("paths")
    if not is_object(paths):
        _report_missing_paths(root, reading)
        return
    top = Cursor(paths, reading, "/paths")
    for path, item in paths.items():
        pointer = "/paths/" + path.replace("~", "~0").replace("/", "~1")
        if not is_object(item) or "$ref" in item:
            place = _find_item(top, path)
            if place is not None:
                yield from walk_path_item(place, pointer, _normalize_path(path, place))
        elif path[:1] == "/" and ":" not in path:
            yield from _walk_rows(item, pointer, path, Cursor(item, reading, path, top))
        elif not path.startswith("x-"):
            place = Cursor(item, reading, path, top)
            yield from walk_path_item(place, pointer, _normalize_path(path, place))


def find_server_levels(root: JsonObject) -> list[JsonObject]:
    """
    Of every operation the object whose `servers` it has, the root where neither it nor its path
    has any; empty where that is so of all.

    Source: OAS 3.2, "Operation Object" and "Path Item Object", `servers`.
    """
    paths = root.get("paths")
    items = [path for path in paths.values() if is_object(path)] if is_object(paths) else []
    levels = [
        next((level for level in (node, item) if "servers" in level), root)
        for item in items
        for key, node in item.items()
        if key in METHODS and is_object(node)
    ]
    return levels if any(level is not root for level in levels) else []


def walk_webhooks(root: JsonObject, reading: ReadContext) -> Iterator[OperationRow]:
    """Every operation under `webhooks`; its path is the name of the webhook."""
    for name, item in Cursor(root, reading).members("webhooks"):
        yield from walk_path_item(item, join_pointer("webhooks", name), name)


def walk_path_item(item: Cursor, pointer: str, path: str) -> Iterator[OperationRow]:
    """The operations of one Path Item Object, which `pointer` leads to."""
    return _walk_rows(item.node, pointer, path, item)


def _walk_rows(item: JsonObject, pointer: str, path: str, place: Cursor) -> Iterator[OperationRow]:
    for key in item:
        if key in METHODS:
            node = item[key]
            if is_object(node) and "$ref" not in node:
                yield _make_row(METHODS[key], path, f"{pointer}/{key}", node, item)
            else:
                yield from _parse_doubtful_operation(key, pointer, path, place)
        elif key == ADDITIONAL:
            members = place.object_at(ADDITIONAL)
            for name in members.node:
                yield from _parse_doubtful_operation(name, f"{pointer}/{ADDITIONAL}", path, members)
        elif key.lower() in METHODS:
            place.add_problem_at(key, "the method is in upper case", action="read in lower case")
            yield from _parse_doubtful_operation(key, pointer, path, place)
        elif key not in _ITEM_KEYS and not key.startswith("x-"):
            _report_unknown_key(place, key)


def _report_unknown_key(item: Cursor, key: str) -> None:
    node = item.node[key]
    if is_object(node) and "responses" in node:
        what = "the method has no key in a Path Item Object; it belongs in `additionalOperations`"
        item.add_problem_at(key, what, "error", action="left out")
    else:
        item.add_problem_at(key, "is no key of a Path Item Object", action="ignored")


def _parse_doubtful_operation(
    key: str, pointer: str, path: str, parent: Cursor
) -> Iterator[OperationRow]:
    """The operation under `key` where it may be none, or stand somewhere else."""
    node = parent.node[key]
    if key.startswith("x-"):
        return
    found = dereference_cursor(Cursor(node, parent.context, key, parent)).node
    if is_object(found):
        method = METHODS.get(key.lower()) or Method(key)
        yield _make_row(method, path, pointer + join_pointer(key), found, parent.node)
    elif not is_object(node):
        parent.add_problem_at(key, "is no Operation Object", "error", action="left out")
    elif found is not None:
        parent.add_problem_at(key, "refers to no Operation Object", "error", action="left out")


def _make_row(
    method: Method, path: str, pointer: str, node: JsonObject, item: JsonObject
) -> OperationRow:
    tags = node.get("tags")
    return OperationRow(
        method,
        path,
        pointer,
        text_from_scalar(node.get("operationId")) or None,
        text_from_scalar(node.get("summary") or item.get("summary")),
        tuple([tag for tag in tags if isinstance(tag, str)]) if is_array(tags) else (),
        "deprecated" in node and boolean_from_scalar(node["deprecated"]) is True,
    )


def _find_item(top: Cursor, path: str) -> Cursor | None:
    """The Path Item Object under `path`, its reference followed; None where there is none."""
    node = top.node[path]
    if path.startswith("x-"):
        return None
    place = dereference_cursor(Cursor(node, top.context, path, top))
    if not is_object(place.node):
        if node is None:
            top.add_problem_at(path, "is empty", action="there are no operations")
        elif not is_object(node):
            top.add_problem_at(path, "is no Path Item Object", "error", action="left out")
        elif place.node is not None:
            top.add_problem_at(path, "refers to no Path Item Object", "error", action="left out")
        return None
    return merge_path_item(node, place)


def _normalize_path(path: str, place: Cursor) -> str:
    if not path.startswith("/"):
        place.add_problem("the path does not begin with `/`", action=f"read as /{path}")
        path = f"/{path}"
    return _brace_colon_parameters(path, place) if ":" in path else path


def _brace_colon_parameters(path: str, place: Cursor) -> str:
    """`/b/:id` as `/b/{id}`; what is no parameter, as in `/b/{id}:cancel`, stays."""

    def braced(match: re.Match[str]) -> str:
        name = match["name"]
        begins = path[match.start() - 1] == "/"
        is_parameter = name and (begins or name in _path_parameter_names(place))
        return f"{{{name}}}" if is_parameter else match[0]

    query = _QUERY.search(path)
    end = query.start() if query else len(path)
    found = _COLON.sub(braced, path[:end]) + path[end:]
    if found != path:
        place.add_problem("the path writes parameters with a colon", action=f"read as {found}")
    return found


def _path_parameter_names(item: Cursor) -> set[str]:
    """The names of the path parameters that a Path Item Object or one of its operations has."""
    levels = [item, *(item.object_at(key) for key in item.node if key in METHODS)]
    parameters = [
        dereference_cursor(element).node
        for level in levels
        for element in level.elements("parameters")
    ]
    return {
        text_from_scalar(parameter.get("name"))
        for parameter in parameters
        if is_object(parameter) and parameter.get("in") == "path"
    }


def _report_missing_paths(root: JsonObject, reading: ReadContext) -> None:
    """Say why there are no operations, unless other parts are what the document is for."""
    paths = root.get("paths")
    if paths is not None:
        reading.add_problem("/paths", "is no object", "error", "there are no operations")
    elif "paths" in root:
        reading.add_problem("/paths", "is empty", "warning", "there are no operations")
    elif not ({"webhooks", "components"} & root.keys()):
        reading.add_problem("", "has no `paths`", "warning", "there are no operations")
