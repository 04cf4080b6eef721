"""Performs the steps to an access token: with blocking calls, or from an event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias

from restwright.calls.auth.oauth.client import Login
from restwright.calls.auth.oauth.flows import (
    ListenStep,
    RedirectStep,
    RefreshTokenStep,
    TokenFlow,
    TokenFlowStep,
    TokenRequest,
    VisitStep,
    WaitStep,
)
from restwright.calls.auth.oauth.messages import sanitize_server_text
from restwright.calls.auth.oauth.token_cache import AccessToken, UnreachableStore
from restwright.errors import MissingCredential, NoResponse, NoToken, ResponseTooLarge
from restwright.net.callbacks import await_callback_result, await_if_needed
from restwright.net.messages import Request, Response, Send
from restwright.net.secret import Secret
from restwright.stepping import drive, drive_async

AsyncSend: TypeAlias = Callable[[Request], Awaitable[Response]]
"""`Send` for an event loop."""
_NOBODY = "a person must log in: OAuthClient(login=...)"
_PersonStep: TypeAlias = ListenStep | VisitStep | RedirectStep | WaitStep
_Ask: TypeAlias = Callable[[_PersonStep, str], Awaitable[Any]]


class LoginNeeded(MissingCredential):
    """
    A person must log in, and the client of the authorization server says not how.

    Args:
        wanted: The token that the login is for.
    """

    def __init__(self, reference: str, where_to_set: str, wanted: TokenRequest) -> None:
        super().__init__(reference, where_to_set)
        self.wanted = wanted


def obtain_access_token(wanted: TokenRequest, send: Send | None) -> Secret | None:
    """
    Return a good access token, asking for one where there is none.

    Args:
        send: How to ask; None where nothing may be sent, as in a dry run.

    Returns:
        None where there is none and nothing may be sent.

    Raises:
        NoToken: The server gave none.
        MissingCredential: A person must log in and cannot, or a secret is missing.
        RefusedRequest: The server to ask is of no origin that the user named.
    """
    key, tokens = wanted.cache_key(), wanted.client.tokens
    with _translate_store_error(wanted):
        if send is None:
            found = tokens.peek(key)
            return found.access_token if found else None

        def obtain(old: AccessToken | None) -> AccessToken:
            return run_token_flow(wanted.request_token(old), wanted, send=send)

        return tokens.token(key, obtain).access_token


async def obtain_access_token_async(wanted: TokenRequest, send: AsyncSend) -> Secret:
    """
    Do the same as `obtain_access_token` from an event loop.

    Raises:
        LoginNeeded: A person must log in, and the client says not how; `log_in_async()` does it.
    """

    async def obtain(old: AccessToken | None) -> AccessToken:
        return await run_token_flow_async(wanted.request_token(old), wanted, send=send)

    with _translate_store_error(wanted):
        return (await wanted.client.tokens.token_async(wanted.cache_key(), obtain)).access_token


async def log_in_async(wanted: TokenRequest, *, send: AsyncSend, login: Login) -> None:
    """
    Have a person log in, and keep the token for the calls that want it.

    Nobody else who asks for such a token waits meanwhile.

    Raises:
        NoToken, RefusedRequest: As `obtain_access_token()`.
    """
    with _translate_store_error(wanted):
        steps = wanted.request_token(None)
        token = await run_token_flow_async(steps, wanted, send=send, login=login)

    async def keep(old: AccessToken | None) -> AccessToken:
        del old
        return token

    with _translate_store_error(wanted):
        await wanted.client.tokens.token_async(wanted.cache_key(), keep)


def run_token_flow(steps: TokenFlow, wanted: TokenRequest, *, send: Send) -> AccessToken:
    """Perform the steps of a flow; errors as `obtain_access_token()`."""
    login, name = wanted.client.login, sanitize_server_text(wanted.scheme.name)

    def perform(step: TokenFlowStep) -> Any:
        if isinstance(step, RefreshTokenStep):
            return _mark_spent(step, wanted)
        if not isinstance(step, Request):
            return _perform_login_step(step, login, name)
        with _translate_no_response(name):
            return await_callback_result(send(step), "send")

    try:
        return drive(steps, perform)
    finally:
        if login is not None:
            login.close()


async def run_token_flow_async(
    steps: TokenFlow, wanted: TokenRequest, *, send: AsyncSend, login: Login | None = None
) -> AccessToken:
    """
    Perform the steps of a flow from an event loop; a person is waited for in a thread.

    Args:
        login: How the person takes part; as the client says where None.
    """
    name, login = sanitize_server_text(wanted.scheme.name), login or wanted.client.login
    async with _login_in_thread(login) as ask:

        async def perform(step: TokenFlowStep) -> Any:
            if isinstance(step, RefreshTokenStep):
                from anyio.to_thread import run_sync

                return await run_sync(_mark_spent, step, wanted)
            if not isinstance(step, Request):
                if login is None:
                    raise LoginNeeded(name, _NOBODY, wanted)
                return await ask(step, name)
            with _translate_no_response(name):
                return await await_if_needed(send(step))

        return await drive_async(steps, perform)


@contextmanager
def _translate_no_response(name: str) -> Generator[None]:
    """Tell a token server that does not answer from an API that does not."""
    try:
        yield
    except (NoResponse, ResponseTooLarge) as error:
        sent = isinstance(error, ResponseTooLarge) or error.sent
        raise NoToken(name, "no_response", sanitize_server_text(str(error)), sent=sent) from None


@contextmanager
def _translate_store_error(wanted: TokenRequest) -> Generator[None]:
    """Say of a store that cannot be reached that there is no token."""
    try:
        yield
    except UnreachableStore as error:
        name = sanitize_server_text(wanted.scheme.name)
        raise NoToken(name, "no_store", str(error)) from error.__cause__


def _mark_spent(step: RefreshTokenStep, wanted: TokenRequest) -> None:
    wanted.client.tokens.mark_spent(wanted.cache_key(), is_spent=step.is_spent)


@asynccontextmanager
async def _login_in_thread(login: Login | None) -> AsyncGenerator[_Ask]:
    from anyio import CancelScope
    from anyio.to_thread import run_sync

    async def ask(step: _PersonStep, name: str) -> Any:
        # Who is cancelled does not wait for a person; a listener that was started is closed.
        is_long = isinstance(step, RedirectStep | WaitStep)
        return await run_sync(_perform_login_step, step, login, name, abandon_on_cancel=is_long)

    try:
        yield ask
    finally:
        if login is not None:
            with CancelScope(shield=True):
                await run_sync(login.close)


def _perform_login_step(step: _PersonStep, login: Login | None, name: str) -> Any:
    if login is None:
        raise MissingCredential(name, _NOBODY)
    match step:
        case ListenStep():
            return login.listen()
        case VisitStep():
            return login.visit(step.url, code=step.code)
        case WaitStep():
            return login.wait(step.seconds)
        case RedirectStep():
            try:
                return login.arrival()
            except TimeoutError:
                raise NoToken(name, "timeout", "nobody came back from there") from None
