"""The application: the pages of every module put together, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from restwright.doors.browsers import BrowserAccess
from restwright.doors.guard import Guard, Refusal, list_loopback_hosts
from restwright.errors import RestwrightError
from restwright.web.login import LOGIN, PageLogin
from restwright.web.pages import calls, chat, index, questions, sessions, tool
from restwright.web.rendering import HERE, render_json, render_page
from restwright.web.site import Site
from restwright.web.user_sites import UserSites

# The pages of every module; each of these has a list of its own.
PAGES: Sequence[BaseRoute] = (
    *index.ROUTES,
    *tool.ROUTES,
    *calls.ROUTES,
    *chat.ROUTES,
    *sessions.ROUTES,
    *questions.ROUTES,
)


class _StaticFiles(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        # Asked for again each time, and answered with 304: a new version is there at once.
        response.headers["cache-control"] = "no-cache"
        return response


def create_app(
    site: Site | UserSites,
    *,
    more: Sequence[BaseRoute] = (),
    running: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
) -> Starlette:
    """
    The application without its guard.

    Args:
        site: What every page has at hand; or that of each user.
        more: Other routes, such as those of a login.
        running: What is open as long as the server runs.
    """

    @asynccontextmanager
    async def live(app: Starlette) -> AsyncGenerator[None]:
        del app
        async with running():
            try:
                yield
            finally:
                await site.close()

    static = Mount("/static", _StaticFiles(directory=HERE / "static"), name="static")
    icon = Route("/favicon.ico", _send_icon)
    app = Starlette(
        routes=[*PAGES, *more, static, icon],
        exception_handlers={HTTPException: _render_http_error, RestwrightError: _render_error},
        lifespan=live,
    )

    def find_site(user: str) -> Site:
        return site.find(user) if isinstance(site, UserSites) else site

    app.state.find_site = find_site
    return app


def guard_app(
    app: ASGIApp,
    port: int,
    browsers: BrowserAccess,
    *,
    url: str = "",
    login: PageLogin | None = None,
) -> Guard:
    """
    Let browsers in that came by a printed address, or by a login.

    Args:
        url: Of the server, as browsers know it; empty for one of this machine alone.
        login: Where users log in; None where nobody has to say who they are.
    """
    named = urlsplit(url)

    def refuse(request: Request, refusal: Refusal) -> Response:
        way_in = login.refuse(request) if login is not None and refusal.status == 401 else None
        is_shared = login is not None
        return way_in or _render_failure(
            request, refusal.status, refusal.why, is_shared=is_shared, can_enter=False
        )

    return Guard(
        app=app,
        hosts=list_loopback_hosts(port) | frozenset(filter(None, [named.netloc.lower()])),
        browsers=browsers,
        scheme=named.scheme or "http",
        open_prefixes=("/static/", "/favicon.ico", *([LOGIN] if login is not None else ())),
        render_refusal=refuse,
    )


async def _send_icon(request: Request) -> Response:
    """For browsers that look there before they read a page."""
    return await _StaticFiles(directory=HERE / "static").get_response("icon.svg", request.scope)


def _render_http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return _render_failure(request, error.status_code, error.detail)


def _render_error(request: Request, error: Exception) -> Response:
    """What went wrong in our own words; 422, since another request may go well."""
    if not isinstance(error, RestwrightError):
        raise error
    return _render_failure(request, 422, f"{error.message} {error.hint}".strip())


def _render_failure(
    request: Request, status: int, why: str, *, is_shared: bool = False, can_enter: bool = True
) -> Response:
    if request.url.path.endswith(".json"):
        return render_json({"error": {"status": status, "message": why}}, status=status)
    values = {"is_shared": True} if is_shared else {}
    response = render_page(
        request, "failure.html", values, code=status, why=why, can_enter=can_enter
    )
    response.status_code = status
    return response
