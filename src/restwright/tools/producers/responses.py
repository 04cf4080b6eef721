"""The fields of many responses of one document, read as they are written; each schema once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Operation
from restwright.openapi.references import find_ref, lookup_reference
from restwright.tools.producers.fields import (
    ELEMENT,
    MAX_FIELD_DEPTH,
    NameWords,
    ResponseField,
    ValueFacts,
    holder_words,
    merge_facts,
)
from restwright.tools.text.media_types import can_be_json, choose_media_type
from restwright.tools.text.words import split_words

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

    facts: ValueFacts
    scalars: frozenset[str]
    names: tuple[NameWords, ...]
    refs: frozenset[str]
    members: tuple[_Member, ...]
    # Keeps what its identity stands for alive.
    schema: Json


class _Place(NamedTuple):
    schema: Json
    path: tuple[str, ...] = ()
    kinds: tuple[NameWords, ...] = ()
    inside: frozenset[str] = frozenset()
    order: int = 0
    is_required: bool = False


class DocumentResponses:
    """What the operations of one document answer."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._nodes: dict[str | int, _Node] = {}
        self._fields: dict[str | int, tuple[ResponseField, ...]] = {}

    def fields(self, operation: Operation) -> tuple[ResponseField, ...]:
        """The scalar fields of the response of success, nearest to the root first."""
        success = operation.success
        media = choose_media_type(success.content) if success else None
        if media is None or not can_be_json(media.name):
            return ()
        key = _schema_key(media.schema)
        if key not in self._fields:
            self._fields[key] = tuple(self._walk(media.schema))
        return self._fields[key]

    def _walk(self, schema: Json) -> Iterator[ResponseField]:
        places = [_Place(schema)]
        for place in places:
            node = self._node(place.schema)
            # A schema that contains itself is entered once on each path.
            is_open = place.inside.isdisjoint(node.refs)
            members = node.members if is_open else _members_outside(node, place.inside)
            if place.path and (node.scalars or not (members or (is_open and node.facts.types))):
                yield _build_field(place, node)
            if members and len(places) < _MAX_PLACES and len(place.path) < MAX_FIELD_DEPTH:
                places += _child_places(place, node, members)

    def _node(self, schema: Json) -> _Node:
        key = _schema_key(schema)
        if key not in self._nodes:
            self._nodes[key] = self._read(schema)
        return self._nodes[key]

    def _read(self, schema: Json) -> _Node:
        parts = list(islice(self._parts(schema, ()), _MAX_PARTS))
        facts = merge_facts(part for part, _ in parts)
        names: list[str] = []
        for part, refs in parts:
            names += [ref.rpartition("/")[2] for ref in refs]
            title = part.get("title")
            names += [title] if isinstance(title, str) else []
        return _Node(
            facts=facts,
            scalars=facts.types - {"object", "array"},
            names=tuple(dict.fromkeys(split_words(name) for name in names)),
            refs=frozenset(ref for _, refs in parts for ref in refs),
            members=tuple(_list_members(parts)),
            schema=schema,
        )

    def _parts(
        self, schema: Json, refs: tuple[str, ...]
    ) -> Iterator[tuple[JsonObject, tuple[str, ...]]]:
        """Every schema that describes the same value, with the references that lead to it."""
        if not is_object(schema):
            return
        ref = find_ref(schema)
        if ref is not None and ref not in refs:
            try:
                yield from self._parts(lookup_reference(self._document, ref), (*refs, ref))
            except UnresolvedReference:
                return
        yield schema, refs
        for keyword in _COMPOSED:
            several = schema.get(keyword)
            for item in several if is_array(several) else ():
                yield from self._parts(item, refs)


def _schema_key(schema: Json) -> str | int:
    """The same for every bare reference to one place."""
    ref = find_ref(schema) if is_object(schema) and len(schema) == 1 else None
    return id(schema) if ref is None else ref


def _list_members(parts: list[tuple[JsonObject, tuple[str, ...]]]) -> Iterator[_Member]:
    required = {name for part, _ in parts for name in _required_names(part.get("required"))}
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


def _members_outside(node: _Node, inside: frozenset[str]) -> tuple[_Member, ...]:
    return tuple(member for member in node.members if member.refs.isdisjoint(inside))


def _required_names(required: Json) -> Iterator[str]:
    # A document of version 3.0 may write a boolean there.
    for name in required if is_array(required) else ():
        if isinstance(name, str):
            yield name


def _child_places(place: _Place, node: _Node, members: tuple[_Member, ...]) -> Iterator[_Place]:
    for name, schema, refs, order, is_required in members:
        kinds = place.kinds if name == ELEMENT else node.names
        inside = place.inside | refs if refs else place.inside
        yield _Place(schema, (*place.path, name), kinds, inside, order, is_required)


def _build_field(place: _Place, node: _Node) -> ResponseField:
    named = [name for name in place.path if name != ELEMENT]
    return ResponseField(
        path=place.path,
        name=split_words(named[-1]) if named else (),
        holders=holder_words(place.path),
        kinds=place.kinds,
        order=place.order,
        is_required=place.is_required,
        types=node.scalars,
        format=node.facts.format,
        is_enumerated=node.facts.is_enumerated,
        is_nullable=node.facts.is_nullable,
    )
