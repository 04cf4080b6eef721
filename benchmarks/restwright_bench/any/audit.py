"""Which operations of a document its world serves, each tried once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.call import call
from restwright.jsontypes import Json
from restwright.tools.tool import Tool
from restwright_bench.any.draw import draw
from restwright_bench.any.program import CONNECTION
from restwright_bench.any.resources import Resource
from restwright_bench.any.tasks.calls import Unreachable, step, update_body
from restwright_bench.any.tasks.generate import Document
from restwright_bench.any.tasks.task import ProgramStep
from restwright_bench.any.world.tables import Table, random_for
from restwright_bench.any.world.world import World
from restwright_bench.any.writing import body_shape

_OF_ITEM = frozenset(("get", "update", "replace", "delete"))
_NOT_SERVED = 501


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """
    What became of the operations of a document.

    Args:
        unserved: `{operation: why no response of it fits the document}`.
        untried: Those whose arguments no schema tells.
        others: As many operations fit no resource.
    """

    served: tuple[str, ...]
    unserved: dict[str, str]
    untried: tuple[str, ...]
    others: int

    def __str__(self) -> str:
        told = [f"{len(self.served)} operations served", f"{len(self.unserved)} not served"]
        told += [f"{len(self.untried)} not tried", f"{self.others} of no resource"]
        return ", ".join(told)


def audit(document: Document, seed: int = 0) -> Audit:
    """Try each operation of each resource once, each in a world as it was drawn."""
    served: list[str] = []
    unserved: dict[str, str] = {}
    untried: list[str] = []
    for resource in document.resources:
        for action, tool in resource.operations.items():
            world = document.world(seed)
            try:
                calls = _call(resource, action, tool, world)
            except Unreachable:
                untried.append(tool.name)
                continue
            status = _status(calls, world)
            if status == _NOT_SERVED:
                unserved[tool.name] = world.unserved.get(tool.name, "")
            elif status is None:
                untried.append(tool.name)
            else:
                served.append(tool.name)
    tried = {*served, *unserved, *untried}
    return Audit(
        served=tuple(served),
        unserved=unserved,
        untried=tuple(untried),
        others=sum(name not in tried for name in document.catalog.names),
    )


def _status(one: ProgramStep, world: World) -> int | None:
    """The status of a success, or 501; None for arguments that do not fit."""
    result = call(
        *(world.catalog[one.tool], one.arguments),
        connection=CONNECTION,
        send=world,
        approve=approve_all,
        policy=ALLOW,
    )
    return result.status if result.ok or result.status == _NOT_SERVED else None


def _call(resource: Resource, action: str, tool: Tool, world: World) -> ProgramStep:
    parents: list[str] = []
    around: list[Json] = []
    for above in _above(resource, world):
        key, table = _first(world.state.table(above.path, parents))
        around.append(table[key][above.id_name])
        parents.append(key)
    key, table = _first(world.state.table(resource.path, parents))
    path = [*around, table[key][resource.id_name]] if action in _OF_ITEM else around
    shape = body_shape(tool, resource)
    if shape is None:
        return step(tool, path)
    rng = random_for(world.seed, tool.name)
    if action == "create":
        values = {name: draw(shape.properties[name], rng, name) for name in shape.required}
        return step(tool, path, body=shape.arguments(values))
    return step(tool, path, body=update_body(shape, table[key], {}))


def _above(resource: Resource, world: World) -> Iterator[Resource]:
    """The resources around one, the outermost first."""
    if resource.parent:
        parent = world.resources[resource.parent]
        yield from _above(parent, world)
        yield parent


def _first(table: Table | None) -> tuple[str, Table]:
    if not table:
        raise Unreachable("there is nothing to try it on")
    return next(iter(table)), table
