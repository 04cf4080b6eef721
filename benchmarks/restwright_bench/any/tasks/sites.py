"""Collections that a task can be about, and the calls that read and change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from restwright.jsontypes import Json, JsonObject
from restwright.tools.text.words import split_words
from restwright_bench.any.fields import Field, humanise
from restwright_bench.any.resources import Resource
from restwright_bench.any.schemas import schema_of
from restwright_bench.any.tasks.calls import Unreachable, step, update_body, writing_tool
from restwright_bench.any.tasks.task import (
    AskedChange,
    ProgramStep,
    Things,
    Value,
)
from restwright_bench.any.world.bodies import has_cursor
from restwright_bench.any.world.listing import plan_list, read_page
from restwright_bench.any.world.state import State, TableKey
from restwright_bench.any.world.tables import Table

LEAST_THINGS = 3
_MOST_PAGES = 20
MOST_PARENTS = 2
"""As many parents are looked into for collections inside of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    One collection with things that have names.

    Args:
        parent: The collection around it, with the id there; None at the root.
    """

    resource: Resource
    state: State = field(repr=False)
    parent: tuple[Site, str] | None = None

    @property
    def parents(self) -> tuple[str, ...]:
        """Ids around it."""
        return (*self.parent[0].parents, self.parent[1]) if self.parent else ()

    @property
    def key(self) -> TableKey:
        """Of its table."""
        return self.resource.path, self.parents

    @property
    def table(self) -> Table:
        """Its things."""
        return self.state.table(self.resource.path, self.parents) or {}

    @property
    def around(self) -> tuple[Json, ...]:
        """The ids around it, as responses have them."""
        if self.parent is None:
            return ()
        site, key = self.parent
        return (*site.around, site.raw_id(key))

    def raw_id(self, key: str) -> Json:
        """The id of a thing as responses have it."""
        return self.table[key][self.resource.id_name]

    def name(self, key: str) -> str:
        """What a thing is called."""
        return str(self.table[key][self.resource.name_of])

    def things(self, key: str = "") -> Things:
        """The collection, or one thing of it, as questions name it."""
        scope = None
        if self.parent is not None:
            site, parent_key = self.parent
            scope = (site.resource.noun, site.name(parent_key))
        return Things(noun=self.resource.noun, name=self.name(key) if key else "", scope=scope)

    def fields(self, *kinds: str, is_got: bool = False) -> tuple[Field, ...]:
        """
        Properties that every thing has, and not all of them the same.

        Args:
            is_got: Those too that the list does not show and the operation for one thing does.
        """
        shown, is_got = self.resource.shown.properties, is_got and "get" in self.resource.operations
        return tuple(
            each
            for each in self.resource.fields
            if each.kind in kinds
            and each.name != self.resource.name_of
            and (is_got or each.name in shown)
            and _tells_apart(each.name, [*self.table.values()])
        )

    def read(self) -> tuple[ProgramStep, ...]:
        """The calls that list all things, page by page; before that those around them."""
        before = self.parent[0].read() if self.parent else ()
        return (*before, *self._pages())

    def _pages(self) -> Iterator[ProgramStep]:
        tool = self.resource.operations["list"]
        schema = schema_of(tool.output)
        plan = plan_list(tool, self.resource, can_tell_cursor=has_cursor(schema))
        query: Mapping[str, Json] = {}
        for _ in range(_MOST_PAGES):
            yield step(tool, self.around, query=query)
            page = read_page(plan, [*self.table.values()], query, self.resource)
            if not page.following:
                return
            query = page.following

    def get(self, key: str) -> tuple[ProgramStep, ...]:
        """The call that reads one thing; none where there is no such operation."""
        tool = self.resource.operations.get("get")
        return (step(tool, (*self.around, self.raw_id(key))),) if tool is not None else ()

    def set(self, key: str, values: Mapping[str, Json]) -> tuple[ProgramStep, AskedChange]:
        """
        The call that changes a thing, and the change.

        Raises:
            Unreachable: Nothing changes such things.
        """
        found = writing_tool(self.resource)
        if found is None:
            raise Unreachable("nothing changes these things")
        tool, shape = found
        body = update_body(shape, self.table[key], values)
        call = step(tool, (*self.around, self.raw_id(key)), body=body)
        return call, AskedChange(table=self.key, kind="updated", id=key, values=values)

    def delete(self, key: str) -> tuple[ProgramStep, AskedChange]:
        """
        The call that deletes a thing, and the change.

        Raises:
            Unreachable: Nothing deletes such things.
        """
        tool = self.resource.operations.get("delete")
        if tool is None:
            raise Unreachable("nothing deletes these things")
        call = step(tool, (*self.around, self.raw_id(key)))
        return call, AskedChange(table=self.key, kind="deleted", id=key)


def find_sites(state: State, resources: Sequence[Resource], rng: Random) -> tuple[Site, ...]:
    """The collections of things with names, within what has a name; in any order."""
    found: dict[str, list[Site]] = {}
    for resource in _well_named(resources):
        sites = [site for site in _sites_of(resource, state, found) if _is_usable(site)]
        found[resource.path] = sites
    every = [site for several in found.values() for site in several]
    rng.shuffle(every)
    return tuple(every)


def _well_named(resources: Sequence[Resource]) -> Iterator[Resource]:
    """Those whose noun is clear: of several with the same noun the one nearest to the root."""
    nearest: dict[tuple[str, tuple[str, ...]], Resource] = {}
    for resource in resources:
        last = humanise(resource.noun).split()[-1]
        if resource.id_name or split_words(last) != (last,):
            key = (resource.parent, split_words(resource.noun))
            known = nearest.get(key)
            if known is None or resource.path.count("/") < known.path.count("/"):
                nearest[key] = resource
    yield from nearest.values()


def _sites_of(
    resource: Resource, state: State, found: Mapping[str, Sequence[Site]]
) -> Iterator[Site]:
    if not resource.name_of:
        return
    if not resource.parent:
        yield Site(resource=resource, state=state)
        return
    for above in found.get(resource.parent, ())[:1]:
        if above.parent is None:
            for key in [*above.table][:MOST_PARENTS]:
                yield Site(resource=resource, state=state, parent=(above, key))


def _tells_apart(name: str, records: Sequence[JsonObject]) -> bool:
    return all(name in each for each in records) and len({str(each[name]) for each in records}) > 1


def _is_usable(site: Site) -> bool:
    names = [str(each.get(site.resource.name_of, "")) for each in site.table.values()]
    is_named = all(names) and len(set(names)) == len(names) >= LEAST_THINGS
    if not is_named or site.resource.name_of not in site.resource.shown.properties:
        return False
    try:
        return bool(site.read())
    except Unreachable:
        return False


def pick(rng: Random, table: Table) -> str:
    """One id of a table."""
    return rng.choice([*table])


def values_of(site: Site, name: str) -> dict[str, Json]:
    """`{id: value}` of one property."""
    return {key: record[name] for key, record in site.table.items()}


def in_words(one: Field, value: Json, *, is_day: bool = False) -> Value:
    """
    A value with the words of its enumeration or its day; a moment stays as it is written.

    Args:
        is_day: Whether the day alone is meant, of a moment too.
    """
    if one.kind == "enum" and isinstance(value, str):
        return Value(value, humanise(value) != value)
    is_date = one.kind == "date" and (is_day or len(str(value)) == len("2027-03-03"))
    return Value(value, is_date)
