"""`web`: a page to look at, for who sits at this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.options import (
    AllowFolder,
    Classes,
    ConnectionOptions,
    Described,
    Port,
    TransportOptions,
)
from restwright.cli.inputs.run_options import ApprovalOptions
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted
from restwright.errors import MissingExtra

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog

Sources = Annotated[
    list[str],
    Argument(metavar="DOC|MANIFEST", help="Path, URL or alias=path-or-URL; or a manifest's path."),
]
Host = Annotated[
    str,
    Option("--host", metavar="NAME", help="Of this machine: 127.0.0.1, localhost or ::1."),
]


def web(
    *,
    sources: Sources,
    host: Host = "127.0.0.1",
    port: Port = None,
    filters: FilterOptions,
    classes: Classes = None,
    connection: ConnectionOptions,
    transport: TransportOptions,
    described: Described,
    allow_folder: AllowFolder = None,
    out: Output,
) -> int:
    """Show documents and manifests in the browser: what there is, and what a call gives."""
    if "-" in sources:
        raise BadParameter("a document on standard input cannot be read again: give a path")
    try:
        from restwright.doors.guard import BrowserAccess
        from restwright.doors.listening import find_address, open_listener, serve_app
        from restwright.web.app import create_app, guard_app
        from restwright.web.site import LockState, Site, find_lock_state
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a page in the browser") from error
    from restwright.calls.response.file_store import files_folder
    from restwright.mcp.sources import SourceSettings, load_served, split_sources

    documents, manifests = split_sources(sources)
    settings = described.catalog_settings()
    locks: list[LockState] = []

    def keep(whole: Catalog) -> Catalog:
        # What is filtered out is not gone.
        if documents and not locks and (state := find_lock_state(settings, whole)):
            locks.append(state)
        return filters.filter(whole)

    served = load_served(
        SourceSettings(
            documents=documents,
            manifests=manifests,
            catalog=settings,
            keep=keep,
            connect=connection.connections,
            policy=policy_of(ApprovalOptions(read_only=filters.read_only), classes),
            allow_folder=allow_folder,
            allow_commands=connection.allow_commands,
        ),
        out.warn,
    )
    with open_listener(host, port or 0) as listener, transport.open_transport() as send:
        url, number = find_address(listener)

        def say_next(token: str) -> None:
            out.note(f"for another browser: {url}/?token={token}")

        browsers = BrowserAccess(cookie=f"restwright-{number}", on_new_token=say_next)
        site = Site(served=served, send=send, lock=next(iter(locks), None), files=files_folder())
        app = guard_app(create_app(site), number, browsers)

        def announce() -> None:
            print(f"{url}/?token={browsers.token}", flush=True)
            out.note(f"{counted(len(served.catalog), 'tool')}; press Ctrl-C to stop")

        serve_app(app, listener, announce)
    return DONE
