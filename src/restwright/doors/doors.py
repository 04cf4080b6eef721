"""The doors put together: routes for any application, and an application of them alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from restwright.agents.journal.store import Journal
from restwright.doors.ag_ui import AGUIDoor
from restwright.doors.agents import DoorAgent
from restwright.doors.chat_completions import ChatDoor
from restwright.doors.runs import RunTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """
    What programs of others can ask of a server.

    Args:
        routes: Under `/v1` and `/ag-ui`.
        runs: Those that are under way; to be closed when the server ends.
    """

    routes: tuple[BaseRoute, ...]
    runs: RunTable = field(repr=False)


def create_doors(
    agents: Callable[[], Mapping[str, DoorAgent]],
    *,
    journal: Journal | None = None,
    runs: RunTable | None = None,
) -> Doors:
    """
    Make the routes by which programs ask agents.

    Args:
        agents: Gives `{name: agent}` as it is right now.
        journal: Keeps the threads of AG-UI; None for nowhere.
        runs: How many may go on; None for as many as usual.
    """
    table = runs or RunTable()
    chat = ChatDoor(agents=agents, runs=table)
    ag_ui = AGUIDoor(agents=agents, runs=table, journal=journal)
    return Doors(routes=(*chat.routes(), *ag_ui.routes()), runs=table)


def create_app(
    doors: Doors,
    running: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
) -> Starlette:
    """
    Make an application of the doors alone, which nobody guards yet.

    Args:
        running: What is open as long as the server runs.
    """

    @asynccontextmanager
    async def live(app: Starlette) -> AsyncGenerator[None]:
        del app
        async with running():
            try:
                yield
            finally:
                await doors.runs.close()

    return Starlette(routes=[*doors.routes], lifespan=live)
