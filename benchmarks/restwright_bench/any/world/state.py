"""The state of a world: tables that are drawn when they are first looked at, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

from restwright.jsontypes import JsonObject
from restwright_bench.any.resources import Resource
from restwright_bench.any.world.tables import Table, draw_table

ChangeKind = Literal["created", "updated", "deleted"]
TableKey = tuple[str, tuple[str, ...]]
"""Path of the resource, and the ids of what its collection is inside of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    One thing that is not as it was drawn.

    Args:
        table: Where it is.
        before: None for what was created; `after` for what was deleted.
    """

    table: TableKey
    id: str
    kind: ChangeKind
    before: JsonObject | None
    after: JsonObject | None


class State:
    """
    All tables of one world.

    Args:
        drawn: Tables of the same resources and seed that were drawn before; more are added to it.
        plant: Changes a table when it is first looked at; not one of those that are shared.
    """

    def __init__(
        self,
        resources: Sequence[Resource],
        seed: int,
        drawn: dict[TableKey, Table] | None = None,
        plant: Callable[[Resource, Table], None] | None = None,
    ) -> None:
        self.seed = seed
        self.resources: Mapping[str, Resource] = {each.path: each for each in resources}
        self._tables: dict[TableKey, Table] = {}
        self._shared = {} if drawn is None else drawn
        self._drawn: dict[TableKey, Table] = {}
        self._plant = plant

    def table(self, path: str, parents: Sequence[str] = ()) -> Table | None:
        """The things of a collection; None where what it is inside of is not there."""
        key = (path, tuple(parents))
        resource = self.resources[path]
        if resource.parent:
            above = self.table(resource.parent, parents[:-1])
            if above is None or parents[-1] not in above:
                return None
        if key not in self._tables:
            self._drawn[key] = self._draw(key, resource)
            self._tables[key] = deepcopy(self._drawn[key])
        return self._tables[key]

    def _draw(self, key: TableKey, resource: Resource) -> Table:
        if key not in self._shared:
            self._shared[key] = draw_table(resource, key[1], self.seed)
        if self._plant is None:
            return self._shared[key]
        planted = deepcopy(self._shared[key])
        self._plant(resource, planted)
        return planted

    def names(self) -> Iterator[str]:
        """Texts of several words in what was looked at: those by which people know the things."""
        for table in self._tables.values():
            for thing in table.values():
                yield from (
                    text for text in thing.values() if isinstance(text, str) and " " in text
                )

    def put(self, key: TableKey, table: Table) -> None:
        """Put a table back as it was."""
        self._tables[key] = table

    def changes(self) -> tuple[Change, ...]:
        """What is not as it was drawn, in the order of tables and ids."""
        found: list[Change] = []
        for key, table in sorted(self._tables.items()):
            found += _differences(key, self._drawn[key], table)
        return tuple(found)

    def copy(self) -> State:
        """The same state, to try something on."""
        other = State([*self.resources.values()], self.seed, self._shared, self._plant)
        for key, table in self._tables.items():
            other.put(key, deepcopy(table))
        other._drawn.update(self._drawn)
        return other


def _differences(key: TableKey, drawn: Table, now: Table) -> list[Change]:
    found: list[Change] = []
    for each in dict.fromkeys((*drawn, *now)):
        before, after = drawn.get(each), now.get(each)
        if before != after:
            kind = "created" if before is None else "deleted" if after is None else "updated"
            found.append(Change(table=key, id=each, kind=kind, before=before, after=after))
    return found
