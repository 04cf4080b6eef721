"""Cases that ask for a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random

from restwright.calls.arguments.check import check_value
from restwright.jsontypes import Json, JsonObject
from restwright_bench.any.draw import draw
from restwright_bench.any.fields import Field, kind_of
from restwright_bench.any.schemas import Schema
from restwright_bench.any.tasks.calls import Unreachable, step, writing_tool
from restwright_bench.any.tasks.reading import CaseMaker
from restwright_bench.any.tasks.sites import Site, in_words, pick, values_of
from restwright_bench.any.tasks.task import (
    AskedChange,
    Case,
    FieldName,
    ProgramStep,
    Slot,
    Value,
    Values,
)
from restwright_bench.any.writing import body_shape

_MOST_CHANGED = 12
_MOST_SAID = 5
_TRIES = 10
_Change = tuple[ProgramStep, AskedChange]


def change_one(site: Site, rng: Random) -> Iterator[Case]:
    """Set a property of the thing that is named, or delete it."""
    key = pick(rng, site.table)
    for slots, template, (call, asked) in _changes(site, key, rng):
        yield _case(site, "change one", f"{template}_one", slots, [(call, asked)], key)


def change_in_words(site: Site, rng: Random) -> Iterator[Case]:
    """Set a property to a day, or a value of an enumeration, that is said in words."""
    key = pick(rng, site.table)
    for one, value in _new_values(site, key, rng, "date", "enum"):
        said = in_words(one, value)
        if said.is_in_words:
            slots: dict[str, Slot] = {"other": FieldName(one.said), "value": said}
            change = site.set(key, {one.name: value})
            yield _case(site, "change to a derived value", "set_one", slots, [change], key)


def condition_holds(site: Site, rng: Random) -> Iterator[Case]:
    """A change under a condition that holds."""
    yield from _conditional(site, rng, holds=True)


def condition_fails(site: Site, rng: Random) -> Iterator[Case]:
    """A change under a condition that does not hold: nothing may change."""
    yield from _conditional(site, rng, holds=False)


def _conditional(site: Site, rng: Random, *, holds: bool) -> Iterator[Case]:
    kind = "condition that holds" if holds else "condition that does not hold"
    for one in rng.sample(site.fields("number"), len(site.fields("number"))):
        values = values_of(site, one.name)
        ranked = sorted(values, key=lambda key, values=values: values[key])
        middle = values[ranked[len(ranked) // 2]]
        fitting = [key for key, value in values.items() if (value > middle) == holds]
        if not fitting:
            continue
        key = rng.choice(fitting)
        for slots, template, change in _changes(site, key, rng, besides=one.name):
            said: dict[str, Slot] = {**slots, "field": FieldName(one.said), "number": Value(middle)}
            done = [change] if holds else []
            yield _case(site, kind, f"condition_{template}", said, done, key)


def change_all(site: Site, rng: Random) -> Iterator[Case]:
    """Set a property of all things, or delete all."""
    yield from _several(site, rng, "change all", "all", "")


def change_all_but(site: Site, rng: Random) -> Iterator[Case]:
    """The same with one exception."""
    yield from _several(site, rng, "change all but one", "all_but", pick(rng, site.table))


def _several(site: Site, rng: Random, kind: str, suffix: str, spared: str) -> Iterator[Case]:
    keys = [key for key in site.table if key != spared]
    if len(keys) > _MOST_CHANGED:
        return
    for slots, template, (_, first) in _changes(site, keys[0], rng):
        changes: list[_Change] = []
        for key in keys:
            if template == "delete":
                changes.append(site.delete(key))
            elif any(site.table[key].get(name) != value for name, value in first.values.items()):
                changes.append(site.set(key, first.values))
        yield _case(site, kind, f"{template}_{suffix}", slots, changes, spared)


def create(site: Site, rng: Random) -> Iterator[Case]:
    """Create a thing from values that are said."""
    tool = site.resource.operations.get("create")
    shape = body_shape(tool, site.resource) if tool is not None else None
    if tool is None or shape is None or shape.beside:
        return
    name = site.resource.name_of
    called = Field(name, "text", site.resource.record.member(name))
    fields = {each.name: each for each in (called, *site.resource.fields)}
    if name not in shape.properties or any(each not in fields for each in shape.required):
        return
    optional = [each for each in fields if each in shape.properties and each not in shape.required]
    optional = [each for each in optional if each != name and fields[each].kind != "text"]
    chosen = [name, *(each for each in shape.required if each != name), *optional][:_MOST_SAID]
    values = {each: _fitting(shape.properties[each], fields[each], rng) for each in chosen}
    if any(value is None for value in values.values()):
        return
    call = step(tool, site.around, body=shape.arguments(values))
    asked = AskedChange(table=site.key, kind="created", values=values)
    pairs = tuple((FieldName(fields[k].said), in_words(fields[k], v)) for k, v in values.items())
    yield _case(site, "create", "create", {"values": Values(pairs)}, [(call, asked)], "")


def _changes(
    site: Site, key: str, rng: Random, besides: str = ""
) -> Iterator[tuple[dict[str, Slot], str, _Change]]:
    """What can be done to a thing: slots, the template's beginning, the change; in any order."""
    found: list[tuple[dict[str, Slot], str, _Change]] = []
    for one, value in _new_values(site, key, rng, "number", "enum", "boolean", "text"):
        if one.name != besides:
            slots: dict[str, Slot] = {"other": FieldName(one.said), "value": in_words(one, value)}
            found.append((slots, "set", site.set(key, {one.name: value})))
            break
    with suppress(Unreachable):
        found.append(({}, "delete", site.delete(key)))
    rng.shuffle(found)
    yield from found


def _new_values(site: Site, key: str, rng: Random, *kinds: str) -> Iterator[tuple[Field, Json]]:
    """Properties that can be changed, each with a value that it has not."""
    found = writing_tool(site.resource)
    if found is None:
        return
    _, shape = found
    fields = [each for each in site.fields(*kinds) if each.name in shape.properties]
    for one in rng.sample(fields, len(fields)):
        for _ in range(_TRIES):
            value = _fitting(shape.properties[one.name], one, rng)
            if value is not None and value != site.table[key][one.name]:
                yield one, value
                break


def _fitting(schema: Schema, one: Field, rng: Random) -> Json:
    """A value that the body and the thing both allow; None where none is found."""
    both = schema if schema.enum() or not one.schema.enum() else one.schema
    if kind_of(both) != one.kind and not (one.kind == "text" and kind_of(both) == "text"):
        return None
    for _ in range(_TRIES):
        value = draw(both, rng, one.name)
        if _fits(schema, value) and _fits(one.schema, value):
            return value
    return None


def _fits(schema: Schema, value: Json) -> bool:
    written: JsonObject = {**schema.node, "$defs": dict(schema.definitions)}
    return not check_value(written, value)


def _case(
    site: Site,
    kind: str,
    template: str,
    slots: Mapping[str, Slot],
    changes: Sequence[_Change],
    key: str,
) -> Case:
    said: dict[str, Slot] = {"things": site.things(), **slots}
    if key:
        said["item"] = site.things(key)
    return Case(
        kind=kind,
        template=template,
        slots=said,
        resource=site.resource.path,
        asked=tuple(asked for _, asked in changes),
        program=(*site.read(), *(call for call, _ in changes)),
    )


CHANGING: Mapping[str, CaseMaker] = {
    "condition that holds": condition_holds,
    "condition that does not hold": condition_fails,
    "change one": change_one,
    "change to a derived value": change_in_words,
    "change all": change_all,
    "change all but one": change_all_but,
    "create": create,
}
