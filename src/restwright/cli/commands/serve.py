"""`serve`: agents for the chats and programs of others."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from restwright.calls.truncate import compact_json
from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.options import (
    AllowFolder,
    Classes,
    ConnectionOptions,
    Described,
    Port,
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
)
from restwright.cli.inputs.server_options import ClientOptions, Sources, check_sources
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.runs.run import open_journal
from restwright.errors import MissingExtra
from restwright.net.policy.origins import LOOPBACK_HOSTS

if TYPE_CHECKING:
    from restwright.doors.access import VerifyToken
    from restwright.doors.doors import DoorAccess
    from restwright.net.http.async_transport import AsyncTransport


@dataclass(frozen=True, kw_only=True)
class ListeningOptions:
    """Options of where a server listens."""

    host: Annotated[
        str,
        Option("--host", metavar="NAME", help="Where it listens; elsewhere with a token alone."),
    ] = "127.0.0.1"
    port: Port = None


# The fields of the last class are the first options.
@dataclass(frozen=True, kw_only=True)
class AddressOptions(ClientOptions, ListeningOptions):
    """Options of where a server is, and who may ask it."""

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored, and a server that nobody could name."""
        super().__post_init__()
        if self.url is not None and not self.wants_secret:
            raise BadParameter("--url is for a server that others reach: give --token or --oauth")
        if self.host not in LOOPBACK_HOSTS and self.wants_secret and self.url is None:
            raise BadParameter("--host: clients know the server by a name: give --url https://HOST")


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
    out: Output,
) -> int:
    """Answer the chats of other programs: Chat Completions of OpenAI, and AG-UI."""
    check_sources(sources)
    try:
        from restwright.doors.doors import create_app, create_doors, guard_doors
        from restwright.net.http_server import find_address, open_listener, serve_app
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a server for the chats of others") from error
    from restwright.cli.runs.door_agents import DoorAgentMaker
    from restwright.mcp.sources.sources import SourceSettings, split_sources
    from restwright.net.http.async_transport import AsyncTransport

    documents, manifests = split_sources(sources)
    approval = ApprovalOptions(yes=yes, read_only=filters.read_only)
    settings = SourceSettings(
        documents=documents,
        manifests=manifests,
        catalog=described.catalog_settings(),
        keep=filters.filter,
        connect=connection.connections,
        policy=policy_of(approval, classes),
        allow_folder=allow_folder,
        allow_commands=connection.allow_commands,
    )
    with ExitStack() as ending:
        send = ending.enter_context(transport.open_transport())
        agents = DoorAgentMaker(
            options=answering.agent,
            limits=answering.limits,
            moment=answering.moment,
            send=send,
            out=out,
            ending=ending,
        ).make_agents(settings)
        journal = None if no_journal else open_journal(place, out)
        if journal is not None:
            ending.enter_context(journal)
        listener = ending.enter_context(
            open_listener(address.host, address.port or 0, wants_secret=address.wants_secret)
        )
        own_url, port = find_address(listener)
        url = (address.url or own_url).rstrip("/")
        doors = create_doors(lambda: agents, journal=journal)
        verifier = AsyncTransport()
        app = create_app(doors, lambda: verifier)
        access = _make_access(address, url, verifier, out)

        def announce() -> None:
            print(f"{url}/v1", flush=True)
            out.note(f"models: {', '.join(agents)}; AG-UI: {url}/ag-ui; press Ctrl-C to stop")

        serve_app(guard_doors(app, port, access), listener, announce)
    return DONE


def _make_access(
    address: AddressOptions, url: str, send: AsyncTransport, out: Output
) -> DoorAccess:
    from restwright.doors.doors import DoorAccess
    from restwright.net.secret_references import resolve_secret

    token = resolve_secret(address.token) if address.token else None
    if not address.oauth:
        return DoorAccess(url=address.url or "", token=token)
    scopes = tuple(address.scope or ())
    verify = _make_verifier(address.oauth, url, scopes, send, out)
    return DoorAccess(url=url, verify=verify, issuer=address.oauth, scopes=scopes)


def _make_verifier(
    issuer: str, url: str, scopes: tuple[str, ...], send: AsyncTransport, out: Output
) -> VerifyToken:
    """What says whose an access token of `issuer` is."""
    try:
        from restwright.mcp.login.access import IssuedTokens
    except ModuleNotFoundError as error:
        raise MissingExtra("mcp", "--oauth") from error
    tokens = IssuedTokens(issuer=issuer, resource=url, send=send, report_error=out.warn)

    async def verify(token: str) -> str | None:
        found = await tokens.verify_token(token)
        if found is None or not {*scopes} <= {*found.scopes}:
            return None
        return compact_json([issuer, found.client_id, found.subject])

    return verify
