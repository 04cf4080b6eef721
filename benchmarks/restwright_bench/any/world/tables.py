"""The things of a collection, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from restwright.jsontypes import Json, JsonObject
from restwright.tools.text.words import split_words
from restwright_bench.any.draw import FORMATS, bounds, draw, draw_object
from restwright_bench.any.invented import invent_slug
from restwright_bench.any.patterns import text_matching
from restwright_bench.any.resources import Resource, placeholders
from restwright_bench.any.schemas import Schema

Table = dict[str, JsonObject]
"""`{id as it stands in a path: record}`."""

_AT_ROOT, _INSIDE = (6, 11), (3, 6)
_TRIES = 30


def draw_table(resource: Resource, parents: Sequence[str], seed: int) -> Table:
    """Draw the things of one collection; the same for the same seed."""
    rng = random_for(seed, resource.path, *parents)
    table: Table = {}
    for _ in range(rng.randint(*(_INSIDE if parents else _AT_ROOT))):
        record = draw_record(resource, parents, table, rng)
        table[key_of(resource, record, len(table))] = record
    return table


def random_for(seed: int, *place: str) -> Random:
    """A source of random values for one place of a world."""
    return Random("|".join((str(seed), *place)))


def key_of(resource: Resource, record: JsonObject, position: int) -> str:
    """By which a record is found: its id; its position where it has none."""
    return str(record[resource.id_name]) if resource.id_name else f"#{position}"


def draw_record(
    resource: Resource, parents: Sequence[str], table: Table, rng: Random
) -> JsonObject:
    """Draw a thing unlike those of the table: another id, another name, other numbers."""
    record = draw_object(resource.record, rng)
    if resource.id_name:
        taken = {str(each.get(resource.id_name)) for each in table.values()}
        schema = resource.record.member(resource.id_name)
        record[resource.id_name] = _untaken(taken, partial(draw_id, schema, resource.id_name, rng))
    distinct = [each.name for each in resource.fields if each.kind == "number"]
    for name in dict.fromkeys([resource.name_of, *distinct]):
        if name in record and name != resource.id_name:
            make = partial(draw, resource.record.member(name), rng, name)
            record[name] = _untaken(_values(table, name), make)
    _refer_to_parents(resource, parents, record)
    return record


def draw_id(schema: Schema, name: str, rng: Random) -> Json:
    """Draw an id in the form of its schema: an integer, a UUID, a slug, or letters and digits."""
    if schema.enum():
        return rng.choice(schema.enum())
    if schema.type == "integer":
        low, high = bounds(schema)
        return rng.randint(int(max(low, 1000)), int(max(high, 99_999)))
    node = schema.node
    if node.get("format") in FORMATS:
        return FORMATS[node["format"]](rng)
    if isinstance(node.get("pattern"), str):
        found = text_matching(node["pattern"], rng, shortest=int(node.get("minLength") or 0))
        if found:
            return found
    longest = int(node.get("maxLength") or 24)
    if split_words(name)[-1:] in (("name",), ("slug",), ("key",)):
        return invent_slug(rng, longest)
    example = node.get("example")
    if isinstance(example, str) and example.isdecimal():
        return "".join(rng.choice("123456789") for _ in example)
    return f"{rng.getrandbits(80):020x}"[: min(longest, 12)]


def _untaken(taken: set[str], draw_one: Callable[[], Json]) -> Json:
    value: Json = None
    for _ in range(_TRIES):
        value = draw_one()
        if str(value) not in taken:
            break
    return value


def _values(table: Table, name: str) -> set[str]:
    return {str(each.get(name)) for each in table.values()}


def _refer_to_parents(resource: Resource, parents: Sequence[str], record: JsonObject) -> None:
    """Have `shelf_id` of a book say the shelf that it is on."""
    named = placeholders(resource.operations["list"].operation.path)
    for placeholder, value in zip(named, parents, strict=True):
        for name in record:
            if name != resource.id_name and split_words(name) == split_words(placeholder):
                is_number = resource.record.member(name).type == "integer" and value.isdecimal()
                record[name] = int(value) if is_number else value
