"""What a task is, and how states are compared."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.checker import normalised
from restwright_bench.queries.query import Changed, Expected
from restwright_bench.spaces.space import Stores


@dataclass(frozen=True, slots=True)
class Do:
    """One call of a script: the full name of a tool, and its arguments."""

    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])


Script = Generator[Do, Json, str]
"""Yields calls, is sent the values of their results, returns what is said to the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    One task.

    Args:
        name: Short, and its own.
        uses: Full names of the tools of the shortest way.
        accepts: Others that a careful user of these APIs may call on the way.
        script: Right calls, in any world.
        expected: Worked out from the data before the first call.
    """

    name: str
    text: str
    uses: tuple[str, ...]
    script: Callable[[], Script] = field(repr=False)
    expected: Callable[[Stores], Expected] = field(repr=False)
    accepts: tuple[str, ...] = ()

    @property
    def namespaces(self) -> frozenset[str]:
        """Those whose tools it takes."""
        return frozenset(each.partition("__")[0] for each in self.uses)


def added(namespace: str, table: str, **fields: str) -> Changed:
    """One record more with these texts in it, and nothing else."""

    def is_met(before: JsonObject, after: JsonObject) -> bool:
        old, new = before[namespace].get(table, {}), after[namespace].get(table, {})
        more = [new[each] for each in new if each not in old]
        rest = {each: new[each] for each in new if each in old}
        return (
            len(more) == 1
            and _has(more[0], fields)
            and _with(after, namespace, table, rest) == _with(before, namespace, table, old)
        )

    return Changed(is_met=is_met, what=f"a record more in {namespace} {table}")


def became(namespace: str, table: str, id: str, **fields: Json) -> Changed:  # noqa: A002
    """One record with these values instead of its own, and nothing else."""

    def is_met(before: JsonObject, after: JsonObject) -> bool:
        new = after[namespace][table]
        old = before[namespace][table]
        return (
            id in new
            and all(new[id].get(name) == value for name, value in fields.items())
            and {**new[id], **{name: old[id].get(name) for name in fields}} == old[id]
            and _with(after, namespace, table, {**new, id: old[id]}) == before
        )

    return Changed(is_met=is_met, what=f"{', '.join(fields)} of {id} in {namespace} {table}")


def _has(record: Mapping[str, Json], fields: Mapping[str, str]) -> bool:
    return all(
        normalised(wanted) == normalised(str(record.get(name))) for name, wanted in fields.items()
    )


def _with(state: JsonObject, namespace: str, table: str, records: JsonObject) -> JsonObject:
    return {**state, namespace: {**state[namespace], table: records}}
