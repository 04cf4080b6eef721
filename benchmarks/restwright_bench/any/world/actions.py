"""What the operations of a resource do to the state, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words
from restwright_bench.any.draw import DEEPEST, draw_object
from restwright_bench.any.locate import find_id
from restwright_bench.any.resources import Resource
from restwright_bench.any.schemas import Schema, schema_of
from restwright_bench.any.world.bodies import has_cursor, item_body, merge_values, page_body
from restwright_bench.any.world.listing import ListPlan, fits, plan_list, read_page
from restwright_bench.any.world.received import Received
from restwright_bench.any.world.routing import Route
from restwright_bench.any.world.state import State
from restwright_bench.any.world.tables import Table, draw_id, draw_record, random_for
from restwright_bench.any.writing import body_shape


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """What an operation cannot do: the status, and why."""

    status: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """One operation on one collection."""

    route: Route
    resource: Resource
    received: Received
    state: State
    parents: tuple[str, ...]
    id: str
    path: str

    @property
    def table(self) -> Table:
        """The collection."""
        found = self.state.table(self.resource.path, self.parents)
        if found is None:
            raise Refused(404, "there is nothing at this path")
        return found

    @property
    def record(self) -> JsonObject:
        """The thing that the path names."""
        if self.id not in self.table:
            raise Refused(404, f"there is no {self.resource.noun} {self.id}")
        return self.table[self.id]

    @property
    def schema(self) -> Schema:
        """Of the response."""
        return schema_of(self.route.tool.output)

    def random(self) -> Random:
        """The same for the same collection and thing."""
        return random_for(self.state.seed, self.path, self.route.tool.name, str(len(self.table)))


def act(doing: Doing) -> Json:
    """
    Do what an operation does and return the body of its response.

    Raises:
        Refused: It cannot be done; nothing has changed.
    """
    return _ACTIONS[doing.route.action](doing)


def plan_of(route: Route, resource: Resource) -> ListPlan:
    """What the parameters of a list mean."""
    tool = route.tool
    return plan_list(tool, resource, can_tell_cursor=has_cursor(schema_of(tool.output)))


def _list(doing: Doing) -> Json:
    plan = plan_of(doing.route, doing.resource)
    page = read_page(plan, [*doing.table.values()], doing.received.query, doing.resource)
    return page_body(doing.schema, doing.resource, page, doing.path, doing.random())


def _get(doing: Doing) -> Json:
    resource = doing.resource
    return item_body(doing.schema, resource, doing.record, doing.random(), place=resource.item)


def _create(doing: Doing) -> Json:
    resource, table, rng = doing.resource, doing.table, doing.random()
    values = _values(doing)
    name = resource.id_name
    if name in values and str(values[name]) in table:
        raise Refused(409, f"there is a {resource.noun} {values[name]} already")
    drawn = draw_record(resource, doing.parents, table, rng)
    record = {
        key: value
        for key, value in drawn.items()
        if key in resource.record.required or key in (name, *values)
    }
    defaults = {
        key: resource.record.member(key).node["default"]
        for key in resource.record.properties
        if "default" in resource.record.member(key).node and key not in record
    }
    record = {**record, **defaults, **values}
    if name and name not in values:
        record[name] = _new_id(resource, table, rng)
    key = str(record[name]) if name else f"#{len(table)}+"
    table[key] = record
    return item_body(doing.schema, resource, record, rng, place=None)


def _new_id(resource: Resource, table: Table, rng: Random) -> Json:
    schema = resource.record.member(resource.id_name)
    while True:
        made = draw_id(schema, resource.id_name, rng)
        if str(made) not in table:
            return made


def _update(doing: Doing) -> Json:
    """Set what is given. A PUT does the same: what it leaves out stays as it is."""
    record, values = doing.record, _values(doing)
    name = doing.resource.id_name
    record |= {key: value for key, value in values.items() if key != name}
    return item_body(doing.schema, doing.resource, record, doing.random(), place=None)


def _delete(doing: Doing) -> Json:
    record = doing.record
    del doing.table[doing.id]
    return item_body(doing.schema, doing.resource, record, doing.random(), place=None)


def _delete_all(doing: Doing) -> Json:
    """Delete what the request names by ids or filters; all things where it names none."""
    plan, table = plan_of(doing.route, doing.resource), doing.table
    ids = _ids_given(doing)
    for key, record in [*table.items()]:
        is_named = ids is None or key in ids
        if is_named and fits(plan, record, doing.received.query, doing.resource):
            del table[key]
    return draw_object(doing.schema, doing.random()) if doing.schema.type == "object" else []


def _ids_given(doing: Doing) -> frozenset[str] | None:
    body = doing.received.body
    places: list[Mapping[str, Json]] = [doing.received.query, body if is_object(body) else {}]
    for place in places:
        for name, value in place.items():
            if split_words(name)[-1:] == ("id",) and is_array(value):
                return frozenset(map(str, value))
    return frozenset(map(str, body)) if is_array(body) else None


def _values(doing: Doing) -> JsonObject:
    """What the body says of the thing: the properties that things have."""
    shape = body_shape(doing.route.tool, doing.resource)
    given = merge_values(shape.place, doing.received.body) if shape else {}
    record, rng = doing.resource.record, doing.random()
    return {
        key: _as_kept(record.member(key), deepcopy(value), rng)
        for key, value in given.items()
        if key in record.properties
    }


def _as_kept(schema: Schema, value: Json, rng: Random) -> Json:
    """A value as a thing has it: where an id is given for what things hold whole, that."""
    if schema.type == "array" and is_array(value):
        return [_as_kept(schema.items(), each, rng) for each in value]
    if schema.type != "object" or is_object(value) or value is None:
        return value
    held = draw_object(schema, rng, DEEPEST)
    name = find_id(schema, "id", "")
    return {**held, name: value} if name else held


_ACTIONS: Mapping[str, Callable[[Doing], Json]] = {
    "list": _list,
    "get": _get,
    "create": _create,
    "update": _update,
    "replace": _update,
    "delete": _delete,
    "delete_all": _delete_all,
}
WRITES = frozenset(("create", "update", "replace", "delete", "delete_all"))


def split_path(resource: Resource, values: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The ids of what a collection is inside of, and the id of the thing; empty for none."""
    depth = resource.depth
    return tuple(values[:depth]), values[depth] if len(values) > depth else ""
