"""
The shape of a response as it is, with what its document says of it.

Of what is documented only the parts are told that the response has, so that the shape stays short;
texts of which there are few (`'Director'|'Writer'`) are told as they stand, since a condition has
to be written in their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref
from restwright.tools.text.type_summary import infer_schema
from restwright.tools.text.words import split_words

_LABELS = ("name", "title", "label", "display_name", "full_name", "subject", "email")
_MOST_VALUES = 6
_LONGEST_VALUE = 24
_FEWEST_ITEMS = 3
_MOST_ITEMS = 500
_FEWEST_THINGS = 11
_MOST_REFERENCES = 20
# More than a shape tells.
_MOST_LEVELS = 40


def observed(schema: Json, body: Json) -> JsonObject:
    """
    A JSON Schema of `body`: its own properties, with the types that `schema` documents for them.

    Args:
        schema: With its `$defs`, as `Tool.output` is; anything else where nothing is documented.
    """
    definitions: JsonObject = schema.get("$defs", {}) if is_object(schema) else {}
    return _Observer(definitions).told(schema, [body], _MOST_LEVELS)


def _is_map(value: Json) -> bool:
    """Whether an object holds many things of one kind, each under a key of its own, as lists do."""
    if not is_object(value) or len(value) < _FEWEST_THINGS:
        return False
    things = [each for each in value.values() if is_object(each)]
    if len(things) < len(value):
        return False
    first = things[0].keys()
    return all(2 * len(first & each.keys()) >= max(len(first), len(each)) for each in things)


def _is_label(name: str) -> bool:
    """Whether a property tells which thing something is, and not of which kind."""
    return bool(frozenset(split_words(name)).intersection(_LABELS))


class _Observer:
    """Goes through schema and values side by side; `values` are all that stand at one place."""

    def __init__(self, definitions: JsonObject) -> None:
        self._definitions = definitions

    def told(self, schema: Json, values: Sequence[Json], left: int) -> JsonObject:
        """
        What is told of `values`.

        Args:
            left: As many levels more are told.
        """
        parts = list(self._parts(schema, _MOST_REFERENCES))
        if left and all(map(is_object, values)):
            return self._object(parts, [each for each in values if is_object(each)], left - 1)
        if left and all(map(is_array, values)):
            items = [item for each in values if is_array(each) for item in each]
            return self._array(parts, items, left - 1)
        return _scalar(parts, values)

    def _parts(self, schema: Json, left: int) -> Iterator[JsonObject]:
        """A schema and all that it consists of, references followed."""
        if not is_object(schema) or not left:
            return
        ref = find_ref(schema)
        if ref is not None:
            yield from self._parts(self._definitions.get(ref.rpartition("/")[2]), left - 1)
        yield schema
        for keyword in ("allOf", "anyOf", "oneOf"):
            for each in schema.get(keyword, ()):
                yield from self._parts(each, left - 1)

    def _object(
        self, parts: Sequence[JsonObject], objects: Sequence[JsonObject], left: int
    ) -> JsonObject:
        if all(map(_is_map, objects)):
            return self._map(parts, [thing for each in objects for thing in each.values()], left)
        names = dict.fromkeys(name for each in objects for name in each)
        properties: JsonObject = {}
        for name in names:
            documented = (part.get("properties", {}).get(name) for part in parts)
            schema = next((each for each in documented if each is not None), None)
            told = self.told(schema, [each[name] for each in objects if name in each], left)
            # A name tells which thing it is, and not of which kind; code has to compare it.
            properties[name] = {"type": "string"} if _is_label(name) and "enum" in told else told
        return {"type": "object", "properties": properties}

    def _map(self, parts: Sequence[JsonObject], things: Sequence[Json], left: int) -> JsonObject:
        documented = (part.get("additionalProperties") for part in parts)
        schema = next((each for each in documented if is_object(each)), None)
        told = self.told(schema, things[:_MOST_ITEMS], left)
        return {"type": "object", "additionalProperties": told}

    def _array(self, parts: Sequence[JsonObject], items: Sequence[Json], left: int) -> JsonObject:
        if not items:
            return {"const": []}
        schema = next((part["items"] for part in parts if "items" in part), None)
        present = [each for each in items[:_MOST_ITEMS] if each is not None]
        return {"type": "array", "items": self.told(schema, present or [None], left)}


def _scalar(parts: Sequence[JsonObject], values: Sequence[Json]) -> JsonObject:
    present = [each for each in values if each is not None]
    documented = next((each for each in parts if each.keys() & {"enum", "const", "type"}), None)
    seen = infer_schema(present)["items"] if present else {"type": "null"}
    if documented is not None and documented.keys() & {"enum", "const", "format"}:
        told = {key: value for key, value in documented.items() if key in _TELLING}
    else:
        told = _in_words(present) or seen
    is_nullable = len(present) < len(values) and present
    return {"anyOf": [told, {"type": "null"}]} if is_nullable else told


_TELLING = frozenset({"type", "enum", "const", "format"})


def _in_words(values: Sequence[Json]) -> JsonObject | None:
    """The few texts that a list repeats; None where there are many, or long ones."""
    texts = [each for each in values if isinstance(each, str)]
    different = list(dict.fromkeys(texts))
    are_few = len(different) <= _MOST_VALUES and len(different) < len(texts)
    if len(texts) < len(values) or len(texts) < _FEWEST_ITEMS or not are_few:
        return None
    if any(len(each) > _LONGEST_VALUE for each in different):
        return None
    return {"type": "string", "enum": different}
