"""A server of ours in this process, and clients of both kinds of revisions to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from tests.support.mcp.tricky import Upstream

from mcp import Client
from restwright.agents.journal.store import Journal
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import Login
from restwright.manifests.functions.code_calls import RunCode
from restwright.mcp.assembly import BuiltServer, ServeOptions, build_server
from restwright.mcp.login.landing import LocalLanding, MakeLanding
from restwright.mcp.providers.agent_tools import FindModel
from restwright.mcp.providers.providers import ToolProvider
from restwright.mcp.sources.function_sources import is_function_source
from restwright.mcp.sources.sources import SourceSettings, list_files, load_served, split_sources
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.options import ToolOptions
from restwright.workspace.settings import CatalogSettings

ERAS = ("legacy", "2026-07-28")
T = TypeVar("T")


def source_settings(
    *sources: Path | str,
    policy: Policy = CONFIRM,
    connection: Connection | None = None,
    keep: Callable[[Catalog], Catalog] = lambda catalog: catalog,
    name_length: int = 45,
    run: RunCode | None = None,
    drop_namespaces: bool = False,
    **catalog: Any,
) -> SourceSettings:
    texts = [str(source) for source in sources]
    functions = [*filter(is_function_source, texts)]
    documents, manifests = split_sources([text for text in texts if text not in functions])
    return SourceSettings(
        documents=documents,
        manifests=manifests,
        functions=functions,
        catalog=CatalogSettings(tools=ToolOptions(name_length=name_length), **catalog),
        keep=keep,
        connect=lambda names: dict.fromkeys(names, connection or Connection()),
        policy=policy,
        run=run,
        drop_namespaces=drop_namespaces,
    )


@dataclass
class Served:
    """A server, and what it had to say to whoever runs it."""

    built: BuiltServer
    errors: list[str] = field(default_factory=list)


def serving_api(api: Upstream, folder: Path, **more: Any) -> Served:
    """Build a server over the API that trips bridges."""
    given = {"connection": Connection(server=api.url, auth=None), **more}
    return serving(api.write(folder), **given)


def serving(
    *sources: Path | str,
    options: ServeOptions | None = None,
    more_tools: Sequence[ToolProvider] = (),
    watch: bool = False,
    poll_every_s: float | None = None,
    journal: Journal | None = None,
    find_model: FindModel | None = None,
    make_landing: MakeLanding = LocalLanding,
    make_login: Callable[[], Login] | None = None,
    **more: Any,
) -> Served:
    """Build a server over documents and manifests."""
    settings = source_settings(*sources, **more)
    errors: list[str] = []

    def load() -> Any:
        return load_served(settings, errors.append)

    given = options or ServeOptions(exposure="all")
    if watch:
        given = ServeOptions(exposure=given.exposure, files=list_files(settings), look_every_s=0.05)
    if poll_every_s is not None:
        given = replace(given, poll_every_s=poll_every_s, look_every_s=0.05)
    built = build_server(
        load(),
        given,
        load=load,
        report_error=errors.append,
        more_tools=more_tools,
        journal=journal,
        find_model=find_model,
        make_landing=make_landing,
        make_login=make_login,
    )
    return Served(built, errors)


@dataclass
class Person:
    """Who is asked; `asked` are the messages, `answer` what is said to each."""

    answer: types.ElicitResult | None = None
    asked: list[str] = field(default_factory=list)

    async def __call__(self, _: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.answer or says(yes=True)


def says(*, yes: bool) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"send": yes})


@asynccontextmanager
async def connected(
    served: Served, era: str, person: Person | None = None, **more: Any
) -> AsyncIterator[Client]:
    """Open a client of an era in this process."""
    async with Client(
        served.built.server,
        mode=era,
        elicitation_callback=person,
        read_timeout_seconds=60,
        cache=None,
        **more,
    ) as client:
        yield client


def talk(
    served: Served,
    era: str,
    say: Callable[[Client], Awaitable[T]],
    person: Person | None = None,
    **more: Any,
) -> T:
    """Have a client of an era say something."""

    async def run() -> T:
        async with connected(served, era, person, **more) as client:
            return await say(client)

    return anyio.run(run)


def call(
    served: Served,
    era: str,
    name: str,
    arguments: dict[str, Any] | None = None,
    person: Person | None = None,
) -> types.CallToolResult:
    """Call one tool as a client of an era."""

    async def say(client: Client) -> types.CallToolResult:
        return await client.call_tool(name, arguments or {})

    return talk(served, era, say, person)


def texts(result: types.CallToolResult) -> list[str]:
    return [block.text for block in result.content if isinstance(block, types.TextContent)]


async def until(is_so: Callable[[], object]) -> None:
    """Wait for what another thread or task does."""
    with anyio.fail_after(30):
        while not is_so():  # noqa: ASYNC110 - nobody could set an event
            await anyio.sleep(0.02)
