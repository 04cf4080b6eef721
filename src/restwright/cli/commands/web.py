"""`web`: a page to look at, for who sits at this machine."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.options import (
    AllowFolder,
    Classes,
    ConnectionOptions,
    Described,
    TransportOptions,
)
from restwright.cli.inputs.run_options import (
    AgentOptions,
    ApprovalOptions,
    JournalPlace,
    LimitOptions,
    MomentOptions,
    NoJournal,
)
from restwright.cli.inputs.server_options import PageAddressOptions, Sources, check_sources
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.runs.web_page import ChatOptions, PageSettings, serve_page
from restwright.errors import MissingExtra

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog


def web(
    *,
    sources: Sources,
    address: PageAddressOptions,
    filters: FilterOptions,
    classes: Classes = None,
    connection: ConnectionOptions,
    transport: TransportOptions,
    described: Described,
    allow_folder: AllowFolder = None,
    agent: AgentOptions,
    moment: MomentOptions,
    limits: LimitOptions,
    no_journal: NoJournal = False,
    place: JournalPlace,
    out: Output,
) -> int:
    """Show documents and manifests in the browser: what there is, and what a call gives."""
    check_sources(sources)
    try:
        from restwright.web.site import LockState, find_lock_state
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a page in the browser") from error
    from restwright.mcp.sources import SourceSettings, load_served, split_sources

    documents, manifests = split_sources(sources)
    settings = described.catalog_settings()
    locks: list[LockState] = []
    read: list[Catalog] = []
    policy = policy_of(ApprovalOptions(read_only=filters.read_only), classes)

    def keep(whole: Catalog) -> Catalog:
        # What is filtered out is not gone.
        if documents and not locks and (state := find_lock_state(settings, whole)):
            locks.append(state)
        read.append(filters.filter(whole))
        return read[-1]

    served = load_served(
        SourceSettings(
            documents=documents,
            manifests=manifests,
            catalog=settings,
            keep=keep,
            connect=partial(connection.connections, has_person=not address.oauth),
            policy=policy,
            allow_folder=allow_folder,
            allow_commands=connection.allow_commands,
        ),
        out.warn,
    )
    with transport.open_transport() as send:
        opened = PageSettings(
            served=served,
            documents=read[0] if documents else None,
            policy=policy,
            send=send,
            lock=next(iter(locks), None),
            can_write=not filters.read_only,
            chat=ChatOptions(
                agent=agent, moment=moment, limits=limits, no_journal=no_journal, place=place
            ),
        )
        serve_page(opened, address, out)
    return DONE
