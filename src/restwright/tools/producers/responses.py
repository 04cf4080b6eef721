"""The fields of many responses of one document, read as they are written; each schema once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Operation
from restwright.openapi.references import lookup, ref_of
from restwright.tools.producers.fields import (
    ELEMENT,
    MAX_DEPTH,
    Facts,
    Field,
    Words,
    facts_of,
    holders_of,
)
from restwright.tools.text.media_types import best, is_json
from restwright.tools.text.words import words_of

_COMPOSED = ("allOf", "anyOf", "oneOf")
_MAX_PARTS = 100
# Values near the root are those that are meant; some responses hold thousands below them.
_MAX_PLACES = 300


class _Member(NamedTuple):
    name: str
    schema: Json
    refs: frozenset[str]
    order: int = 0
    is_required: bool = False


class _Node(NamedTuple):
    """
    What the schemas of one value come to.

    Args:
        names: That they go by: last segments of references, and titles.
        refs: That lead to them.
    """

    facts: Facts
    scalars: frozenset[str]
    names: tuple[Words, ...]
    refs: frozenset[str]
    members: tuple[_Member, ...]
    # Keeps what its identity stands for alive.
    schema: Json


class _Place(NamedTuple):
    schema: Json
    path: tuple[str, ...] = ()
    kinds: tuple[Words, ...] = ()
    inside: frozenset[str] = frozenset()
    order: int = 0
    is_required: bool = False


class Responses:
    """What the operations of one document answer."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._nodes: dict[str | int, _Node] = {}
        self._fields: dict[str | int, tuple[Field, ...]] = {}

    def fields(self, operation: Operation) -> tuple[Field, ...]:
        """The scalar fields of the response of success, nearest to the root first."""
        success = operation.success
        media = best(success.content) if success else None
        if media is None or not is_json(media.name):
            return ()
        key = _key(media.schema)
        if key not in self._fields:
            self._fields[key] = tuple(self._walked(media.schema))
        return self._fields[key]

    def _walked(self, schema: Json) -> Iterator[Field]:
        places = [_Place(schema)]
        for place in places:
            node = self._node(place.schema)
            # A schema that contains itself is entered once on each path.
            is_open = place.inside.isdisjoint(node.refs)
            members = node.members if is_open else _outside(node, place.inside)
            if place.path and (node.scalars or not (members or (is_open and node.facts.types))):
                yield _field(place, node)
            if members and len(places) < _MAX_PLACES and len(place.path) < MAX_DEPTH:
                places += _below(place, node, members)

    def _node(self, schema: Json) -> _Node:
        key = _key(schema)
        if key not in self._nodes:
            self._nodes[key] = self._read(schema)
        return self._nodes[key]

    def _read(self, schema: Json) -> _Node:
        parts = list(islice(self._parts(schema, ()), _MAX_PARTS))
        facts = facts_of(part for part, _ in parts)
        names: list[str] = []
        for part, refs in parts:
            names += [each.rpartition("/")[2] for each in refs]
            title = part.get("title")
            names += [title] if isinstance(title, str) else []
        return _Node(
            facts=facts,
            scalars=facts.types - {"object", "array"},
            names=tuple(dict.fromkeys(words_of(each) for each in names)),
            refs=frozenset(ref for _, refs in parts for ref in refs),
            members=tuple(_members(parts)),
            schema=schema,
        )

    def _parts(
        self, schema: Json, refs: tuple[str, ...]
    ) -> Iterator[tuple[JsonObject, tuple[str, ...]]]:
        """Every schema that describes the same value, with the references that lead to it."""
        if not is_object(schema):
            return
        ref = ref_of(schema)
        if ref is not None and ref not in refs:
            try:
                yield from self._parts(lookup(self._document, ref), (*refs, ref))
            except UnresolvedReference:
                return
        yield schema, refs
        for keyword in _COMPOSED:
            several = schema.get(keyword)
            for each in several if is_array(several) else ():
                yield from self._parts(each, refs)


def _key(schema: Json) -> str | int:
    """The same for every bare reference to one place."""
    ref = ref_of(schema) if is_object(schema) and len(schema) == 1 else None
    return id(schema) if ref is None else ref


def _members(parts: list[tuple[JsonObject, tuple[str, ...]]]) -> Iterator[_Member]:
    required = {name for part, _ in parts for name in _names(part.get("required"))}
    seen: set[str] = set()
    order = 0
    for part, refs in parts:
        inside = frozenset(refs)
        properties = part.get("properties")
        for name, schema in properties.items() if is_object(properties) else ():
            if name not in seen:
                seen.add(name)
                yield _Member(name, schema, inside, order, name in required)
                order += 1
        if is_object(part.get("items")) and ELEMENT not in seen:
            seen.add(ELEMENT)
            yield _Member(ELEMENT, part["items"], inside)


def _outside(node: _Node, inside: frozenset[str]) -> tuple[_Member, ...]:
    return tuple(each for each in node.members if each.refs.isdisjoint(inside))


def _names(required: Json) -> Iterator[str]:
    # A document of version 3.0 may write a boolean there.
    for name in required if is_array(required) else ():
        if isinstance(name, str):
            yield name


def _below(place: _Place, node: _Node, members: tuple[_Member, ...]) -> Iterator[_Place]:
    for name, schema, refs, order, is_required in members:
        kinds = place.kinds if name == ELEMENT else node.names
        inside = place.inside | refs if refs else place.inside
        yield _Place(schema, (*place.path, name), kinds, inside, order, is_required)


def _field(place: _Place, node: _Node) -> Field:
    named = [name for name in place.path if name != ELEMENT]
    return Field(
        path=place.path,
        name=words_of(named[-1]) if named else (),
        holders=holders_of(place.path),
        kinds=place.kinds,
        order=place.order,
        is_required=place.is_required,
        types=node.scalars,
        format=node.facts.format,
        is_enumerated=node.facts.is_enumerated,
        is_nullable=node.facts.is_nullable,
    )
