"""`serve`: agents for the chats and programs of others."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.human import find_person
from restwright.cli.inputs.options import (
    AllowFolder,
    Classes,
    ConnectionOptions,
    Described,
    TransportOptions,
    Yes,
)
from restwright.cli.inputs.run_options import (
    AgentOptions,
    ApprovalOptions,
    JournalPlace,
    LimitOptions,
    MomentOptions,
    NoJournal,
    ShareLimits,
)
from restwright.cli.inputs.server_options import AddressOptions, Sources, check_sources
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.runs.run import find_shared_limits, open_journal
from restwright.errors import MissingExtra


@dataclass(frozen=True, kw_only=True)
class AnsweringOptions:
    """Options of how questions are answered."""

    agent: AgentOptions = field(default_factory=AgentOptions)
    moment: MomentOptions = field(default_factory=MomentOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)


def serve(
    *,
    sources: Sources,
    address: AddressOptions,
    filters: FilterOptions,
    classes: Classes = None,
    yes: Yes = False,
    connection: ConnectionOptions,
    transport: TransportOptions,
    described: Described,
    answering: AnsweringOptions,
    allow_folder: AllowFolder = None,
    no_journal: NoJournal = False,
    place: JournalPlace,
    share_limits: ShareLimits = False,
    out: Output,
) -> int:
    """Answer the chats of other programs: Chat Completions of OpenAI, and AG-UI."""
    check_sources(sources)
    try:
        from restwright.doors.doors import create_app, create_doors, guard_doors
        from restwright.net.http_server import find_address, open_listener, serve_app
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a server for the chats of others") from error
    from restwright.cli.runs.door_access import make_access
    from restwright.cli.runs.door_agents import DoorAgentMaker, DoorModels
    from restwright.mcp.sources import SourceSettings, split_sources
    from restwright.net.http.async_transport import AsyncTransport

    documents, manifests = split_sources(sources)
    approval = ApprovalOptions(yes=yes, read_only=filters.read_only)
    settings = SourceSettings(
        documents=documents,
        manifests=manifests,
        catalog=described.catalog_settings(),
        keep=filters.filter,
        connect=partial(connection.connections, has_person=not address.oauth),
        policy=policy_of(approval, classes),
        allow_folder=allow_folder,
        allow_commands=connection.allow_commands,
    )
    with ExitStack() as ending:
        journal = None if no_journal else open_journal(place, out)
        if journal is not None:
            ending.enter_context(journal)
        shared = find_shared_limits(journal, out, is_wanted=share_limits)
        send = ending.enter_context(transport.open_transport(shared))
        models = DoorModels(options=answering.agent.model, out=out, ending=ending)
        agents = DoorAgentMaker(
            kind=answering.agent.agent_kind,
            limits=answering.limits,
            moment=answering.moment,
            send=send,
            policy=settings.policy,
            find_model=models.find,
            shared=shared,
        ).read_agents(settings, out.warn)
        listener = ending.enter_context(
            open_listener(address.host, address.port or 0, wants_secret=address.wants_secret)
        )
        own_url, port = find_address(listener)
        url = (address.url or own_url).rstrip("/")
        # What is to change nothing allows no other run to do so either.
        person = "" if filters.read_only else find_person()
        doors = create_doors(lambda: agents, journal=journal, person=person)
        verifier = AsyncTransport()
        app = create_app(doors, lambda: verifier)
        access = make_access(address, url, verifier, out)

        def announce() -> None:
            print(f"{url}/v1", flush=True)
            out.note(f"models: {', '.join(agents)}; AG-UI: {url}/ag-ui; press Ctrl-C to stop")

        serve_app(guard_doors(app, port, access), listener, announce)
    return DONE
