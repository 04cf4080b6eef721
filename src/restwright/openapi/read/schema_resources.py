"""
Schema resources: what `$id`, `$anchor` and `$dynamicAnchor` name inside a document.

Most documents have none of them, and then nothing here walks through them.

Source: JSON Schema 2020-12, "Schema Identification", "Dynamic Scope".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag, urljoin

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import (
    child_nodes,
    find_ref,
    find_unresolved_references,
    resolve_reference_token,
    split_pointer,
    walk_references,
)

_NAMES = frozenset({"$id", "$anchor", "$dynamicAnchor"})
_COMPONENT = re.compile(r"[A-Za-z0-9._-]+")
_MAX_SCOPES = 1000
# References that are followed one after the other.
_MAX_CHAIN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaResource:
    """A schema with an `$id`, or the document itself."""

    uri: str
    node: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class DynamicScope:
    """
    Where a schema stands: its resource, and what dynamic references lead to from here.

    Args:
        number: Different for different scopes; 0 for the document itself, entered from nowhere.
        dynamic: `{dynamic anchor: number of the outermost resource that has it}`.
    """

    number: int
    resource: SchemaResource = field(repr=False, compare=False)
    dynamic: Mapping[str, int] = field(repr=False, compare=False)


class SchemaResources:
    """
    The resources of one document, found when one is first asked for.

    Args:
        document: Its root; `$self` is its URI where it says one.
    """

    def __init__(self, document: JsonObject) -> None:
        """Find nothing yet."""
        own = document.get("$self")
        self._document = SchemaResource(uri=own if isinstance(own, str) else "", node=document)
        self._resources: list[SchemaResource] = [self._document]
        self._numbers: dict[int, int] = {id(document): 0}
        self._by_uri: dict[str, SchemaResource] | None = None
        self._components: dict[int, str] | None = None
        self._anchors: dict[int, tuple[dict[str, Json], dict[str, Json]]] = {}
        self.root = DynamicScope(0, self._document, {})
        self._scopes: dict[tuple[int, tuple[tuple[str, int], ...]], DynamicScope] = {
            (0, ()): self.root
        }

    def enter(self, node: JsonObject, scope: DynamicScope) -> DynamicScope:
        """The scope inside `node`, whose `$id` is a string, coming from `scope`."""
        uri = resolve_uri(scope.resource.uri, node["$id"])[0]
        return self._scope(SchemaResource(uri=uri, node=node), scope)

    def resolve_ref(self, ref: str, scope: DynamicScope) -> tuple[Json, DynamicScope]:
        """
        What a `$ref` leads to, and the scope there. References found there are not followed.

        Raises:
            UnresolvedReference: Nothing in the document has that name.
        """
        if scope.number == 0 and (ref == "#" or ref.startswith("#/")):
            return self._locate(split_pointer(unquote(ref[1:])), ref)
        uri, fragment = resolve_uri(scope.resource.uri, ref)
        resource = scope.resource if ref.startswith("#") else self._resolve_uri(uri, ref)
        return self._resolve_fragment(resource, unquote(fragment), ref, scope)

    def resolve_dynamic_ref(self, ref: str, scope: DynamicScope) -> tuple[Json, DynamicScope]:
        """
        What a `$dynamicRef` leads to: the outermost resource on the way here decides.

        Raises:
            UnresolvedReference: As `resolve_ref()`.
        """
        node, there = self.resolve_ref(ref, scope)
        anchor = ref.rpartition("#")[2]
        if not is_object(node) or node.get("$dynamicAnchor") != anchor:
            return node, there
        entered = self._dynamic_anchors(there)
        if anchor not in entered:
            return node, there
        outermost = self._resources[entered[anchor]]
        return self._anchors_of(outermost)[1][anchor], self._scope(outermost, scope)

    def locate(self, pointer: str) -> tuple[Json, DynamicScope]:
        """
        What stands at a pointer of the document, and the scope in which it stands.

        Raises:
            UnresolvedReference: Nothing stands there.
        """
        return self._locate(split_pointer(pointer), pointer)

    def _locate(self, tokens: tuple[str, ...], ref: str) -> tuple[Json, DynamicScope]:
        node, scope = self._document.node, self.root
        for token in tokens:
            scope = self._scope_inside(node, scope)
            node = resolve_reference_token(node, token, ref)
        return node, scope

    def _scope_inside(self, node: Json, scope: DynamicScope) -> DynamicScope:
        """The scope inside `node`, where that is a resource."""
        is_resource = is_object(node) and isinstance(node.get("$id"), str)
        return self.enter(node, scope) if is_resource else scope

    def follow(self, node: Json, scope: DynamicScope) -> None:
        """
        Go where the references of `node` lead, one after the other.

        Raises:
            UnresolvedReference: One of them leads nowhere, or the chain is a circle.
        """
        seen: set[tuple[int, int]] = set()
        while (ref := find_ref(node)) is not None and len(seen) < _MAX_CHAIN:
            if (id(node), scope.number) in seen:
                raise UnresolvedReference(ref, "the references form a circle")
            seen.add((id(node), scope.number))
            node, scope = self.resolve_ref(ref, self._scope_inside(node, scope))

    def component_name(self, node: Json, scope: DynamicScope) -> str | None:
        """The name of the component that a schema is; None where that has no legal one."""
        if self._components is None:
            root = self._document.node
            components = root.get("components")
            places = [root.get("definitions"), is_object(components) and components.get("schemas")]
            named = [item for place in places if is_object(place) for item in place.items()]
            self._components = {id(each): name for name, each in named}
        name = self._components.get(id(node), "")
        is_legal = _COMPONENT.fullmatch(name) is not None
        return name if is_legal and self._scope_inside(node, self.root) == scope else None

    @property
    def has_identifiers(self) -> bool:
        """Whether any schema has a name of its own: an `$id` or an anchor."""
        return any(
            not _NAMES.isdisjoint(node) for node in _walk_nodes(self._document.node, inner=True)
        )

    def _resolve_fragment(
        self, resource: SchemaResource, fragment: str, ref: str, scope: DynamicScope
    ) -> tuple[Json, DynamicScope]:
        inner = self._scope(resource, scope)
        if fragment and not fragment.startswith("/"):
            plain, dynamic = self._anchors_of(resource)
            if fragment not in plain and fragment not in dynamic:
                raise UnresolvedReference(ref, f"no schema there has the anchor {fragment!r}")
            return (plain if fragment in plain else dynamic)[fragment], inner
        node: Json = resource.node
        for token in split_pointer(fragment):
            node = resolve_reference_token(node, token, ref)
            inner = self._scope_inside(node, inner)
        return node, inner

    def _resolve_uri(self, uri: str, ref: str) -> SchemaResource:
        if self._by_uri is None:
            self._by_uri = {self._document.uri: self._document}
            self._by_uri |= {resource.uri: resource for resource in _walk_resources(self._document)}
        if uri not in self._by_uri:
            raise UnresolvedReference(ref, "it points outside the document, which is never fetched")
        return self._by_uri[uri]

    def _scope(self, resource: SchemaResource, outer: DynamicScope) -> DynamicScope:
        if resource.node is outer.resource.node:
            return outer
        number = self._number(resource)
        dynamic = self._dynamic_anchors(outer)
        for anchor in self._anchors_of(resource)[1]:
            dynamic.setdefault(anchor, number)
        key = (number, tuple(sorted(dynamic.items())))
        if key not in self._scopes:
            # Far beyond what a document needs; from there on the nearest anchor is taken.
            if len(self._scopes) > _MAX_SCOPES:
                return DynamicScope(number, resource, {})
            place = 0 if number == 0 and not dynamic else len(self._scopes)
            self._scopes[key] = DynamicScope(place, resource, dynamic)
        return self._scopes[key]

    def _dynamic_anchors(self, scope: DynamicScope) -> dict[str, int]:
        """The anchors of every resource on the way here, the document's own among them."""
        own = dict.fromkeys(self._anchors_of(scope.resource)[1], self._number(scope.resource))
        return {**own, **scope.dynamic}

    def _number(self, resource: SchemaResource) -> int:
        number = self._numbers.setdefault(id(resource.node), len(self._resources))
        if number == len(self._resources):
            self._resources.append(resource)
        return number

    def _anchors_of(self, resource: SchemaResource) -> tuple[dict[str, Json], dict[str, Json]]:
        """`{name: schema}` of the `$anchor`s and of the `$dynamicAnchor`s of a resource."""
        key = id(resource.node)
        if key not in self._anchors:
            plain: dict[str, Json] = {}
            dynamic: dict[str, Json] = {}
            for node in _walk_nodes(resource.node):
                for keyword, found in (("$anchor", plain), ("$dynamicAnchor", dynamic)):
                    if isinstance(name := node.get(keyword), str):
                        found.setdefault(name, node)
            self._anchors[key] = (plain, dynamic)
        return self._anchors[key]


def find_dangling_references(document: JsonObject) -> Iterator[tuple[str, UnresolvedReference]]:
    """Walk the whole document; yield `(pointer, error)` for every `$ref` that leads nowhere."""
    resources = SchemaResources(document)
    if not resources.has_identifiers:
        yield from find_unresolved_references(document)
        return
    for pointer, _ in walk_references(document):
        try:
            resources.follow(*resources.locate(pointer.removesuffix("/$ref")))
        except UnresolvedReference as error:
            yield pointer, error


def resolve_uri(base: str, ref: str) -> tuple[str, str]:
    """
    `(absolute URI, fragment)` of a reference.

    Source: RFC 3986, "Reference Resolution".
    """
    uri, _, fragment = ref.partition("#")
    return (urldefrag(urljoin(base, uri)).url if uri else base), fragment


def _walk_resources(document: SchemaResource) -> Iterator[SchemaResource]:
    waiting = [document]
    while waiting:
        outer = waiting.pop()
        for node in _walk_nodes(outer.node, inner=True):
            if node is not outer.node and isinstance(node.get("$id"), str):
                uri = resolve_uri(outer.uri, node["$id"])[0]
                waiting.append(SchemaResource(uri=uri, node=node))
                yield waiting[-1]


def _walk_nodes(root: JsonObject, *, inner: bool = False) -> Iterator[JsonObject]:
    """Every object of a resource; of the resources inside only the roots, and those if `inner`."""
    waiting: list[tuple[Json, bool]] = [(root, False)]
    while waiting:
        node, is_named = waiting.pop()
        is_inner = False
        if is_object(node) and not is_named:
            is_inner = node is not root and isinstance(node.get("$id"), str)
            if inner or not is_inner:
                yield node
        if not is_inner:
            below = [(each, is_map) for _, each, is_map in child_nodes(node, is_named=is_named)]
            waiting.extend(reversed(below))
