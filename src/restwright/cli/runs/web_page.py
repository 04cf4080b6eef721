"""A page in the browser, with its chats: which models are asked, and what is kept."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from restwright.cli.inputs.human import find_person
from restwright.cli.inputs.run_options import (
    AgentOptions,
    JournalPlace,
    LimitOptions,
    MomentOptions,
)
from restwright.cli.inputs.server_options import PageAddressOptions
from restwright.cli.render.output import Output, counted
from restwright.cli.render.remedies import remedy
from restwright.cli.runs.run import open_journal
from restwright.cli.surroundings import current_surroundings
from restwright.errors import MissingExtra, RestwrightError

if TYPE_CHECKING:
    from restwright.agents.journal.store import Journal
    from restwright.agents.steps import AnyModel, Complete
    from restwright.calls.approval.policy import Policy
    from restwright.cli.inputs.run_options import ModelOptions
    from restwright.doors.agents import DoorAgent
    from restwright.doors.browsers import BrowserAccess
    from restwright.manifests.own.manifest import Manifest
    from restwright.mcp.sources.served import ServedTools
    from restwright.net.http.async_transport import AsyncTransport
    from restwright.net.messages import Send
    from restwright.tools.catalog.catalog import Catalog
    from restwright.web.chat.chats import Chats
    from restwright.web.login import PageLogin
    from restwright.web.site import LockState, Site


@dataclass(frozen=True, kw_only=True)
class ChatOptions:
    """Options of the chat of a page."""

    agent: AgentOptions
    moment: MomentOptions
    limits: LimitOptions
    no_journal: bool = False
    place: JournalPlace = field(default_factory=JournalPlace)


@dataclass(frozen=True, slots=True)
class MissingModel:
    """Stands for a model that cannot be had; who asks it is told why."""

    name: str
    error: RestwrightError
    is_small: bool = True

    def complete(self, request: Complete, *, deadline_s: float) -> NoReturn:
        """Raise what is wrong."""
        raise self.error


class WebModels:
    """
    The models that chats ask, each made once. To be closed, or used in a `with` block.

    Args:
        options: What the command line says: the model of chats that choose none.
    """

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._models: dict[tuple[str | None, str | None], AnyModel] = {}
        self._open = ExitStack()

    def __enter__(self) -> WebModels:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def find(self, name: str, manifest: Manifest | None = None) -> AnyModel:
        """
        Return a model by its name; empty for that of the command line, or else of the manifest.

        Raises:
            RestwrightError: There is none of that name.
        """
        options = self._options
        if manifest is not None:
            options = options.or_else(manifest.model, manifest.model_url)
        asked = (name, None) if name else (options.model, options.model_url)
        if asked not in self._models:
            self._models[asked] = self._make(*asked, is_chosen=bool(name))
        return self._models[asked]

    def _make(self, asked: str | None, url: str | None, *, is_chosen: bool) -> AnyModel:
        from restwright.agents.models.registry import defer_model

        own = current_surroundings().find_model
        try:
            model = own(asked, url) if own else defer_model(asked, url=url)
        except RestwrightError as error:
            if is_chosen:
                raise
            return MissingModel(asked or "local", error)
        if (close := getattr(model, "close", None)) is not None:
            self._open.callback(close)
        return model


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """
    What a page shows, and how it is reached.

    Args:
        documents: The tools of documents alone; None where there are none.
        policy: What may be called of them.
        lock: That their names were taken from.
        can_write: Whether anything may be called that changes something.
    """

    served: ServedTools
    documents: Catalog | None
    policy: Policy
    send: Send
    chat: ChatOptions
    lock: LockState | None = None
    can_write: bool = True


def serve_page(settings: PageSettings, address: PageAddressOptions, out: Output) -> None:
    """
    Print the address of a page, and serve it and its doors until interrupted.

    Raises:
        MissingExtra: Starlette, Jinja2 or uvicorn is not installed.
        UsageError: Others could reach it without saying who they are.
        OSError: The port is taken.
    """
    try:
        from restwright.doors.browsers import BrowserAccess, name_cookie
        from restwright.doors.doors import DoorsBeside, create_doors, guard_doors, keep_open
        from restwright.doors.doors import create_app as create_doors_app
        from restwright.net.http_server import find_address, open_listener, serve_app
        from restwright.web.app import create_app, guard_app
        from restwright.web.user_sites import UserSites
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a page in the browser") from error
    from restwright.cli.runs.door_access import make_access
    from restwright.net.http.async_transport import AsyncTransport
    from restwright.net.secret import Secret

    with ExitStack() as ending:
        listener = ending.enter_context(
            open_listener(address.host, address.port or 0, wants_secret=bool(address.oauth))
        )
        own_url, port = find_address(listener)
        url = (address.url or own_url).rstrip("/")
        models = ending.enter_context(WebModels(settings.chat.agent.model))
        opener = SiteOpener(settings, models, out)
        journal = opener.open_journal(ending)
        agents = opener.make_agents()
        person = find_person() if settings.can_write else ""
        doors = create_doors(lambda: agents, journal=journal, person=person)
        verifier = AsyncTransport()
        access = make_access(address, url, verifier, out)
        key = "" if address.wants_secret else secrets.token_urlsafe(32)
        access = replace(access, token=Secret(key)) if key else access

        def say_next(token: str) -> None:
            out.note(f"for another browser: {url}/?token={token}")

        browsers = BrowserAccess(
            cookie=name_cookie(url, port), on_new_token=say_next, is_by_login=bool(address.oauth)
        )
        login = _make_login(address, url, browsers, verifier, out)
        app = create_app(
            UserSites(open_site=opener.open_for) if login else opener.open_site(journal),
            more=login.routes() if login else (),
            running=lambda: keep_open(doors, lambda: verifier),
        )
        both = DoorsBeside(
            guard_app(app, port, browsers, url=address.url or "", login=login),
            guard_doors(create_doors_app(doors), port, access),
            doors.segments,
        )

        def announce() -> None:
            print(f"{url}/?token={browsers.token}" if browsers.token else f"{url}/", flush=True)
            tools = counted(len(settings.served.catalog), "tool")
            out.note(f"{tools}; press Ctrl-C to stop")
            with_key = f", with the key {key}" if key else ""
            out.note(f"for programs: {url}/v1 and {url}/ag-ui{with_key}")

        serve_app(both, listener, announce)


def _make_login(
    address: PageAddressOptions,
    url: str,
    browsers: BrowserAccess,
    send: AsyncTransport,
    out: Output,
) -> PageLogin | None:
    """How users log in to a page; None where nobody has to say who they are."""
    from restwright.cli.runs.door_access import read_tokens
    from restwright.net.secret_references import resolve_secret
    from restwright.web.login import LoginClient, PageLogin

    if not address.oauth or not address.client_id:
        return None
    secret = resolve_secret(address.client_secret) if address.client_secret else None
    client = LoginClient(
        issuer=address.oauth,
        url=url,
        client_id=address.client_id,
        secret=secret,
        scopes=tuple(address.scope or ()),
    )
    tokens = read_tokens(address.oauth, url, send, out)
    return PageLogin(client=client, browsers=browsers, send=send, read_claims=tokens.read_claims)


@dataclass(frozen=True, slots=True)
class SiteOpener:
    """What the pages of a server have at hand, and the agents behind its doors."""

    settings: PageSettings
    models: WebModels
    out: Output

    def open_journal(self, ending: ExitStack, user: str = "") -> Journal | None:
        """What keeps the runs of a user; None for nothing."""
        options = self.settings.chat
        if options.no_journal:
            return None
        journal = open_journal(options.place, self.out, user=user)
        return ending.enter_context(journal) if journal is not None else None

    def open_for(self, user: str, ending: ExitStack) -> Site:
        """The site of one of several users."""
        return self.open_site(self.open_journal(ending, user), user)

    def open_site(self, journal: Journal | None, user: str = "") -> Site:
        """The site of a user, who is empty where there is one."""
        from restwright.calls.response.file_store import files_folder
        from restwright.mcp.sources.served import UserConnections
        from restwright.web.site import Site

        settings, served = self.settings, self.settings.served
        if user:
            served = replace(served, connections=UserConnections(served.connections.of_user(user)))
        return Site(
            served=served,
            send=settings.send,
            lock=settings.lock,
            # Files of several users would lie beside each other.
            files=None if user else files_folder(),
            is_shared=bool(user),
            can_write=settings.can_write,
            person=find_person(),
            chats=self._make_chats(journal, user),
            find_remedy=remedy,
        )

    def _make_chats(self, journal: Journal | None, user: str) -> Chats:
        from restwright.web.chat.chats import Chats
        from restwright.web.chat.speakers import list_speakers

        settings, options = self.settings, self.settings.chat
        return Chats(
            speakers=list_speakers(
                settings.served,
                settings.documents,
                settings.policy,
                user=user,
                send=settings.send,
                limit=options.limits.over,
                **options.moment.settings(),
            ),
            find_model=self.models.find,
            journal=journal,
            kind=options.agent.agent_kind,
            has_one_model=bool(user),
        )

    def make_agents(self) -> Mapping[str, DoorAgent]:
        """`{name: agent}` behind the doors."""
        from restwright.cli.runs.door_agents import DoorAgentMaker

        settings, options = self.settings, self.settings.chat
        return DoorAgentMaker(
            kind=options.agent.agent_kind,
            limits=options.limits,
            moment=options.moment,
            send=settings.send,
            policy=settings.policy,
            find_model=lambda manifest: self.models.find("", manifest),
        ).make_agents(settings.served, settings.documents)
