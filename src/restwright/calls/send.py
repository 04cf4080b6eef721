"""Sends an approved request by the flows of its credentials, which may send it once more."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from restwright.calls.approval.approval import Approval
from restwright.calls.auth.connection import (
    Connection,
    authorize_request,
    authorize_request_async,
    list_token_requests,
    send_steps,
    user_origin,
)
from restwright.calls.auth.handler import AuthorizeStep, DropTokensStep
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.net.callbacks import UnawaitedCallback, await_callback_result, await_if_needed
from restwright.net.messages import Request, Response, Send
from restwright.net.policy.origins import Origin
from restwright.net.secret import Secret
from restwright.stepping import drive, drive_async, map_steps
from restwright.tools.tool import Tool

BeforeSendHook: TypeAlias = Callable[[Request], None]
"""Told of a request right before it is sent; what it raises keeps the request from that."""


def ignore_request(request: Request) -> None:
    """Take no notice of a request."""
    del request


_DeliveryStep: TypeAlias = AuthorizeStep | DropTokensStep | Request
_DeliverySteps: TypeAlias = Generator[_DeliveryStep, Any, Response]


@dataclass(slots=True)
class RequestDelivery:
    """
    One request on its way.

    Args:
        request: What was sent last; it has the secrets that may come back.
        approval: For `request`, used up when it is sent.
        before_send: Told of every request, those for tokens too.
        before_call: Told after it of each request to the API itself, as often as one goes out.
        is_token_dropped: Whether its token was refused and not replaced.
        has_asked: Whether any request went out, or may have.
        is_sent: Whether `request` did.
        is_waiting: Whether it did, and its response did not come.
        response: To `request`, the last one.
        hook_error: What `before_send` raised.
    """

    request: Request
    tool: Tool
    connection: Connection
    approval: Approval
    before_send: BeforeSendHook = ignore_request
    before_call: BeforeSendHook = ignore_request
    is_token_dropped: bool = False
    has_asked: bool = False
    is_sent: bool = False
    is_waiting: bool = False
    response: Response | None = None
    hook_error: Exception | None = None

    def run(self, send: Send) -> Response:
        """
        Send the request and return its response.

        Raises:
            RefusedRequest: It may not be sent.
            NoResponse: None came to `request`.
            ResponseTooLarge: It was longer than the cap.
            MissingCredential, NoToken: There is no token to send it with.
        """
        return drive(self._steps(), partial(self._perform, send=send))

    async def run_async(self, send: AsyncSend) -> Response:
        """Do the same as `run` from an event loop."""
        return await drive_async(self._steps(), partial(self._perform_async, send=send))

    def _steps(self) -> _DeliverySteps:
        """The steps of the credentials' flows; what goes out first uses the approval up."""
        is_first = True

        def perform(step: _DeliveryStep) -> Generator[_DeliveryStep, Any, Any]:
            nonlocal is_first
            match step:
                case AuthorizeStep():
                    self.request = yield step
                    self.is_token_dropped = False
                    return self.request
                case DropTokensStep():
                    self.is_token_dropped = yield step
                    return self.is_token_dropped
                case Request():
                    if is_first:
                        self.approval.spend(self.request)
                    self.request, is_first = step, False
                    return (yield from self._send_steps())

        return map_steps(send_steps(self.request, self.connection, self.tool), perform)

    def _send_steps(self) -> _DeliverySteps:
        response: object = yield self.request
        if not isinstance(response, Response):
            raise TypeError(f"send gave {type(response).__name__}, not a Response")
        self.is_waiting, self.response = False, response
        return response

    def _notify_send(self, request: Request) -> None:
        """Tell of a request that goes out now."""
        try:
            self.before_send(request)
            if request is self.request:
                self.before_call(request)
        except Exception as error:
            self.hook_error = error
            raise
        self.has_asked = True
        if request is self.request:
            self.is_sent = self.is_waiting = True

    def _perform(self, step: _DeliveryStep, send: Send) -> Any:
        def announced(request: Request) -> Response:
            self._notify_send(request)
            try:
                return await_callback_result(send(request), "send")
            except UnawaitedCallback as error:
                self.is_sent = self.is_waiting = self.has_asked = False
                self.hook_error = error
                raise

        match step:
            case Request():
                return announced(step)
            case AuthorizeStep(request):
                return authorize_request(
                    request,
                    self.connection,
                    named=self._user_origin,
                    tool=self.tool,
                    send=announced,
                )
            case DropTokensStep(request):
                wanted, refused = self._token_requests(), _bearer_token(request)
                dropped = [item.client.tokens.drop(item.cache_key(), refused) for item in wanted]
                return bool(dropped) and all(dropped)

    async def _perform_async(self, step: _DeliveryStep, send: AsyncSend) -> Any:
        async def announced(request: Request) -> Response:
            self._notify_send(request)
            return await await_if_needed(send(request))

        match step:
            case Request():
                return await announced(step)
            case AuthorizeStep(request):
                return await authorize_request_async(
                    request,
                    self.connection,
                    named=self._user_origin,
                    tool=self.tool,
                    send=announced,
                )
            case DropTokensStep(request):
                wanted, refused = self._token_requests(), _bearer_token(request)
                dropped = [
                    await item.client.tokens.drop_async(item.cache_key(), refused)
                    for item in wanted
                ]
                return bool(dropped) and all(dropped)

    @property
    def _user_origin(self) -> Origin | None:
        return user_origin(self.connection, self.tool.source)

    def _token_requests(self) -> tuple[TokenRequest, ...]:
        return list_token_requests(self.connection, named=self._user_origin, tool=self.tool)


def _bearer_token(request: Request) -> Secret:
    return Secret(request.header("authorization").partition(" ")[2])
