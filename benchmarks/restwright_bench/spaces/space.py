"""The three servers, and the tools that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Send
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool
from restwright_bench.spaces import images, notes, todos
from restwright_bench.spaces.store import Store
from restwright_bench.spaces.tables import api_of_table
from restwright_bench.world.api import Api
from restwright_bench.world.app import World
from restwright_bench.world.document import served
from restwright_bench.world.inside import ORIGIN, Inside
from restwright_bench.world.serving import serving

Stores = Mapping[str, Store]
"""`{namespace: its data}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """
    The servers with their tools.

    Args:
        connections: `{namespace: where it is}`.
        send: Carries requests.
    """

    world: World
    catalog: Catalog
    connections: Mapping[str, Connection] = field(repr=False)
    send: Send = field(repr=False)

    @property
    def stores(self) -> Stores:
        """The data as it is now."""
        return {name: each.state for name, each in self.world.running.items()}  # type: ignore[misc]

    def call(self, tool: Tool, arguments: JsonObject) -> Result:
        """Make one call; writes are approved."""
        return call(
            *(tool, arguments),
            connection=self.connections[tool.namespace],
            send=self.send,
            approve=approve_all,
            policy=ALLOW,
        )


def apis() -> tuple[Api, ...]:
    """Images, notes and tasks."""
    pairs = (
        (images.TABLE, images.Images),
        (notes.TABLE, notes.Notes),
        (todos.TABLE, todos.Todos),
    )
    return tuple(api_of_table(table, make) for table, make in pairs)


def space_inside(*, seed: int = 0) -> Space:
    """The servers in this process, without HTTP."""
    world = World(apis(), seed=seed)
    return _space(world, ORIGIN, Inside(world.answer))


@contextmanager
def space_served(*, seed: int = 0) -> Iterator[Space]:
    """The servers on a port of this machine until the block ends."""
    world = World(apis(), seed=seed)
    with serving(world) as url, Transport() as transport:
        yield _space(world, url, transport)


def _space(world: World, origin: str, send: Send) -> Space:
    prefixes = {name: f"{origin}{each.api.prefix}" for name, each in world.running.items()}
    documents = [
        load(served(each.api.document, prefixes[name]), alias=name)
        for name, each in world.running.items()
    ]
    return Space(
        world=world,
        catalog=catalog(*documents),
        connections={name: Connection(server=url) for name, url in prefixes.items()},
        send=send,
    )
