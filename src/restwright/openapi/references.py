"""
Local `$ref`s and JSON Pointers. Nothing here reads a file or the network: a reference that leaves
the document cannot be resolved, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote, urldefrag, urljoin

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object

# Keys of an OpenAPI document whose values are examples or data, where `$ref` is not a reference.
_DATA = frozenset({"example", "examples", "default", "enum", "const", "value", "dataValue"})
# Keys of objects whose own keys are names: a response or a property may be called `default`.
_NAMED = frozenset(
    {
        *("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"),
        *("schemas", "responses", "parameters", "headers", "requestBodies", "links", "callbacks"),
    }
)


def join_pointer(*tokens: str | int) -> str:
    """
    The JSON Pointer of `tokens`; empty for none.

    Source: RFC 6901, "Syntax".
    """
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in tokens)


@lru_cache(maxsize=4096)
def split_pointer(pointer: str) -> tuple[str, ...]:
    """
    The reference tokens of a JSON Pointer that begins with `/` or is empty.

    Source: RFC 6901, "Evaluation" (`~1` is read before `~0`).
    """
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])


def lookup_reference(document: JsonObject, ref: str) -> Json:
    """
    What `ref` points at, without following a reference found there.

    Raises:
        UnresolvedReference: It leaves the document, or nothing is there.
    """
    uri, _, fragment = ref.partition("#")
    if uri and not _is_own_uri(uri, document.get("$self")):
        raise UnresolvedReference(ref, "it points outside the document, which is never fetched")
    pointer = unquote(fragment)
    if pointer and not pointer.startswith("/"):
        raise UnresolvedReference(ref, f"nothing has the anchor {pointer!r}")
    node: Json = document
    for token in split_pointer(pointer):
        node = resolve_reference_token(node, token, ref)
    return node


def _is_own_uri(uri: str, own: Json) -> bool:
    """Whether a reference leads to the document itself (OAS 3.2, "OpenAPI Object", `$self`)."""
    return isinstance(own, str) and urljoin(own, uri) == urldefrag(own).url


def resolve_reference(document: JsonObject, ref: str) -> Json:
    """
    What `ref` points at, following chains of references to their end.

    Raises:
        UnresolvedReference: It leaves the document, nothing is there, or the chain is a circle.
    """
    return dereference_node(document, {"$ref": ref})


def dereference_node(document: JsonObject, node: Json) -> Json:
    """
    `node` itself, or the end of the chain where it is a Reference Object.

    Raises:
        UnresolvedReference: As `resolve_reference()`.
    """
    seen: set[str] = set()
    while (ref := find_ref(node)) is not None:
        if ref in seen:
            raise UnresolvedReference(ref, "the references form a circle")
        seen.add(ref)
        node = lookup_reference(document, ref)
    return node


def find_ref(node: Json) -> str | None:
    """The `$ref` of a Reference Object or schema; None where `node` is no reference."""
    ref = node.get("$ref") if is_object(node) else None
    return ref if isinstance(ref, str) else None


def find_unresolved_references(document: JsonObject) -> Iterator[tuple[str, UnresolvedReference]]:
    """
    Walk the whole document; yield `(pointer, error)` for every `$ref` that leads nowhere.

    Anchors and the `$id`s of schemas are not known here; see `dangling()` of `resources`.
    """
    known: dict[str, UnresolvedReference | None] = {}
    for pointer, ref in walk_references(document):
        if (error := _find_reference_error(document, ref, known)) is not None:
            yield pointer, error


def _find_reference_error(
    document: JsonObject, ref: str, known: dict[str, UnresolvedReference | None]
) -> UnresolvedReference | None:
    """Why `ref` leads nowhere; each reference of a chain is looked up once over all calls."""
    chain: dict[str, None] = {}
    error: UnresolvedReference | None = None
    following: str | None = ref
    while following is not None and following not in known:
        if following in chain:
            error = UnresolvedReference(following, "the references form a circle")
            break
        chain[following] = None
        try:
            following = find_ref(lookup_reference(document, following))
        except UnresolvedReference as found:
            error = found
            break
    else:
        error = known[following] if following is not None else None
    known.update(dict.fromkeys(chain, error))
    return error


def walk_references(document: JsonObject) -> Iterator[tuple[str, str]]:
    """`(pointer, reference)` of every `$ref` in a document, data left out."""
    waiting: list[tuple[str, Json, bool]] = [("", document, False)]
    while waiting:
        pointer, node, is_named = waiting.pop()
        if not is_named and (ref := find_ref(node)) is not None:
            yield join_pointer(*split_pointer(pointer), "$ref"), ref
        waiting.extend(reversed(list(_walk_children(pointer, node, is_named=is_named))))


def _walk_children(pointer: str, node: Json, *, is_named: bool) -> Iterator[tuple[str, Json, bool]]:
    for key, value, is_map in child_nodes(node, is_named=is_named):
        yield pointer + join_pointer(key), value, is_map


def child_nodes(node: Json, *, is_named: bool) -> Iterator[tuple[str | int, Json, bool]]:
    """
    `(key, value, whether the keys of value are names)` of the objects and lists in a node.

    Args:
        is_named: Whether its keys are names; else those of examples and data are left out.
    """
    members: Iterable[tuple[str | int, Json]] = ()
    if is_array(node):
        members = enumerate(node)
    elif is_object(node):
        members = node.items()
    for key, value in members:
        is_data = not is_named and (key in _DATA or str(key).startswith("x-"))
        if (is_object(value) or is_array(value)) and not is_data:
            yield key, value, not is_named and key in _NAMED


def resolve_reference_token(node: Json, token: str, ref: str) -> Json:
    """
    The member of an object or list that a reference token names.

    Raises:
        UnresolvedReference: There is none; `ref` is what was to be resolved.
    """
    if is_object(node) and token in node:
        return node[token]
    if is_array(node) and token.isdecimal() and int(token) < len(node):
        return node[int(token)]
    raise UnresolvedReference(ref, f"there is no {token!r} on the way")
