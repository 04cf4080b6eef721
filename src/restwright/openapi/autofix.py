"""An overlay that mends what the linter finds and code can mend, for a person to go on from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import API, Operation
from restwright.openapi.references import dereference_node, split_pointer

VERSION = "1.1.0"

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEMPLATED = re.compile(r"\{([^{}/]+)\}")
_ESCAPED = {"'": r"\'", "\\": r"\\"} | {
    chr(code): f"\\u{code:04x}" for code in (*range(32), 127, 0x2028, 0x2029)
}

Fix = Callable[[Operation, API, Mapping[str, str]], JsonObject]


def propose_overlay(api: API, names: Mapping[str, str], *, extends: str = "") -> JsonObject | None:
    """
    Propose an overlay.

    Args:
        names: What each operation is called now, by its pointer: it keeps that name.
        extends: What the overlay says it is for.

    Returns:
        An Overlay Object; None where there is nothing that can be mended.
    """
    found = [
        (operation, update)
        for operation in api.operations
        if (update := _propose_update(operation, api, names))
    ]
    actions = [
        {"target": to_json_path(operation.pointer), "update": update}
        for operation, update in found
        if is_object(_find_node(api, operation.pointer))
    ]
    if not actions:
        return None
    info = {"title": f"What {api.title or 'the document'} leaves open", "version": "1.0.0"}
    return {
        "overlay": VERSION,
        "info": info,
        **({"extends": extends} if extends else {}),
        "actions": actions,
    }


def to_json_path(pointer: str) -> str:
    """
    The JSONPath query of one place.

    Source: RFC 9535, "Child Segment" and "Name Selector".
    """
    return "$" + "".join(map(_to_segment, split_pointer(pointer)))


def _to_segment(token: str) -> str:
    if _PLAIN_NAME.fullmatch(token):
        return f".{token}"
    return f"['{''.join(_ESCAPED.get(character, character) for character in token)}']"


def _propose_update(operation: Operation, api: API, names: Mapping[str, str]) -> JsonObject:
    """What is merged into an operation; empty where nothing is to be mended."""
    update: JsonObject = {}
    for mend in _FIXES:
        update.update(mend(operation, api, names))
    return update


def _propose_operation_id(operation: Operation, api: API, names: Mapping[str, str]) -> JsonObject:
    """A missing id, and one that another operation before it has."""
    name = names.get(operation.pointer)
    if not name or name == operation.operation_id:
        return {}
    is_needed = operation.operation_id is None or _is_repeated(operation.operation_id, api)
    return {"operationId": name} if is_needed else {}


def _is_repeated(operation_id: str, api: API) -> bool:
    return sum(operation.operation_id == operation_id for operation in api.operations) > 1


def _propose_summary(operation: Operation, api: API, names: Mapping[str, str]) -> JsonObject:
    del api, names
    if operation.headline:
        return {}
    return {"summary": f"TODO: say what {operation.method.upper()} {operation.path} does"}


def _propose_parameters(operation: Operation, api: API, names: Mapping[str, str]) -> JsonObject:
    """Parameters that the path names and nobody describes."""
    del names
    described = _find_path_parameters(operation, api)
    missing = [
        name for name in dict.fromkeys(_TEMPLATED.findall(operation.path)) if name not in described
    ]
    if not missing:
        return {}
    of_swagger = api.specification == "2.0"
    kind: JsonObject = {"type": "string"} if of_swagger else {"schema": {"type": "string"}}
    text = "TODO: say what it is"
    return {
        "parameters": [
            {"name": name, "in": "path", "required": True, "description": text, **kind}
            for name in missing
        ]
    }


def _find_path_parameters(operation: Operation, api: API) -> set[str]:
    """Names of path parameters that the operation or its path item describes."""
    found: set[str] = set()
    for pointer in (operation.pointer, operation.pointer.rpartition("/")[0]):
        node = _find_node(api, pointer)
        written = node.get("parameters") if is_object(node) else None
        for item in written if is_array(written) else ():
            try:
                parameter = dereference_node(api.document, item)
            except UnresolvedReference:
                continue
            if is_object(parameter) and parameter.get("in") == "path":
                found.add(str(parameter.get("name")))
    return found


_FIXES: tuple[Fix, ...] = (_propose_operation_id, _propose_summary, _propose_parameters)


def _find_node(api: API, pointer: str) -> Json:
    """What stands at `pointer` of the document; None where a reference leads on."""
    node: Json = api.document
    for token in split_pointer(pointer):
        node = node.get(token) if is_object(node) else None
    return node


def count_additions(overlay: JsonObject) -> Iterator[tuple[str, int]]:
    """What an overlay of `propose_overlay()` adds: a kind of thing, and how many of them."""
    updates = [action["update"] for action in overlay["actions"]]
    for key, kind in (("operationId", "operationId"), ("summary", "summary")):
        yield kind, sum(key in update for update in updates)
    yield "path parameter", sum(len(update.get("parameters", ())) for update in updates)
