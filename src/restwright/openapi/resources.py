"""
Schema resources: what `$id`, `$anchor` and `$dynamicAnchor` name inside a document.

Most documents have none of them, and then nothing here walks through them.

Source: JSON Schema 2020-12, "Schema Identification", "Dynamic Scope".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag, urljoin

from restwright.errors import UnresolvedReference
from restwright.openapi.references import lookup, member_at, tokens_of
from restwright.typing import Json, JsonObject, is_array, is_object

# Values that are data, in which nothing is a schema.
_DATA = frozenset({"example", "examples", "default", "enum", "const", "value"})
_MAX_SCOPES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A schema with an `$id`, or the document itself."""

    uri: str
    node: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """
    Where a schema stands: its resource, and what dynamic references lead to from here.

    Args:
        number: Different for different scopes; 0 for the document itself, entered from nowhere.
        dynamic: `{dynamic anchor: number of the outermost resource that has it}`.
    """

    number: int
    resource: Resource = field(repr=False, compare=False)
    dynamic: Mapping[str, int] = field(repr=False, compare=False)


class Resources:
    """
    The resources of one document, found when one is first asked for.

    Args:
        document: Its root; `$self` is its URI where it says one.
    """

    def __init__(self, document: JsonObject) -> None:
        """Find nothing yet."""
        own = document.get("$self")
        self._document = Resource(uri=own if isinstance(own, str) else "", node=document)
        self._resources: list[Resource] = [self._document]
        self._numbers: dict[int, int] = {id(document): 0}
        self._by_uri: dict[str, Resource] | None = None
        self._anchors: dict[int, tuple[dict[str, Json], dict[str, Json]]] = {}
        self.root = Scope(0, self._document, {})
        self._scopes: dict[tuple[int, tuple[tuple[str, int], ...]], Scope] = {(0, ()): self.root}

    def entered(self, node: JsonObject, scope: Scope) -> Scope:
        """The scope inside `node`, whose `$id` is a string, coming from `scope`."""
        uri = uri_of(scope.resource.uri, node["$id"])[0]
        return self._scope(Resource(uri=uri, node=node), scope)

    def target(self, ref: str, scope: Scope) -> tuple[Json, Scope]:
        """
        What a `$ref` leads to, and the scope there. References found there are not followed.

        Raises:
            UnresolvedReference: Nothing in the document has that name.
        """
        if scope.number == 0 and (ref == "#" or ref.startswith("#/")):
            return lookup(self._document.node, ref), scope
        uri, fragment = uri_of(scope.resource.uri, ref)
        resource = scope.resource if ref.startswith("#") else self._named(uri, ref)
        return self._inside(resource, unquote(fragment), ref, scope)

    def dynamic_target(self, ref: str, scope: Scope) -> tuple[Json, Scope]:
        """
        What a `$dynamicRef` leads to: the outermost resource on the way here decides.

        Raises:
            UnresolvedReference: As `target()`.
        """
        node, there = self.target(ref, scope)
        anchor = ref.rpartition("#")[2]
        if not is_object(node) or node.get("$dynamicAnchor") != anchor:
            return node, there
        entered = self._dynamic(there)
        if anchor not in entered:
            return node, there
        outermost = self._resources[entered[anchor]]
        return self._anchors_of(outermost)[1][anchor], self._scope(outermost, scope)

    def _inside(
        self, resource: Resource, fragment: str, ref: str, scope: Scope
    ) -> tuple[Json, Scope]:
        inner = self._scope(resource, scope)
        if fragment and not fragment.startswith("/"):
            plain, dynamic = self._anchors_of(resource)
            if fragment not in plain and fragment not in dynamic:
                raise UnresolvedReference(ref, f"no schema there has the anchor {fragment!r}")
            return (plain if fragment in plain else dynamic)[fragment], inner
        node: Json = resource.node
        for token in tokens_of(fragment):
            node = member_at(node, token, ref)
            if is_object(node) and isinstance(node.get("$id"), str):
                inner = self.entered(node, inner)
        return node, inner

    def _named(self, uri: str, ref: str) -> Resource:
        if self._by_uri is None:
            self._by_uri = {self._document.uri: self._document}
            self._by_uri |= {each.uri: each for each in _resources(self._document)}
        if uri not in self._by_uri:
            raise UnresolvedReference(ref, "it points outside the document, which is never fetched")
        return self._by_uri[uri]

    def _scope(self, resource: Resource, outer: Scope) -> Scope:
        if resource.node is outer.resource.node:
            return outer
        number = self._number(resource)
        dynamic = self._dynamic(outer)
        for anchor in self._anchors_of(resource)[1]:
            dynamic.setdefault(anchor, number)
        key = (number, tuple(sorted(dynamic.items())))
        if key not in self._scopes:
            # Far beyond what a document needs; from there on the nearest anchor is taken.
            if len(self._scopes) > _MAX_SCOPES:
                return Scope(number, resource, {})
            place = 0 if number == 0 and not dynamic else len(self._scopes)
            self._scopes[key] = Scope(place, resource, dynamic)
        return self._scopes[key]

    def _dynamic(self, scope: Scope) -> dict[str, int]:
        """The anchors of every resource on the way here, the document's own among them."""
        own = dict.fromkeys(self._anchors_of(scope.resource)[1], self._number(scope.resource))
        return {**own, **scope.dynamic}

    def _number(self, resource: Resource) -> int:
        number = self._numbers.setdefault(id(resource.node), len(self._resources))
        if number == len(self._resources):
            self._resources.append(resource)
        return number

    def _anchors_of(self, resource: Resource) -> tuple[dict[str, Json], dict[str, Json]]:
        """`{name: schema}` of the `$anchor`s and of the `$dynamicAnchor`s of a resource."""
        key = id(resource.node)
        if key not in self._anchors:
            plain: dict[str, Json] = {}
            dynamic: dict[str, Json] = {}
            for node in _nodes(resource.node):
                for keyword, found in (("$anchor", plain), ("$dynamicAnchor", dynamic)):
                    if isinstance(name := node.get(keyword), str):
                        found.setdefault(name, node)
            self._anchors[key] = (plain, dynamic)
        return self._anchors[key]


def uri_of(base: str, ref: str) -> tuple[str, str]:
    """
    `(absolute URI, fragment)` of a reference.

    Source: RFC 3986, "Reference Resolution".
    """
    uri, _, fragment = ref.partition("#")
    return (urldefrag(urljoin(base, uri)).url if uri else base), fragment


def _resources(document: Resource) -> Iterator[Resource]:
    waiting = [document]
    while waiting:
        outer = waiting.pop()
        for node in _nodes(outer.node, inner=True):
            if node is not outer.node and isinstance(node.get("$id"), str):
                uri = uri_of(outer.uri, node["$id"])[0]
                waiting.append(Resource(uri=uri, node=node))
                yield waiting[-1]


def _nodes(root: JsonObject, *, inner: bool = False) -> Iterator[JsonObject]:
    """Every object of a resource; of the resources inside only the roots, and those if `inner`."""
    waiting: list[Json] = [root]
    while waiting:
        node = waiting.pop()
        if is_array(node):
            waiting.extend(reversed(node))
        elif is_object(node):
            is_inner = node is not root and isinstance(node.get("$id"), str)
            if inner or not is_inner:
                yield node
            if not is_inner:
                waiting.extend(
                    each for key, each in reversed(node.items()) if not _is_data(key, each)
                )


def _is_data(key: str, value: Json) -> bool:
    # A property may be called `default`; then its value is a schema, which has other members.
    return key in _DATA and not (is_object(value) and ("$anchor" in value or "$id" in value))

