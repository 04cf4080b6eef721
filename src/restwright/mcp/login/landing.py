"""
Where a browser comes back to after a login: on this machine, or at a route of the server.

Whoever starts a login on a server for many need not be who follows its link. So the page that the
browser ends at shows a code, and only who types that code into the client which started the login
has it finished.

Source: RFC 8252, "Loopback Interface Redirection"; MCP 2025-11-25, "Elicitation", on phishing.
"""

from __future__ import annotations

import hmac
import html
import queue
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from anyio import from_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse

from restwright.calls.auth.oauth.client import Login
from restwright.errors import MissingCredential
from restwright.net.loopback_redirect import RedirectListener

PATH = "/login"
LOGIN_S = 300.0
"""For how long somebody may take to log in."""
MAX_TRIES = 3
_MAX_WAITING = 1_000
_ALPHABET = "23456789BCDFGHJKLMNPQRSTVWXZ"
_NOBODY = ""
_PAGE = "<!doctype html><meta charset=utf-8><title>Restwright</title><p>{}</p>"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


class Landing(Login, Protocol):
    """A `Login` whose page somebody else shows."""

    on_page: Callable[[str, str], None]

    @property
    def needs_code(self) -> bool:
        """Whether the user has to say which code they were shown, now that they came back."""
        ...

    def confirm(self, code: str) -> bool:
        """Whether it is that code; what waits for the arrival goes on then."""
        ...


MakeLanding = Callable[[Callable[[str, str], None]], Landing]
"""Makes one of what is to be done with the page: called with its URL and a code to type there."""


class LocalLanding(RedirectListener):
    """For a browser on this machine, as that of a client is which started this process."""

    needs_code = False

    def __init__(self, on_page: Callable[[str, str], None]) -> None:
        super().__init__(timeout_s=LOGIN_S)
        self.on_page = on_page

    def visit(self, url: str, *, code: str = "") -> None:
        """Hand the page on."""
        self.on_page(url, code)

    def confirm(self, code: str) -> bool:
        """Nothing is asked."""
        del code
        return True


@dataclass(slots=True)
class LoginRoute:
    """
    The route of a server that browsers come back to, for every login that is under way.

    Args:
        url: As browsers reach it; known once the server listens.
    """

    url: str = ""
    _waiting: dict[str, RoutedLanding] = field(default_factory=dict[str, "RoutedLanding"])

    def make_landing(self, on_page: Callable[[str, str], None]) -> RoutedLanding:
        """A landing at this route."""
        return RoutedLanding(self, on_page)

    def expect(self, state: str, landing: RoutedLanding) -> None:
        """Wait for the browser that brings `state`."""
        self._waiting[state] = landing
        while len(self._waiting) > _MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def forget(self, state: str) -> None:
        """Wait no longer."""
        self._waiting.pop(state, None)

    async def handle(self, request: Request) -> HTMLResponse:
        """Take in a browser that comes back; each login takes one."""
        landing = self._waiting.pop(request.query_params.get("state", ""), None)
        if landing is None:
            return _page("No login waits for this page. Start it again in your program.", 404)
        is_granted = "code" in request.query_params
        code = landing.arrive(f"{self.url}?{request.url.query}", is_granted=is_granted)
        if not code:
            return _page("The login was refused. You may close this window.", 200)
        return _page(
            f"To finish, type the code <b>{html.escape(code)}</b> into the program in which you"
            " asked for this login. If you did not ask for one, close this window: whoever sent you"
            " here would get what you may do.",
            200,
        )


class RoutedLanding:
    """One login that comes back to the route of a server."""

    def __init__(self, route: LoginRoute, on_page: Callable[[str, str], None]) -> None:
        self.on_page = on_page
        self._route, self._state, self._code, self._tries = route, "", "", 0
        self._arrived = ""
        self._confirmed: queue.Queue[str] = queue.Queue(maxsize=2)

    @property
    def needs_code(self) -> bool:
        """Whether the user came back, and has not said yet which code they were shown."""
        return bool(self._code) and self._confirmed.empty()

    def listen(self) -> str:
        """The URL of the route."""
        return self._route.url

    def visit(self, url: str, *, code: str = "") -> None:
        """
        Hand the page on.

        Raises:
            MissingCredential: It wants a code typed there, which anybody could be made to do.
        """
        if code:
            raise MissingCredential("of a device", "use flow=code on a server for several users")
        self._state = parse_qs(urlsplit(url).query).get("state", [""])[0]
        self._route.expect(self._state, self)
        self.on_page(url, "")

    def arrive(self, url: str, *, is_granted: bool) -> str:
        """Note the URL that a browser came back with; returns the code to show there."""
        self._arrived = url
        if not is_granted:
            self._confirmed.put_nowait(url)
            return ""
        self._code = "".join(secrets.choice(_ALPHABET) for _ in range(8))
        return self._code

    def confirm(self, code: str) -> bool:
        """Whether it is the code that was shown; after three others the login ends."""
        self._tries += 1
        plain = code.strip().upper().replace("-", "")
        if self._code and hmac.compare_digest(plain.encode(), self._code.encode()):
            self._confirmed.put_nowait(self._arrived)
            return True
        if self._tries >= MAX_TRIES:
            self.close()
        return False

    def arrival(self) -> str:
        """
        Return the URL that the browser came back with, once its user was told from others.

        Raises:
            TimeoutError: Nobody came, or said the code.
        """
        try:
            found = self._confirmed.get(timeout=LOGIN_S)
        except queue.Empty:
            found = _NOBODY
        if found == _NOBODY:
            raise TimeoutError("nobody came back")
        return found

    def wait(self, seconds: float) -> None:
        """Only a login with a device waits, and there is none here."""
        del seconds

    def close(self) -> None:
        """Stop waiting."""
        self._route.forget(self._state)
        if self._confirmed.empty():
            self._confirmed.put_nowait(_NOBODY)


def tell_loop(callback: Callable[..., None]) -> Callable[..., None]:
    """`callback` for the thread of a login, run in the event loop that started it."""
    return lambda *arguments: from_thread.run_sync(callback, *arguments)


def _page(text: str, status: int) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(text), status, _HEADERS)
