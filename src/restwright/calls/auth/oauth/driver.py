"""Performs the steps to an access token: with blocking calls, or from an event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias

from restwright.calls.auth.oauth.client import Login
from restwright.calls.auth.oauth.flows import Arrival, Flow, Listen, Visit, Wait, Wanted
from restwright.calls.auth.oauth.messages import cleaned
from restwright.calls.auth.oauth.token_cache import Token
from restwright.errors import MissingCredential, NoResponse, NoToken, ResponseTooLarge
from restwright.net.callbacks import awaited, settled
from restwright.net.messages import Request, Response, Send
from restwright.net.secret import Secret

AsyncSend: TypeAlias = Callable[[Request], Awaitable[Response]]
"""`Send` for an event loop."""
_Personal: TypeAlias = Listen | Visit | Arrival | Wait
_Ask: TypeAlias = Callable[[_Personal, str], Awaitable[Any]]


def access_token(wanted: Wanted, send: Send | None) -> Secret | None:
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
    key, tokens = wanted.key(), wanted.client.tokens
    if send is None:
        found = tokens.peek(key)
        return found.access if found else None

    def obtain(old: Token | None) -> Token:
        return performed(wanted.obtained(old), wanted, send=send)

    return tokens.token(key, obtain).access


async def access_token_async(wanted: Wanted, send: AsyncSend) -> Secret:
    """Do the same as `access_token` from an event loop."""

    async def obtain(old: Token | None) -> Token:
        return await performed_async(wanted.obtained(old), wanted, send=send)

    return (await wanted.client.tokens.token_async(wanted.key(), obtain)).access


def performed(steps: Flow, wanted: Wanted, *, send: Send) -> Token:
    """Perform the steps of a flow; errors as `access_token()`."""
    answer, login, name = None, wanted.client.login, cleaned(wanted.scheme.name)
    try:
        while True:
            step = steps.send(answer)
            if not isinstance(step, Request):
                answer = _with_person(step, login, name)
                continue
            with _answered(name):
                answer = settled(send(step), "send")
    except StopIteration as stopped:
        return stopped.value
    finally:
        steps.close()
        if login is not None:
            login.close()


async def performed_async(steps: Flow, wanted: Wanted, *, send: AsyncSend) -> Token:
    """Perform the steps of a flow from an event loop; a person is waited for in a thread."""
    answer, name = None, cleaned(wanted.scheme.name)
    async with _person(wanted.client.login) as ask:
        while True:
            # A generator's StopIteration must not leave a coroutine: it would be a RuntimeError.
            try:
                step = steps.send(answer)
            except StopIteration as stopped:
                return stopped.value
            if not isinstance(step, Request):
                answer = await ask(step, name)
                continue
            with _answered(name):
                answer = await awaited(send(step))


@contextmanager
def _answered(name: str) -> Generator[None]:
    """Tell a token server that does not answer from an API that does not."""
    try:
        yield
    except (NoResponse, ResponseTooLarge) as error:
        raise NoToken(name, "no_response", cleaned(str(error))) from None


@asynccontextmanager
async def _person(login: Login | None) -> AsyncGenerator[_Ask]:
    from anyio import CancelScope
    from anyio.to_thread import run_sync

    async def ask(step: _Personal, name: str) -> Any:
        # Who is cancelled does not wait for a person; a listener that was started is closed.
        is_long = isinstance(step, Arrival | Wait)
        return await run_sync(_with_person, step, login, name, abandon_on_cancel=is_long)

    try:
        yield ask
    finally:
        if login is not None:
            with CancelScope(shield=True):
                await run_sync(login.close)


def _with_person(step: _Personal, login: Login | None, name: str) -> Any:
    if login is None:
        raise MissingCredential(name, "a person must log in: OAuthClient(login=...)")
    match step:
        case Listen():
            return login.listen()
        case Visit():
            return login.visit(step.url, code=step.code)
        case Wait():
            return login.wait(step.seconds)
        case Arrival():
            try:
                return login.arrival()
            except TimeoutError:
                raise NoToken(name, "timeout", "nobody came back from there") from None
