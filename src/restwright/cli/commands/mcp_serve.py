"""`mcp serve`: documents and manifests as tools for any client of the Model Context Protocol."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import BadParameter, Option

from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.human import find_person
from restwright.cli.inputs.options import (
    Classes,
    ConnectionOptions,
    Described,
    NameLength,
    TransportOptions,
    Yes,
)
from restwright.cli.inputs.run_options import ApprovalOptions, JournalPlace, ModelOptions, NoJournal
from restwright.cli.inputs.server_options import ClientOptions, SourcesOrFunctions
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted
from restwright.cli.runs.manifests import AccessOptions
from restwright.cli.runs.run import open_journal
from restwright.cli.surroundings import current_surroundings
from restwright.errors import MissingExtra

if TYPE_CHECKING:
    from restwright.agents.steps import Model
    from restwright.calls.auth.connection import Connection
    from restwright.manifests.own.manifest import Manifest
    from restwright.mcp.assembly import BuiltServer
    from restwright.mcp.http import HTTPAccess, HTTPAddress
    from restwright.mcp.landing import LoginRoute

PREFIXED_NAME_LENGTH = 45
"""Characters of a tool's name to which a host can add the name of the server."""


@dataclass(frozen=True, kw_only=True)
class ServedNames(Described):
    """Options of how tools are presented to clients."""

    name_length: NameLength = PREFIXED_NAME_LENGTH
    no_namespaces: Annotated[
        bool,
        Option(
            "--no-namespaces", help="Names such as find for shop__find, if they stay different."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class ExposureOptions:
    """Options of what clients see."""

    expose: Annotated[
        Literal["auto", "all", "search", "code"],
        Option(
            "--expose",
            help="All tools; three to find and call them with; or two and one that runs Python"
            " with the tools as functions. auto: by how many there are.",
        ),
    ] = "auto"
    output_schema: Annotated[
        Literal["off", "loose", "exact"],
        Option(
            "--output-schema",
            help="What tools say of their results: nothing; names of members; or the document's"
            " schema, so that a response which is not as it says is an error.",
        ),
    ] = "off"
    all_pages: Annotated[
        bool, Option("--all-pages", help="Read every page of a list: 50 pages, 5,000 items.")
    ] = False
    calls: Annotated[
        Path | None, Option("--call-log", metavar="FILE", help="Write a line of JSON a call there.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class HTTPPlace:
    """Options of where a server over HTTP is."""

    http: Annotated[
        str | None,
        Option("--http", metavar="HOST:PORT", help="Serve HTTP there, at /mcp, and not stdio."),
    ] = None


# The fields of the last class are the first options.
@dataclass(frozen=True, kw_only=True)
class HTTPOptions(ClientOptions, HTTPPlace):
    """Options of a server over HTTP."""

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored."""
        if self.http is None and any((self.url, self.token, self.oauth, self.scope)):
            raise BadParameter("--url, --token, --oauth and --scope need --http")
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class ServedWrites:
    """Options of whether calls may write."""

    classes: Classes = None
    yes: Yes = False


@dataclass(frozen=True, kw_only=True)
class LocalOptions:
    """Options of what a server may use of this machine, and what it keeps there."""

    access: AccessOptions = field(default_factory=AccessOptions)
    no_journal: NoJournal = False
    place: JournalPlace = field(default_factory=JournalPlace)


def serve(
    *,
    sources: SourcesOrFunctions,
    http: HTTPOptions,
    exposure: ExposureOptions,
    filters: FilterOptions,
    write: ServedWrites,
    connection: ConnectionOptions,
    transport: TransportOptions,
    named: ServedNames,
    model: ModelOptions,
    local: LocalOptions,
    out: Output,
) -> int:
    """Serve documents, manifests and functions to clients of the Model Context Protocol."""
    if http.http is None and "-" in sources:
        raise BadParameter("standard input is the client's: give a path or a URL")
    if http.oauth and local.access.allow_code:
        raise BadParameter(
            "--allow-code keeps one process for everybody, and --oauth is for several users"
        )
    from restwright.cli.inputs.login import TerminalLogin

    with ExitStack() as ending:
        # What is imported and read at the start stays: to look for garbage in it is a sixth of it.
        gc.disable()
        ending.callback(gc.enable)
        from restwright.mcp.function_sources import is_function_source
        from restwright.mcp.sources import (
            SourceSettings,
            has_urls,
            list_files,
            load_served,
            split_sources,
        )

        try:
            from restwright.mcp.assembly import ServeOptions, build_server
            from restwright.mcp.landing import LocalLanding, LoginRoute
            from restwright.mcp.reload import POLL_EVERY_S
        except ModuleNotFoundError as error:
            raise MissingExtra("mcp", "a server of the Model Context Protocol") from error

        functions = [*filter(is_function_source, sources)]
        documents, manifests = split_sources([text for text in sources if text not in functions])
        approval = ApprovalOptions(yes=write.yes, read_only=filters.read_only)
        settings = SourceSettings(
            documents=documents,
            manifests=manifests,
            functions=functions,
            catalog=named.catalog_settings(),
            keep=filters.filter,
            connect=_connect_by(connection),
            policy=policy_of(approval, write.classes),
            allow_folder=local.access.allow_folder,
            allow_commands=connection.allow_commands,
            run=ending.enter_context(local.access.code()),
            drop_namespaces=named.no_namespaces,
        )
        # What is passed over in a document is said once, however often that is read.
        load = partial(load_served, settings, cache(out.warn))
        served = load()
        options = ServeOptions(
            exposure=exposure.expose,
            output=exposure.output_schema,
            all_pages=exposure.all_pages,
            call_log=exposure.calls,
            timeout_s=transport.timeout,
            max_bytes=transport.max_bytes,
            files=list_files(settings),
            poll_every_s=POLL_EVERY_S if has_urls(settings, served) else None,
        )
        # Clients elsewhere have their browsers elsewhere.
        login = LoginRoute() if http.url is not None else None
        journal = None if local.no_journal else open_journal(local.place, out)
        if journal is not None:
            ending.enter_context(journal)
        built = build_server(
            served,
            options,
            load=load,
            report_error=out.warn,
            journal=journal,
            find_model=partial(_find_model, model),
            make_landing=login.make_landing if login is not None else LocalLanding,
            make_login=TerminalLogin if http.http is None else None,
            person=find_person(),
        )
        ending.callback(built.close)
        out.note(f"{counted(len(served.offered), 'tool')}, --expose {built.exposure}")
        return _run(built, http, login, out)


def _find_model(options: ModelOptions, manifest: Manifest) -> Model | None:
    """The model of a manifest's agent: what is named on the command line, or in the manifest."""
    named = options.or_else(manifest.model, manifest.model_url)
    if named.model is None:
        return None
    from restwright.agents.models.registry import defer_model

    find = current_surroundings().find_model
    return (
        find(named.model, named.model_url)
        if find
        else defer_model(named.model, url=named.model_url)
    )


def _connect_by(
    options: ConnectionOptions,
) -> Callable[[Sequence[str]], Mapping[str, Connection]]:
    """How APIs are reached; who has to log in is asked by their client when that is needed."""
    from restwright.workspace.connections import build_connections

    return partial(
        build_connections,
        server=options.server,
        auth=options.auth,
        header=options.header,
        server_variable=options.server_variable,
        allow_commands=options.allow_commands,
    )


def _run(built: BuiltServer, http: HTTPOptions, login: LoginRoute | None, out: Output) -> int:
    if http.http is None:
        import anyio

        from restwright.mcp.stdio import serve_stdio

        _collect_garbage()
        anyio.run(serve_stdio, built.server)
        return DONE
    from restwright.mcp.http import make_app, open_listener, parse_address
    from restwright.net.http_server import serve_app

    _collect_garbage()

    address = parse_address(http.http, url=http.url or "", has_access=http.wants_secret)
    listener, address = open_listener(address)

    def announce() -> None:
        print(address.public_url, flush=True)

    with listener:
        access = _make_access(built, http, address, out)
        serve_app(make_app(built.server, address, access, login), listener, announce)
    return DONE


def _collect_garbage() -> None:
    """Look for garbage from now on, but not among what is there."""
    gc.freeze()
    gc.enable()


def _make_access(
    built: BuiltServer, http: HTTPOptions, address: HTTPAddress, out: Output
) -> HTTPAccess:
    from restwright.mcp.access import IssuedTokens, SharedToken
    from restwright.mcp.http import HTTPAccess
    from restwright.net.secret_references import resolve_secret

    if http.token:
        return HTTPAccess(verifier=SharedToken(resolve_secret(http.token)))
    if not http.oauth:
        return HTTPAccess()
    tokens = IssuedTokens(
        issuer=http.oauth,
        resource=address.public_url,
        send=built.transport,
        report_error=out.warn,
    )
    return HTTPAccess(verifier=tokens, issuer=http.oauth, scopes=http.scope or ())
