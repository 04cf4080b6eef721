"""Sends an approved request with its credentials; a token that is refused is replaced once."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from restwright.calls.approval.approval import Approval
from restwright.calls.auth.connection import (
    Connection,
    authorize_request,
    authorize_request_async,
    is_token_missing,
    list_token_requests,
    user_origin,
)
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.net.callbacks import UnawaitedCallback, await_callback_result, await_if_needed
from restwright.net.http.retry import is_repeatable
from restwright.net.messages import Request, Response, Send
from restwright.net.policy.origins import Origin
from restwright.net.secret import Secret
from restwright.tools.tool import Tool

_UNAUTHORIZED = 401

BeforeSendHook: TypeAlias = Callable[[Request], None]
"""Told of a request right before it is sent; what it raises keeps the request from that."""


def ignore_request(request: Request) -> None:
    """Take no notice of a request."""
    del request


@dataclass(frozen=True, slots=True)
class _AuthorizeStep:
    """Answered by the request with its credentials."""

    request: Request


@dataclass(frozen=True, slots=True)
class _DropTokensStep:
    """Forget the access tokens that a request was sent with; answered by whether it had any."""

    request: Request


_DeliverySteps: TypeAlias = Generator[_AuthorizeStep | _DropTokensStep | Request, Any, Response]


@dataclass(slots=True)
class RequestDelivery:
    """
    One request on its way.

    Args:
        request: What was sent last; it has the secrets that may come back.
        approval: For `request`, used up when it is sent.
        before_send: Told of every request, those for tokens too.
        is_token_dropped: Whether its token was refused and not replaced.
        has_asked: Whether any request went out, or may have.
        is_sent: Whether `request` did.
        is_waiting: Whether it did, and its response did not come.
        response: To `request`, the last one.
        objection: What `before_send` raised.
    """

    request: Request
    tool: Tool
    connection: Connection
    approval: Approval
    before_send: BeforeSendHook = ignore_request
    is_token_dropped: bool = False
    has_asked: bool = False
    is_sent: bool = False
    is_waiting: bool = False
    response: Response | None = None
    objection: Exception | None = None

    def run(self, send: Send) -> Response:
        """
        Send the request and return its response.

        Raises:
            RefusedRequest: It may not be sent.
            NoResponse: None came to `request`.
            ResponseTooLarge: It was longer than the cap.
            MissingCredential, NoToken: There is no token to send it with.
        """
        steps, answer = self._steps(), None
        while True:
            # A `StopIteration` that is raised by `send` is not the end of these steps.
            try:
                step = steps.send(answer)
            except StopIteration as stopped:
                return stopped.value
            answer = self._done(step, send)

    async def run_async(self, send: AsyncSend) -> Response:
        """Do the same as `run` from an event loop."""
        steps, answer = self._steps(), None
        while True:
            # A generator's StopIteration must not leave a coroutine: it would be a RuntimeError.
            try:
                step = steps.send(answer)
            except StopIteration as stopped:
                return stopped.value
            answer = await self._done_async(step, send)

    def _steps(self) -> _DeliverySteps:
        is_cached = not is_token_missing(self.request)
        if not is_cached:
            self.request = yield _AuthorizeStep(self.request)
        self.approval.spend(self.request)
        response = yield from self._sent()
        # A token that was issued a moment ago is not replaced: the next would be refused as well.
        if response.status != _UNAUTHORIZED or not is_cached:
            return response
        self.is_token_dropped = yield _DropTokensStep(self.request)
        # RFC 9110, "401 Unauthorized": it was not applied. A gateway may pass on the 401 of what
        # stands behind it, though, when a part is done; so a write is repeated only where any
        # other retry would do so, too: by its method, or with an idempotency key.
        if not self.is_token_dropped or not is_repeatable(self.request):
            return response
        self.request, self.is_token_dropped = (yield _AuthorizeStep(self.request)), False
        return (yield from self._sent())

    def _sent(self) -> _DeliverySteps:
        response: object = yield self.request
        if not isinstance(response, Response):
            raise TypeError(f"send gave {type(response).__name__}, not a Response")
        self.is_waiting, self.response = False, response
        return response

    def _announce(self, request: Request) -> None:
        """Tell of a request that goes out now."""
        try:
            self.before_send(request)
        except Exception as error:
            self.objection = error
            raise
        self.has_asked = True
        if request is self.request:
            self.is_sent = self.is_waiting = True

    def _done(self, step: _AuthorizeStep | _DropTokensStep | Request, send: Send) -> Any:
        def announced(request: Request) -> Response:
            self._announce(request)
            try:
                return await_callback_result(send(request), "send")
            except UnawaitedCallback as error:
                self.is_sent = self.is_waiting = self.has_asked = False
                self.objection = error
                raise

        match step:
            case Request():
                return announced(step)
            case _AuthorizeStep(request):
                return authorize_request(
                    request, self.connection, named=self._named, tool=self.tool, send=announced
                )
            case _DropTokensStep(request):
                wanted, refused = self._wanted(), _bearer_token(request)
                for each in wanted:
                    each.client.tokens.drop(each.key(), refused)
                return bool(wanted)

    async def _done_async(
        self, step: _AuthorizeStep | _DropTokensStep | Request, send: AsyncSend
    ) -> Any:
        async def announced(request: Request) -> Response:
            self._announce(request)
            return await await_if_needed(send(request))

        match step:
            case Request():
                return await announced(step)
            case _AuthorizeStep(request):
                return await authorize_request_async(
                    request, self.connection, named=self._named, tool=self.tool, send=announced
                )
            case _DropTokensStep(request):
                wanted, refused = self._wanted(), _bearer_token(request)
                for each in wanted:
                    await each.client.tokens.drop_async(each.key(), refused)
                return bool(wanted)

    @property
    def _named(self) -> Origin | None:
        return user_origin(self.connection, self.tool.source)

    def _wanted(self) -> tuple[TokenRequest, ...]:
        return list_token_requests(self.connection, named=self._named, tool=self.tool)


def _bearer_token(request: Request) -> Secret:
    return Secret(request.header("authorization").partition(" ")[2])
