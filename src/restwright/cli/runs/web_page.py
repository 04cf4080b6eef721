"""A page in the browser, with its chats: which models are asked, and what is kept."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from restwright.cli.inputs.run_options import (
    AgentOptions,
    JournalPlace,
    LimitOptions,
    MomentOptions,
)
from restwright.cli.render.output import Output, counted
from restwright.cli.render.remedies import remedy
from restwright.cli.runs.run import open_journal
from restwright.cli.surroundings import current_surroundings
from restwright.errors import MissingExtra, RestwrightError

if TYPE_CHECKING:
    from restwright.agents.steps import AnyModel, Complete
    from restwright.calls.approval.policy import Policy
    from restwright.cli.inputs.run_options import ModelOptions
    from restwright.manifests.own.manifest import Manifest
    from restwright.mcp.sources.served import ServedTools
    from restwright.net.messages import Send
    from restwright.tools.catalog.catalog import Catalog
    from restwright.web.chat.chats import Chats
    from restwright.web.site import LockState


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
    """

    served: ServedTools
    documents: Catalog | None
    policy: Policy
    send: Send
    chat: ChatOptions
    lock: LockState | None = None


def serve_page(settings: PageSettings, out: Output, *, host: str, port: int) -> None:
    """
    Print the address of a page, and serve it until interrupted.

    Raises:
        MissingExtra: Starlette, Jinja2 or uvicorn is not installed.
        UsageError: Others could reach `host`.
        OSError: The port is taken.
    """
    try:
        from restwright.doors.guard import BrowserAccess
        from restwright.net.http_server import find_address, open_listener, serve_app
        from restwright.web.app import create_app, guard_app
        from restwright.web.site import Site
    except ModuleNotFoundError as error:
        raise MissingExtra("web", "a page in the browser") from error
    from restwright.calls.response.file_store import files_folder

    with open_listener(host, port) as listener, _open_chats(settings, out) as chats:
        url, number = find_address(listener)

        def say_next(token: str) -> None:
            out.note(f"for another browser: {url}/?token={token}")

        browsers = BrowserAccess(cookie=f"restwright-{number}", on_new_token=say_next)
        site = Site(
            served=settings.served,
            send=settings.send,
            lock=settings.lock,
            files=files_folder(),
            chats=chats,
            find_remedy=remedy,
        )
        app = guard_app(create_app(site), number, browsers)

        def announce() -> None:
            print(f"{url}/?token={browsers.token}", flush=True)
            tools = counted(len(settings.served.catalog), "tool")
            out.note(f"{tools}; press Ctrl-C to stop")

        serve_app(app, listener, announce)


@contextmanager
def _open_chats(settings: PageSettings, out: Output) -> Generator[Chats]:
    """The chats of a page, whose journal and models are closed at the end."""
    from restwright.web.chat.chats import Chats
    from restwright.web.chat.speakers import list_speakers

    options = settings.chat
    speakers = list_speakers(
        settings.served,
        settings.documents,
        settings.policy,
        send=settings.send,
        limit=options.limits.over,
        **options.moment.settings(),
    )
    journal = None if options.no_journal else open_journal(options.place, out)
    with WebModels(options.agent.model) as models, journal or nullcontext():
        yield Chats(
            speakers=speakers,
            find_model=models.find,
            journal=journal,
            kind=options.agent.agent_kind,
        )
