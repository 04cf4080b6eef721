"""Cases that only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from restwright.jsontypes import Json
from restwright_bench.any.fields import Field
from restwright_bench.any.invented import invent_name
from restwright_bench.any.tasks.sites import Site, in_words, pick, values_of
from restwright_bench.any.tasks.task import Case, Expected, FieldName, Slot, Value, day_of

CaseMaker = Callable[[Site, Random], Iterator[Case]]


def _case(site: Site, kind: str, template: str, slots: Mapping[str, Slot], **more: Json) -> Case:
    """A case about a site; its program lists the site."""
    more.setdefault("program", site.read())
    return Case(
        kind=kind,
        template=template,
        slots={"things": site.things(), **slots},
        resource=site.resource.path,
        **more,
    )


def count(site: Site, rng: Random) -> Iterator[Case]:
    """How many things there are."""
    del rng
    yield _case(site, "count", "count", {}, expected=Expected(values=(len(site.table),)))


def field_by_name(site: Site, rng: Random) -> Iterator[Case]:
    """A property of the thing that is named."""
    for one in _shuffled(site.fields("number", "enum", "date", "text", is_got=True), rng):
        yield _looked_up(site, pick(rng, site.table), one, "field by name")


def sub_field(site: Site, rng: Random) -> Iterator[Case]:
    """The same of a thing that is inside of another."""
    if site.parent is not None:
        for one in _shuffled(site.fields("number", "enum", "date", "text", is_got=True), rng):
            yield _looked_up(site, pick(rng, site.table), one, "field of a sub-resource")


def _looked_up(site: Site, key: str, one: Field, kind: str) -> Case:
    value = site.table[key][one.name]
    slots: dict[str, Slot] = {"item": site.things(key), "field": FieldName(one.said)}
    program = (*site.read(), *site.get(key))
    return _case(site, kind, "field", slots, expected=Expected(values=(value,)), program=program)


def highest(site: Site, rng: Random) -> Iterator[Case]:
    """The thing with the most of a number."""
    yield from _extreme(site, rng, "highest", max)


def lowest(site: Site, rng: Random) -> Iterator[Case]:
    """The thing with the least of a number."""
    yield from _extreme(site, rng, "lowest", min)


def _extreme(site: Site, rng: Random, kind: str, best: Callable[..., Json]) -> Iterator[Case]:
    for one in _shuffled(site.fields("number"), rng):
        values = values_of(site, one.name)
        first = best(values, key=values.__getitem__)
        if [*values.values()].count(values[first]) == 1:
            expected = _names(site, [first])
            yield _case(site, kind, kind, {"field": FieldName(one.said)}, expected=expected)


def filter_two(site: Site, rng: Random) -> Iterator[Case]:
    """The things for which two properties are as said."""
    fields = _shuffled(site.fields("enum", "boolean"), rng)
    for one, other in [(a, b) for a in fields for b in fields if a.name < b.name]:
        record = site.table[pick(rng, site.table)]
        value, second = record[one.name], record[other.name]
        fitting = [
            key
            for key, each in site.table.items()
            if each[one.name] == value and each[other.name] == second
        ]
        slots: dict[str, Slot] = {
            "field": FieldName(one.said),
            "value": in_words(one, value),
            "other": FieldName(other.said),
            "second": in_words(other, second),
        }
        if len(fitting) < len(site.table):
            yield _case(site, "filter by two", "filter_two", slots, expected=_names(site, fitting))


def derived(site: Site, rng: Random) -> Iterator[Case]:
    """The things with a day or a value of an enumeration that is said in words."""
    for one in _shuffled(site.fields("date", "enum"), rng):
        value = site.table[pick(rng, site.table)][one.name]
        said = in_words(one, value, is_day=True)
        fitting = [key for key, each in values_of(site, one.name).items() if _same(each, value)]
        if said.is_in_words and len(fitting) < len(site.table):
            slots: dict[str, Slot] = {"field": FieldName(one.said), "value": said}
            yield _case(site, "derived value", "filter_one", slots, expected=_names(site, fitting))


def _same(one: Json, other: Json) -> bool:
    day = day_of(one)
    return day == day_of(other) if day else one == other


def compare(site: Site, rng: Random) -> Iterator[Case]:
    """Which of two things has more, and how much."""
    for one in _shuffled(site.fields("number", is_got=True), rng):
        first, second = rng.sample([*site.table], 2)
        values = values_of(site, one.name)
        more = first if values[first] > values[second] else second
        slots: dict[str, Slot] = {
            "item": site.things(first),
            "rival": site.things(second),
            "field": FieldName(one.said),
        }
        if values[first] != values[second]:
            expected = Expected(values=(site.name(more), values[more]))
            program = (*site.read(), *site.get(first), *site.get(second))
            yield _case(site, "compare", "compare", slots, expected=expected, program=program)


def range_positive(site: Site, rng: Random) -> Iterator[Case]:
    """The things with at least so much."""
    yield from _range(site, rng, "range said positively", "range_positive", is_least=True)


def range_negative(site: Site, rng: Random) -> Iterator[Case]:
    """The things with no more than so much."""
    yield from _range(site, rng, "range said negatively", "range_negative", is_least=False)


def _range(site: Site, rng: Random, kind: str, template: str, *, is_least: bool) -> Iterator[Case]:
    for one in _shuffled(site.fields("number"), rng):
        values = values_of(site, one.name)
        number = rng.choice(sorted(set(values.values()))[1:-1] or [None])
        if number is None:
            continue
        fitting = [
            key
            for key, value in values.items()
            if (value >= number if is_least else value <= number)
        ]
        slots: dict[str, Slot] = {"field": FieldName(one.said), "number": Value(number)}
        yield _case(site, kind, template, slots, expected=_names(site, fitting))


def missing(site: Site, rng: Random) -> Iterator[Case]:
    """A property of something that is not there."""
    for one in _shuffled(site.fields("number", "date", "text", is_got=True), rng):
        things = site.things(pick(rng, site.table))
        slots: dict[str, Slot] = {
            "item": type(things)(noun=things.noun, name=invent_name(rng), scope=things.scope),
            "field": FieldName(one.said),
        }
        told = (*values_of(site, one.name).values(), *map(site.name, site.table))
        found = Expected(forbidden=told)
        yield _case(site, "not there", "field", slots, expected=found, is_impossible=True)


def cannot(site: Site, rng: Random) -> Iterator[Case]:
    """Something that no API of documents does."""
    slots: dict[str, Slot] = {"item": site.things(pick(rng, site.table))}
    yield _case(site, "cannot be done", "cannot", slots, program=(), is_impossible=True)


def _names(site: Site, keys: list[str]) -> Expected:
    """These things, and none of the others."""
    others = [site.name(key) for key in site.table if key not in keys]
    return Expected(values=tuple(map(site.name, keys)), forbidden=tuple(others))


def _shuffled(fields: tuple[Field, ...], rng: Random) -> list[Field]:
    return rng.sample(fields, len(fields))


READING: Mapping[str, CaseMaker] = {
    "count": count,
    "field by name": field_by_name,
    "highest": highest,
    "lowest": lowest,
    "filter by two": filter_two,
    "field of a sub-resource": sub_field,
    "compare": compare,
    "range said positively": range_positive,
    "range said negatively": range_negative,
    "derived value": derived,
    "not there": missing,
    "cannot be done": cannot,
}
