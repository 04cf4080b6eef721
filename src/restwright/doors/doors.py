"""The doors put together: routes for any application, and an application of them alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from restwright.agents.journal.store import Journal
from restwright.doors.access import TokenAccess, VerifyToken
from restwright.doors.ag_ui import AGUIDoor
from restwright.doors.agents import DoorAgent
from restwright.doors.chat_completions import ChatDoor
from restwright.doors.guard import Guard, Refusal, list_loopback_hosts
from restwright.doors.open_questions import OpenQuestions
from restwright.doors.refusals import refuse_request
from restwright.doors.runs import RunTable
from restwright.doors.streaming import MAX_BODY_BYTES
from restwright.net.secret import Secret

_METADATA_PATH = "/.well-known/oauth-protected-resource"


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

    @property
    def segments(self) -> frozenset[str]:
        """With which paths begin that are theirs, such as `v1`."""
        paths = [route.path for route in self.routes if isinstance(route, Route)]
        return frozenset(_first_segment(path) for path in (*paths, _METADATA_PATH))


def create_doors(
    agents: Callable[[], Mapping[str, DoorAgent]],
    *,
    journal: Journal | None = None,
    runs: RunTable | None = None,
    person: str = "",
) -> Doors:
    """
    Make the routes by which programs ask agents.

    Args:
        agents: Gives `{name: agent}` as it is right now.
        journal: Keeps the threads of AG-UI; None for nowhere.
        runs: How many may go on; None for as many as usual.
        person: Who answers the open questions of the journal, by the name that is kept; empty where
            nobody does here.
    """
    table = runs or RunTable()
    questions = (
        OpenQuestions(journal=journal, person=person) if journal is not None and person else None
    )
    chat = ChatDoor(agents=agents, runs=table, questions=questions)
    ag_ui = AGUIDoor(agents=agents, runs=table, journal=journal, questions=questions)
    return Doors(routes=(*chat.routes(), *ag_ui.routes()), runs=table)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorAccess:
    """
    Who may ask a server.

    Args:
        url: Of the server, as its clients know it; empty for one of this machine alone.
        token: That everybody has who may; None where none is wanted.
        verify: Says whose a token of an authorization server is; None where there is none.
        issuer: That authorization server.
        scopes: That its tokens must have.
    """

    url: str = ""
    token: Secret | None = field(default=None, repr=False)
    verify: VerifyToken | None = field(default=None, repr=False)
    issuer: str = ""
    scopes: tuple[str, ...] = ()

    def metadata(self) -> dict[str, object]:
        """Where tokens are had. Source: RFC 9728, "Protected Resource Metadata"."""
        return {
            "resource": self.url,
            "authorization_servers": [self.issuer],
            "scopes_supported": [*self.scopes],
            "bearer_methods_supported": ["header"],
        }


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
        async with keep_open(doors, running):
            yield

    return Starlette(routes=[*doors.routes], lifespan=live)


@asynccontextmanager
async def keep_open(
    doors: Doors, running: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
) -> AsyncGenerator[None]:
    """Have doors as long as the block goes on; their runs end with it."""
    async with running():
        try:
            yield
        finally:
            await doors.runs.close()


@dataclass(frozen=True, slots=True)
class DoorsBeside:
    """
    Doors beside the pages of a server, each behind its own guard: no cookie of a page opens a door,
    and no key of a door a page.

    Args:
        pages: Guarded; told of the start and the end of the server too.
        doors: Guarded.
        segments: As `Doors.segments`.
    """

    pages: ASGIApp
    doors: ASGIApp
    segments: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to one of both."""
        is_door = scope["type"] == "http" and _first_segment(scope["path"]) in self.segments
        await (self.doors if is_door else self.pages)(scope, receive, send)


def _first_segment(path: str) -> str:
    return path.removeprefix("/").partition("/")[0]


def guard_doors(app: ASGIApp, port: int, access: DoorAccess) -> ASGIApp:
    """
    Let in who may ask: on this machine everybody who is no page of another site, else who has a
    token.

    Args:
        port: Where the server listens.
    """
    named = urlsplit(access.url)
    public = frozenset(filter(None, [named.netloc.lower()]))
    if access.verify is not None:
        app = _guard_by_tokens(app, access, access.verify)
    return Guard(
        app=app,
        hosts=list_loopback_hosts(port) | public,
        keys=() if access.token is None else (access.token.reveal(),),
        is_open=access.token is None,
        scheme=named.scheme or "http",
        render_refusal=_render_refusal,
        max_body_bytes=MAX_BODY_BYTES,
    )


def _guard_by_tokens(app: ASGIApp, access: DoorAccess, verify: VerifyToken) -> ASGIApp:
    where = f'resource_metadata="{access.url}{_METADATA_PATH}"'
    scope = f', scope="{" ".join(access.scopes)}"' if access.scopes else ""
    return TokenAccess(
        app,
        verify,
        _refuse_token,
        challenge=f"Bearer {where}{scope}",
        open_paths={_METADATA_PATH: JSONResponse(access.metadata())},
    )


def _refuse_token(request: Request) -> Response:
    del request
    why = "an access token is needed, in the header `Authorization: Bearer TOKEN`"
    return refuse_request(401, why, kind="authentication_error", code="invalid_api_key")


def _render_refusal(request: Request, refusal: Refusal) -> Response:
    del request
    code = "invalid_api_key" if refusal.status == 401 else None
    return refuse_request(refusal.status, refusal.why, code=code)
