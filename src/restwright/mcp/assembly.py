"""From what the user says to a server that is ready to run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server import Server

from restwright import __version__
from restwright.agents.journal.store import Journal
from restwright.calls.auth.oauth.client import Login
from restwright.mcp.background_tasks import BackgroundTasks
from restwright.mcp.call_log import CallLog
from restwright.mcp.caller import ToolCaller
from restwright.mcp.catalog_tools import CatalogTools, Exposure, choose_exposure
from restwright.mcp.client_runs import ClientRuns
from restwright.mcp.consent import ApprovalLedger
from restwright.mcp.functions.prompts import FunctionPrompts
from restwright.mcp.functions.resources import FunctionResources
from restwright.mcp.kept_results import KeptResults
from restwright.mcp.landing import LocalLanding, MakeLanding
from restwright.mcp.logins import Logins
from restwright.mcp.output_schemas import OutputStyle
from restwright.mcp.prompts import SamplePrompts
from restwright.mcp.providers import ToolProvider
from restwright.mcp.reload import LOOK_EVERY_S, Reloader
from restwright.mcp.resources import CatalogResources
from restwright.mcp.served import ServedTools
from restwright.mcp.server import ProviderServer, ServerInfo
from restwright.mcp.unicode_text import to_unicode_text
from restwright.mcp.write_journal import WriteJournal
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.throttle import TransportLimits
from restwright.tools.catalog.catalog import Catalog

if TYPE_CHECKING:
    from restwright.mcp.agent_tools import AgentTools, FindModel

MAX_CONCURRENT = 64
"""Requests to one origin under way at the same time, of all clients together."""
_MAX_TITLES = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """
    How a catalog is served.

    Args:
        exposure: `auto` chooses by the size of the catalog.
        output: What tools say of their results.
        all_pages: Whether every page of a list is read.
        call_log: Where calls are written down; None for nowhere.
        timeout_s: Seconds for one response.
        max_bytes: Of one response.
        files: Whose changes are taken in.
        poll_every_s: How often URLs are asked whether they changed; None for never.
    """

    exposure: Exposure = "auto"
    output: OutputStyle = "off"
    all_pages: bool = False
    call_log: Path | None = None
    timeout_s: float = 30.0
    max_bytes: int = 10_000_000
    files: Sequence[Path] = ()
    look_every_s: float = LOOK_EVERY_S
    poll_every_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltServer:
    """
    A server, ready to run.

    Args:
        exposure: What was chosen.
        transport: What carries its requests; open until the server ends.
        close: To be called at its end.
    """

    server: Server[Any]
    exposure: Exposure
    transport: AsyncTransport = field(repr=False)
    providers: ProviderServer = field(repr=False)
    close: Callable[[], None] = field(repr=False)


def build_server(
    served: ServedTools,
    options: ServeOptions,
    *,
    load: Callable[[], ServedTools],
    report_error: Callable[[str], None],
    more_tools: Sequence[ToolProvider] = (),
    journal: Journal | None = None,
    find_model: FindModel | None = None,
    make_landing: MakeLanding = LocalLanding,
    make_login: Callable[[], Login] | None = None,
    person: str = "the user of a client",
) -> BuiltServer:
    """
    Put a server together.

    Args:
        load: Reads what is served again, after a change of its files.
        report_error: Told what whoever runs the server has to know.
        more_tools: Beside those of the catalog.
        journal: Keeps each write before it is sent, and the runs of agents; None for nowhere.
        find_model: The models of agents; None where no agent can be asked.
        make_landing: Where browsers come back to that a client opens for a login.
        make_login: How who sits at this machine logs in where their client opens no page.
        person: Who answers open questions, by the name that is kept.
    """
    transport = AsyncTransport(
        timeout_s=options.timeout_s,
        max_bytes=options.max_bytes,
        limits=TransportLimits(max_concurrent=MAX_CONCURRENT),
        max_redirects=5,
    )
    kept, ledger = KeptResults(), ApprovalLedger()

    async def announce() -> None:
        await providers.tell_of_change(resources.uris())

    reloader = Reloader(
        served=served,
        load=load,
        files=options.files,
        tell=announce,
        report_error=report_error,
        look_every_s=options.look_every_s,
        poll_every_s=options.poll_every_s,
    )
    resources = CatalogResources(served=reloader.current, kept=kept)
    log = CallLog(options.call_log) if options.call_log is not None else None
    if log is not None:
        log.check()
    writes = _open_writes(journal, served, report_error)
    logins = Logins(send=transport, make_landing=make_landing, make_login=make_login)
    caller = ToolCaller(
        served=reloader.current,
        send=transport,
        report_error=report_error,
        kept=kept,
        log=log,
        all_pages=options.all_pages,
        writes=writes,
        logins=logins,
    )
    exposure = options.exposure
    exposure = choose_exposure(served.offered) if exposure == "auto" else exposure
    tools = CatalogTools(
        served=reloader.current,
        caller=caller,
        ledger=ledger,
        exposure=exposure,
        output=options.output,
        announce=announce,
    )
    beside: list[ToolProvider] = []
    if exposure == "code":
        from restwright.mcp.code_tools import CodeTools

        beside.append(CodeTools(served=reloader.current, caller=caller, ledger=ledger))
    agents = None
    if find_model is not None and served.agents:
        from restwright.mcp.agent_tools import AgentTools

        agents = AgentTools(
            served=reloader.current,
            send=transport,
            find_model=find_model,
            journal=journal,
        )
        beside.append(agents)
        if journal is not None and not served.is_read_only:
            from restwright.mcp.question_tools import QuestionTools

            beside.append(QuestionTools(journal=journal, runs=tools.runs, person=person))
    providers = ProviderServer(
        info=_describe_server(served.offered, exposure),
        report_error=report_error,
        tools=(tools, *beside, *more_tools),
        resources=(FunctionResources(served=reloader.current, runs=tools.runs), resources),
        prompts=(
            FunctionPrompts(served=reloader.current, runs=tools.runs),
            SamplePrompts(served=reloader.current),
        ),
        completers=(resources,),
        running=partial(_run_beside, reloader, transport, tools.runs, logins, agents),
    )
    return BuiltServer(
        server=providers.build(),
        exposure=exposure,
        transport=transport,
        providers=providers,
        close=partial(_close_all, [part for part in (writes, agents) if part is not None]),
    )


def _open_writes(
    journal: Journal | None, served: ServedTools, report_error: Callable[[str], None]
) -> WriteJournal | None:
    if journal is None:
        return None
    apis = {name: api.sha256 for name, api in served.catalog.apis.items()}
    writes = WriteJournal(journal, f"mcp serve {' '.join(sorted(apis))}", apis)
    for doubt in writes.describe_doubts():
        report_error(doubt)
    return writes


def _close_all(parts: Sequence[WriteJournal | AgentTools]) -> None:
    for part in parts:
        part.close()


@asynccontextmanager
async def _run_beside(
    reloader: Reloader,
    transport: AsyncTransport,
    runs: ClientRuns,
    logins: Logins,
    agents: AgentTools | None,
) -> AsyncGenerator[None]:
    """What runs as long as the server does."""
    of_agents = nullcontext() if agents is None else agents.runs.running()
    watching = BackgroundTasks()
    async with transport, runs.running(), logins.running(), of_agents, watching.running():
        if reloader.files or reloader.poll_every_s is not None:
            watching.start_task(reloader.watch)
        yield


def _describe_server(catalog: Catalog, exposure: Exposure) -> ServerInfo:
    apis = sorted(catalog.apis)
    titles = "; ".join(f"{name}: {' '.join(catalog.apis[name].title.split())}" for name in apis)
    shown = titles if len(titles) <= _MAX_TITLES else f"{len(apis):,} APIs"
    ways = {
        "all": "Each tool is one operation.",
        "search": (
            "Find a tool with search_tools, read what it takes with show_tool, and call it with"
            " call_tool."
        ),
        "code": (
            "Find tools with search_tools, read what they take with show_tool, and call them from"
            " the Python of run_code."
        ),
    }
    writes = "What changes something is sent after the user has agreed to it."
    return ServerInfo(
        name=apis[0] if len(apis) == 1 else "restwright",
        version=__version__,
        title=to_unicode_text(catalog.apis[apis[0]].title) if len(apis) == 1 else "Restwright",
        instructions=to_unicode_text(f"APIs: {shown}. {ways.get(exposure, '')} {writes}"),
    )
