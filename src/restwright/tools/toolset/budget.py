"""One tool in a provider's shape, in as many characters as its share of the offer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright.tools.build import build_argument_schema
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import Dialect, DialectSchema
from restwright.tools.render import fit_schema, shape_tool
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.text.prose import first_sentence, shorten_text

_LEAST = 60
# Tried one after the other where the schema and the whole description do not fit.
_SENTENCE, _FEW_WORDS = 160, 60
_EMPTY_SCHEMA: JsonObject = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedShape:
    """A shape and how many characters of JSON it has."""

    shape: JsonObject = field(repr=False)
    characters: int


def count_characters(shape: JsonObject) -> int:
    """Characters of a shape as compact JSON."""
    return len(to_json_bytes(shape).decode())


def measure_shape(shape: JsonObject) -> SizedShape:
    """A shape with its characters."""
    return SizedShape(shape=shape, characters=count_characters(shape))


def render_whole(catalog: Catalog, name: str, dialect: Dialect) -> SizedShape:
    """A tool as it is offered alone."""
    return measure_shape(catalog.render(name, dialect).shape)


def render_within(catalog: Catalog, name: str, dialect: Dialect, room: int) -> SizedShape:
    """
    A tool in at most `room` characters, where that can be reached.

    The schema is shortened before the description, and that as far as it leaves half of `room`.
    """
    tool = catalog[name]
    schemas, options = catalog.schemas[tool.namespace], catalog.options
    root = build_argument_schema(tool.operation, schemas, options.layout)
    best: SizedShape | None = None
    schemas_within: dict[int, DialectSchema] = {}
    for description in _shorter_descriptions(tool.description, room // 2):
        around = count_characters(
            shape_tool(tool, dialect, DialectSchema(schema=_EMPTY_SCHEMA), description=description)
        )
        allowed = max(room - around + count_characters(_EMPTY_SCHEMA), _LEAST)
        if allowed not in schemas_within:
            shown = schemas.shows.render(root, budget=allowed, lean=options.lean)
            schemas_within[allowed] = fit_schema(
                tool,
                shown.schema,
                dialect,
                allowed,
                schemas=schemas,
                options=options,
                least=_LEAST,
            )
        schema = schemas_within[allowed]
        made = measure_shape(shape_tool(tool, dialect, schema, description=description))
        best = made if best is None or made.characters < best.characters else best
        if best.characters <= room:
            break
    assert best is not None  # noqa: S101  (there is always a description to try)
    return best


def _shorter_descriptions(text: str, room: int) -> tuple[str, ...]:
    """Ever shorter forms of a description."""
    sentence = first_sentence(text, _SENTENCE)
    whole = (text,) if len(text) <= room else ()
    return tuple(dict.fromkeys((*whole, sentence, shorten_text(sentence, _FEW_WORDS))))


def share_room(sizes: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """
    Share `room` out among things of these sizes: to each its size, or as much as to all the others.

    What a small one leaves over goes to the larger ones. None gets less than its `least`, so these
    must fit together.
    """
    low, high = 0, max(sizes, default=0)
    while low < high:
        level = (low + high + 1) // 2
        if sum(_cap_sizes(level, sizes, least)) <= room:
            low = level
        else:
            high = level - 1
    return _cap_sizes(low, sizes, least)


def choose_fitting(least: Sequence[int], room: int) -> list[int]:
    """The places of those that fit, by their `least` and one after the other; the first first."""
    kept: list[int] = []
    for place, size in enumerate(least):
        if size <= room:
            kept.append(place)
            room -= size
    return kept


def _cap_sizes(level: int, sizes: Sequence[int], least: Sequence[int]) -> list[int]:
    return [max(min(size, level), minimum) for size, minimum in zip(sizes, least, strict=True)]
