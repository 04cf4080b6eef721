"""The scalar fields of a tool's response, each with what it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

ELEMENT = "[]"

MAX_FIELD_DEPTH = 8
MAX_FIELD_PLACES = 1000
_COMPOSED = ("allOf", "anyOf", "oneOf")

NameWords = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseField:
    """
    One scalar in a response.

    Args:
        path: From the root, `[]` for the elements of an array: `("items", "[]", "id")`.
        name: Words of its own name; of the array's for an element of an array of scalars.
        kinds: Words of the names that the schema of its object goes by.
        order: Its place among the members of its object.
        types: JSON types, null left out; empty where the schema says nothing.
        format: Of its schema, or empty.
        is_enumerated: Whether its values are listed.
        is_nullable: Whether it may be null.
        is_required: Whether its object always has it.
        holders: Words of the properties around its object, nearest first, up to the next array
            outside: `("tracks", "items", "[]", "id")` is held by `item` and `track`.
    """

    path: tuple[str, ...]
    name: NameWords
    holders: tuple[NameWords, ...] = ()
    kinds: tuple[NameWords, ...] = ()
    order: int = 0
    types: frozenset[str] = frozenset()
    format: str = ""
    is_enumerated: bool = False
    is_nullable: bool = False
    is_required: bool = False

    @property
    def owner(self) -> tuple[str, ...]:
        """The path of the object that it is in."""
        return _owner_path(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFacts:
    """What the schemas of one value say about its kind."""

    types: frozenset[str]
    format: str
    is_enumerated: bool
    is_nullable: bool = False


class _Place(NamedTuple):
    # No dataclass: there are tens of thousands in an API, and these are made three times faster.
    schema: Json
    path: tuple[str, ...] = ()
    kinds: tuple[NameWords, ...] = ()
    inside: tuple[str, ...] = ()
    order: int = 0
    is_required: bool = False


def response_fields(tool: Tool) -> tuple[ResponseField, ...]:
    """
    The scalar fields of the response, nearest to the root first.

    A schema that contains itself is entered once on each path; after 1,000 places it ends.
    """
    output = tool.output
    definitions: Mapping[str, Json] = output.get("$defs", {}) if is_object(output) else {}
    places, found = [_Place(schema=output)], list[ResponseField]()
    for place in places:
        parts = list(value_schemas(place.schema, definitions, place.inside))
        below = list(_child_places(place, parts))
        if place.path:
            found += _scalar_fields(place, [part for part, _ in parts], is_leaf=not below)
        if len(places) < MAX_FIELD_PLACES and len(place.path) < MAX_FIELD_DEPTH:
            places += below
    return tuple(found)


def value_schemas(
    schema: Json, definitions: Mapping[str, Json], inside: tuple[str, ...] = ()
) -> Iterator[tuple[JsonObject, tuple[str, ...]]]:
    """Every schema that describes the same value, with the definitions that it stands inside."""
    if not is_object(schema):
        return
    if (ref := find_ref(schema)) is not None:
        name = ref.rpartition("/")[2]
        if name not in inside:
            yield from value_schemas(definitions.get(name), definitions, (*inside, name))
    yield schema, inside
    for keyword in _COMPOSED:
        for branch in schema.get(keyword, ()):
            yield from value_schemas(branch, definitions, inside)


def merge_facts(parts: Iterable[JsonObject]) -> ValueFacts:
    """Types, format and enumeration that any of the parts names."""
    types: set[str] = set()
    formats: list[str] = []
    is_enumerated = is_nullable = False
    for part in parts:
        kind = part.get("type")
        is_nullable = is_nullable or part.get("nullable") is True
        types.update([kind] if isinstance(kind, str) else kind or ())
        formats += [part["format"]] if "format" in part else []
        is_enumerated = is_enumerated or "enum" in part or "const" in part
    return ValueFacts(
        types=frozenset(types - {"null"}),
        format=formats[0] if formats else "",
        is_enumerated=is_enumerated,
        is_nullable=is_nullable or "null" in types,
    )


def _owner_path(path: tuple[str, ...]) -> tuple[str, ...]:
    own = path[:-1] if path[-1:] == (ELEMENT,) else path
    return own[:-1]


def holder_words(path: tuple[str, ...]) -> tuple[NameWords, ...]:
    """Words of the properties around the object of a field, as `Field.holders` says."""
    owner = list(_owner_path(path))
    if owner[-1:] == [ELEMENT]:
        owner.pop()
    held: list[NameWords] = []
    while owner and owner[-1] != ELEMENT:
        held.append(split_words(owner.pop()))
    return tuple(held)


def _scalar_fields(
    place: _Place, parts: list[JsonObject], *, is_leaf: bool
) -> Iterator[ResponseField]:
    """The scalar at a place; none for an object, but one for a string or an object."""
    facts = merge_facts(parts)
    scalars = facts.types - {"object", "array"}
    if scalars or (is_leaf and not facts.types):
        named = [name for name in place.path if name != ELEMENT]
        yield ResponseField(
            path=place.path,
            name=split_words(named[-1]) if named else (),
            holders=holder_words(place.path),
            kinds=place.kinds,
            order=place.order,
            is_required=place.is_required,
            types=scalars,
            format=facts.format,
            is_enumerated=facts.is_enumerated,
            is_nullable=facts.is_nullable,
        )


def _child_places(
    place: _Place, parts: list[tuple[JsonObject, tuple[str, ...]]]
) -> Iterator[_Place]:
    """The members of an object and the element of an array; nothing for a scalar."""
    kinds, order = _kind_words(place, parts), 0
    required = {name for part, _ in parts for name in part.get("required", ())}
    seen: set[str] = set()
    for part, inside in parts:
        for name, schema in part.get("properties", {}).items():
            if name not in seen:
                yield _Place(
                    schema=schema,
                    path=(*place.path, name),
                    kinds=kinds,
                    inside=inside,
                    order=order,
                    is_required=name in required,
                )
                order += 1
            seen.add(name)
        if "items" in part and ELEMENT not in seen:
            seen.add(ELEMENT)
            path = (*place.path, ELEMENT)
            yield _Place(schema=part["items"], path=path, kinds=place.kinds, inside=inside)


def _kind_words(
    place: _Place, parts: list[tuple[JsonObject, tuple[str, ...]]]
) -> tuple[NameWords, ...]:
    names: list[str] = []
    for part, inside in parts:
        names += inside[len(place.inside) :]
        names += [part["title"]] if "title" in part else []
    return tuple(dict.fromkeys(split_words(name) for name in names))
