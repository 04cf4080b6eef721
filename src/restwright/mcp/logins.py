"""
Logging in to an API, by a page that the client opens for its user; no model takes part in it.

The login goes on in a task of its own. In a session the page is shown while the call waits; in
revisions without sessions the call ends with it, and the client's next call goes on. Tokens are
kept by user, where calls find them, and are told to nobody.

Source: MCP 2025-11-25 and 2026-07-28, "Elicitation", URL mode.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from restwright.calls.approval.approval import escape_unprintable
from restwright.calls.auth.oauth.client import Login
from restwright.calls.auth.oauth.driver import AsyncSend, LoginNeeded, log_in_async
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.response.result import Result
from restwright.errors import NoToken, RestwrightError
from restwright.mcp.background_tasks import BackgroundTasks
from restwright.mcp.consent import Consent
from restwright.mcp.landing import LOGIN_S, Landing, LocalLanding, MakeLanding, tell_loop

_POLL_S = 0.05
_CODE = "code"
CODE_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        _CODE: {"type": "string", "title": "The code that the page shows", "maxLength": 20}
    },
    "required": [_CODE],
}
_ENDED = "Not sent: nobody logged in"


@dataclass(slots=True)
class RunningLogin:
    """
    A login that is under way.

    Args:
        number: By which a later call goes on with it.
        page: Its URL, and a code to type there; None until it is known.
        error: Why it came to nothing.
    """

    number: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    landing: Landing | None = None
    page: tuple[str, str] | None = None
    is_done: bool = False
    error: RestwrightError | None = None
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def wait_for_page(self) -> None:
        """Until there is something to show, or to tell."""
        while self.page is None and not self.is_done:  # noqa: ASYNC110 - threads tell of it
            await anyio.sleep(_POLL_S)

    async def wait_for_user(self) -> None:
        """Until the user came back, or will not."""
        while not self.is_done and not (self.landing and self.landing.needs_code):  # noqa: ASYNC110
            await anyio.sleep(_POLL_S)

    async def wait_for_end(self) -> None:
        """Until it is over."""
        while not self.is_done:  # noqa: ASYNC110 - as above
            await anyio.sleep(_POLL_S)


@dataclass(slots=True, kw_only=True)
class Logins(BackgroundTasks):
    """
    The logins of a server's users.

    Args:
        send: Carries the requests to authorization servers.
        make_landing: Where browsers come back to.
        make_login: How who sits at this machine logs in where their client opens no page; None
            where nobody sits there.
    """

    send: AsyncSend = field(repr=False)
    make_landing: MakeLanding = LocalLanding
    make_login: Callable[[], Login] | None = None
    _running: dict[str, RunningLogin] = field(default_factory=dict[str, RunningLogin])

    async def log_in(self, needed: LoginNeeded, consent: Consent, approved: str) -> Result | None:
        """
        Have the user of a call log in.

        Args:
            approved: The hash of the request that its user has agreed to; empty for none.

        Returns:
            None where they have; else what the call ends with, whose question is in `consent`.

        Raises:
            RestwrightError: The login failed.
        """
        exchange, wanted = consent.exchange, needed.wanted
        if not self.is_running or not (exchange.can_open_pages or self.make_login):
            raise needed
        login = self._find(wanted, has_client=exchange.can_open_pages)
        try:
            if ended := await self._attend(login, consent, approved):
                return ended
        except anyio.get_cancelled_exc_class():
            login.scope.cancel()
            raise
        if login.error is not None:
            raise login.error
        if exchange.can_open_pages and not exchange.is_modern:
            await exchange.tell_page_done(login.number)
        return None

    async def _attend(self, login: RunningLogin, consent: Consent, approved: str) -> Result | None:
        """See a login to its end; what the call ends with where it comes to none."""
        await login.wait_for_page()
        if login.page is not None and consent.visited != login.number:
            ended = await self._show_page(login, consent, approved)
            if ended is not None:
                return ended
        await login.wait_for_user()
        if login.landing is not None and login.landing.needs_code:
            ended = await self._ask_code(login, login.landing, consent, approved)
            if ended is not None:
                return ended
        await login.wait_for_end()
        return None

    def _find(self, wanted: TokenRequest, *, has_client: bool) -> RunningLogin:
        """The login for a token, begun where there is none."""
        key = wanted.cache_key().text
        if key not in self._running:
            self._running[key] = RunningLogin()
            self.start_task(partial(self._run, key, wanted, has_client=has_client))
        return self._running[key]

    async def _run(self, key: str, wanted: TokenRequest, *, has_client: bool) -> None:
        login = self._running[key]

        def note_page(url: str, code: str) -> None:
            login.page = url, code

        try:
            with login.scope, anyio.fail_after(LOGIN_S):
                if has_client or self.make_login is None:
                    login.landing = self.make_landing(tell_loop(note_page))
                person = login.landing or (self.make_login() if self.make_login else None)
                assert person is not None  # noqa: S101  (one of both is there)
                await log_in_async(wanted, send=self.send, login=person)
        except RestwrightError as error:
            login.error = error
        except TimeoutError:
            login.error = NoToken(wanted.scheme.name, "timeout", "nobody logged in")
        finally:
            del self._running[key]
            if login.scope.cancel_called and login.error is None:
                login.error = NoToken(wanted.scheme.name, "canceled", "the login was given up")
            login.is_done = True

    async def _show_page(
        self, login: RunningLogin, consent: Consent, approved: str
    ) -> Result | None:
        assert login.page is not None  # noqa: S101  (it is to be shown)
        url, code = login.page
        message = "To call this API you have to log in to it, on its own page."
        if code:
            message = f"{message} Enter this code there: {code}"
        params = types.ElicitRequestURLParams(
            message=escape_unprintable(message), url=url, elicitation_id=login.number
        )
        exchange = consent.exchange
        if exchange.is_modern:
            params.elicitation_id = None
            consent.end_with(params, login=login.number, approved=approved)
            return _ended(_ENDED)
        try:
            answer = await exchange.show_page(params)
        except MCPError:
            answer = None
        if answer is None or answer.action != "accept":
            login.scope.cancel()
            return _ended(f"{_ENDED}: the user did not open the page.")
        return None

    async def _ask_code(
        self, login: RunningLogin, landing: Landing, consent: Consent, approved: str
    ) -> Result | None:
        """Find out whether who came back is who started it."""
        exchange, said = consent.exchange, consent.take_said()
        message = "Which code does the page show at which your login ended?"
        if not exchange.can_be_asked:
            login.scope.cancel()
            return _ended(f"{_ENDED}: this client cannot ask for the code of the page.")
        while not (said and landing.confirm(said)):
            if not landing.needs_code:
                # It was guessed at too often.
                return None
            if exchange.is_modern:
                params = types.ElicitRequestFormParams(message=message, requested_schema=CODE_FORM)
                consent.end_with(params, login=login.number, approved=approved)
                return _ended(_ENDED)
            try:
                answer = await exchange.ask(message, CODE_FORM)
            except MCPError:
                answer = types.ElicitResult(action="cancel")
            if answer.action != "accept":
                login.scope.cancel()
                return _ended(f"{_ENDED}: the user did not say the code of the page.")
            said = str((answer.content or {}).get(_CODE, ""))
        return None


def _ended(text: str) -> Result:
    return Result(kind="refused", text=text)
