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
from restwright.openapi.read.cursor import Place, Reading, flag_of, followed, merged_item, text_of
from restwright.openapi.references import pointer_of

ADDITIONAL = "additionalOperations"
"""The key of the operations whose methods have no key of their own."""

# As routers write them: `:id`, `:id?`, `:path*`, `:id(\\d+)`. What stands in braces is a name.
_COLON = re.compile(
    r"\{[^{}]*\}|:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:\([^()/]*\))?(?:[?*+](?=/|\Z))?"
)
_QUERY = re.compile(r"\?(?!/|\Z)|#")

_ITEM_KEYS = frozenset({"$ref", "summary", "description", "servers", "parameters"})


class Row(NamedTuple):
    """What is read of an operation at once, named as in `Operation`."""

    method: Method
    path: str
    pointer: str
    operation_id: str | None
    summary: str
    tags: tuple[str, ...]
    deprecated: bool


def rows_of_paths(root: JsonObject, reading: Reading) -> Iterator[Row]:
    """
    Every operation under `paths`, in document order.

    Source: OAS 3.2, "Paths Object" and "Path Item Object".
    """
    paths = root.get("paths")
    if not is_object(paths):
        _say_why(root, reading)
        return
    top = Place(paths, reading, "/paths")
    for path, item in paths.items():
        pointer = "/paths/" + path.replace("~", "~0").replace("/", "~1")
        if not is_object(item) or "$ref" in item:
            place = _item_of(top, path)
            if place is not None:
                yield from rows_of_item(place, pointer, _template(path, place))
        elif path[:1] == "/" and ":" not in path:
            yield from _rows(item, pointer, path, Place(item, reading, path, top))
        elif not path.startswith("x-"):
            place = Place(item, reading, path, top)
            yield from rows_of_item(place, pointer, _template(path, place))


def own_servers_of_paths(root: JsonObject) -> list[JsonObject]:
    """
    Of every operation the object whose `servers` it has, the root where neither it nor its path
    has any; empty where that is so of all.

    Source: OAS 3.2, "Operation Object" and "Path Item Object", `servers`.
    """
    paths = root.get("paths")
    items = [each for each in paths.values() if is_object(each)] if is_object(paths) else []
    levels = [
        next((level for level in (node, item) if "servers" in level), root)
        for item in items
        for key, node in item.items()
        if key in METHODS and is_object(node)
    ]
    return levels if any(each is not root for each in levels) else []


def rows_of_webhooks(root: JsonObject, reading: Reading) -> Iterator[Row]:
    """Every operation under `webhooks`; its path is the name of the webhook."""
    for name, item in Place(root, reading).members("webhooks"):
        yield from rows_of_item(item, pointer_of("webhooks", name), name)


def rows_of_item(item: Place, pointer: str, path: str) -> Iterator[Row]:
    """The operations of one Path Item Object, which `pointer` leads to."""
    return _rows(item.node, pointer, path, item)


def _rows(item: JsonObject, pointer: str, path: str, place: Place) -> Iterator[Row]:
    for key in item:
        if key in METHODS:
            node = item[key]
            if is_object(node) and "$ref" not in node:
                yield _row(METHODS[key], path, f"{pointer}/{key}", node, item)
            else:
                yield from _doubtful(key, pointer, path, place)
        elif key == ADDITIONAL:
            members = place.object_at(ADDITIONAL)
            for name in members.node:
                yield from _doubtful(name, f"{pointer}/{ADDITIONAL}", path, members)
        elif key.lower() in METHODS:
            place.problem_at(key, "the method is in upper case", action="read in lower case")
            yield from _doubtful(key, pointer, path, place)
        elif key not in _ITEM_KEYS and not key.startswith("x-"):
            _say_unknown(place, key)


def _say_unknown(item: Place, key: str) -> None:
    node = item.node[key]
    if is_object(node) and "responses" in node:
        what = "the method has no key in a Path Item Object; it belongs in `additionalOperations`"
        item.problem_at(key, what, "error", action="left out")
    else:
        item.problem_at(key, "is no key of a Path Item Object", action="ignored")


def _doubtful(key: str, pointer: str, path: str, above: Place) -> Iterator[Row]:
    """The operation under `key` where it may be none, or stand somewhere else."""
    node = above.node[key]
    if key.startswith("x-"):
        return
    found = followed(Place(node, above.reading, key, above)).node
    if is_object(found):
        method = METHODS.get(key.lower()) or Method(key)
        yield _row(method, path, pointer + pointer_of(key), found, above.node)
    elif not is_object(node):
        above.problem_at(key, "is no Operation Object", "error", action="left out")
    elif found is not None:
        above.problem_at(key, "refers to no Operation Object", "error", action="left out")


def _row(method: Method, path: str, pointer: str, node: JsonObject, item: JsonObject) -> Row:
    tags = node.get("tags")
    return Row(
        method,
        path,
        pointer,
        text_of(node.get("operationId")) or None,
        text_of(node.get("summary") or item.get("summary")),
        tuple([each for each in tags if isinstance(each, str)]) if is_array(tags) else (),
        "deprecated" in node and flag_of(node["deprecated"]) is True,
    )


def _item_of(top: Place, path: str) -> Place | None:
    """The Path Item Object under `path`, its reference followed; None where there is none."""
    node = top.node[path]
    if path.startswith("x-"):
        return None
    place = followed(Place(node, top.reading, path, top))
    if not is_object(place.node):
        if node is None:
            top.problem_at(path, "is empty", action="there are no operations")
        elif not is_object(node):
            top.problem_at(path, "is no Path Item Object", "error", action="left out")
        elif place.node is not None:
            top.problem_at(path, "refers to no Path Item Object", "error", action="left out")
        return None
    return merged_item(node, place)


def _template(path: str, place: Place) -> str:
    if not path.startswith("/"):
        place.problem("the path does not begin with `/`", action=f"read as /{path}")
        path = f"/{path}"
    return _in_braces(path, place) if ":" in path else path


def _in_braces(path: str, place: Place) -> str:
    """`/b/:id` as `/b/{id}`; what is no parameter, as in `/b/{id}:cancel`, stays."""

    def braced(match: re.Match[str]) -> str:
        name = match["name"]
        begins = path[match.start() - 1] == "/"
        is_parameter = name and (begins or name in _declared(place))
        return f"{{{name}}}" if is_parameter else match[0]

    query = _QUERY.search(path)
    end = query.start() if query else len(path)
    found = _COLON.sub(braced, path[:end]) + path[end:]
    if found != path:
        place.problem("the path writes parameters with a colon", action=f"read as {found}")
    return found


def _declared(item: Place) -> set[str]:
    """The names of the path parameters that a Path Item Object or one of its operations has."""
    levels = [item, *(item.object_at(key) for key in item.node if key in METHODS)]
    parameters = [followed(each).node for level in levels for each in level.elements("parameters")]
    return {
        text_of(each.get("name"))
        for each in parameters
        if is_object(each) and each.get("in") == "path"
    }


def _say_why(root: JsonObject, reading: Reading) -> None:
    """Say why there are no operations, unless other parts are what the document is for."""
    paths = root.get("paths")
    if paths is not None:
        reading.problem("/paths", "is no object", "error", "there are no operations")
    elif "paths" in root:
        reading.problem("/paths", "is empty", "warning", "there are no operations")
    elif not ({"webhooks", "components"} & root.keys()):
        reading.problem("", "has no `paths`", "warning", "there are no operations")
