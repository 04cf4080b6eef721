"""Where the list of a response stands, and other places in a JSON value."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.jsontypes import Json, JsonObject, is_array, is_object

# What the list of a page is called, the surest first.
_LIST_NAMES = (
    *("items", "data", "results", "records", "entries", "value", "values", "content", "rows"),
    *("hits", "list", "resources", "objects", "elements", "_embedded"),
)
_MAX_DEPTH = 3


def value_at_pointer(value: Json, pointer: str) -> Json:
    """
    Return the part of `value` that a JSON Pointer leads to.

    Raises:
        LookupError: There is none.

    Source: RFC 6901.
    """
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if is_object(value):
            value = value[name]
        elif is_array(value) and name.isascii() and name.isdecimal():
            value = value[int(name[:18])]
        else:
            raise LookupError(pointer)
    return value


def child_pointer(pointer: str, name: str | int) -> str:
    """Return the pointer of a property or an item of what `pointer` leads to."""
    token = str(name).replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{token}"


def find_list_path(value: Json) -> tuple[str, ...] | None:
    """
    Return the names that lead to the list of a page; None where there is none, or several.

    `()` for a value that is a list itself.
    """
    if is_array(value):
        return ()
    return _search_list_path(value, 0) if is_object(value) else None


def _search_list_path(value: JsonObject, depth: int) -> tuple[str, ...] | None:
    lists = [name for name, each in value.items() if is_array(each)]
    named = [name for name in _LIST_NAMES if name in lists]
    if named or len(lists) == 1:
        return ((named or lists)[0],)
    if lists or depth >= _MAX_DEPTH:
        return None
    objects = {name: each for name, each in value.items() if is_object(each)}
    order = [name for name in _LIST_NAMES if name in objects] or list(objects)
    for name in order:
        inner = _search_list_path(objects[name], depth + 1)
        if inner is not None:
            return (name, *inner)
    return None


def items_at(value: Json, path: Sequence[str]) -> list[Json]:
    """Return the list that `path` leads to; empty where there is none."""
    for name in path:
        value = value.get(name) if is_object(value) else None
    return list(value) if is_array(value) else []


def replace_items(value: Json, path: Sequence[str], items: list[Json]) -> Json:
    """Return `value` with another list at `path`."""
    if not path:
        return items
    inner = replace_items(value[path[0]], path[1:], items)
    return {**value, path[0]: inner}
