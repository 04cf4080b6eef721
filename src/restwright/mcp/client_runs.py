"""
Runs that ask their client on the way: its user, its model, its folders.

In a session that is a request to the client. In revisions without sessions the call ends with the
question while the run waits, and the client's next call goes on with it. Who cancels the call ends
the run.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from restwright.calls.approval.approval import APPROVAL_LIFETIME_S
from restwright.mcp.background_tasks import BackgroundTasks
from restwright.mcp.exchange import Exchange
from restwright.mcp.results import error_result

MAX_ROUNDS = 3
"""As often is asked again for what a client leaves out."""
_ANSWERS: Mapping[type[Any], tuple[type[Any], ...]] = {
    types.ElicitRequest: (types.ElicitResult,),
    types.CreateMessageRequest: (types.CreateMessageResult, types.CreateMessageResultWithTools),
    types.ListRootsRequest: (types.ListRootsResult,),
}


@dataclass(slots=True, kw_only=True)
class ClientRuns(BackgroundTasks):
    """
    The runs of a server.

    Args:
        count: Those under way, waiting ones included.
        waiting: `{number: run}` of those that wait for what their client says.
    """

    count: int = 0
    waiting: dict[str, ClientRun] = field(default_factory=dict[str, "ClientRun"])

    def start(
        self,
        exchange: Exchange,
        act: Callable[[ClientRun], Awaitable[Any]],
        given: Mapping[str, Any] | None = None,
    ) -> ClientRun:
        """
        Begin a run, whose outcome is what `act` returns or raises.

        Args:
            given: What the client has said already.
        """
        run = ClientRun(exchange, self.waiting, {**(given or {})})
        self.start_task(self._go, run, act)
        return run

    def take_up(self, exchange: Exchange) -> ClientRun | None:
        """The run that a call goes on with; None where it is another user's, or there is none."""
        number = exchange.request_state or ""
        run = self.waiting.get(number)
        if run is None or run.user != exchange.user:
            return None
        del self.waiting[number]
        run.hear(exchange.input_responses or {})
        return run

    async def carry_out(
        self, exchange: Exchange, act: Callable[[ClientRun], Awaitable[Any]], what: str
    ) -> Any:
        """Begin a run or go on with one, and wait for its end or its next question."""
        if not exchange.is_modern:
            return await act(ClientRun(exchange, self.waiting, {}))
        run = self.take_up(exchange)
        if run is None:
            given = exchange.input_responses if exchange.request_state is None else None
            run = self.start(exchange, act, given)
        return await run.attend(exchange, what)

    async def _go(self, run: ClientRun, act: Callable[[ClientRun], Awaitable[Any]]) -> None:
        self.count += 1
        try:
            with run.scope:
                try:
                    run.put(await act(run))
                except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                    run.put(error)
            if run.scope.cancelled_caught:
                run.put(error_result("The run was ended: its user did not answer in time"))
        finally:
            self.count -= 1


@dataclass(slots=True)
class ClientRun:
    """
    One run for a client.

    Args:
        exchange: The call that waits for it; a later one where the client was asked.
        waiting: `{number: run}` of those that wait for their client.
        said: What the client has said since it was asked last.
    """

    exchange: Exchange
    waiting: dict[str, ClientRun] = field(repr=False)
    said: dict[str, Any] = field(repr=False)
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    is_attended: bool = True
    user: str = ""
    _outcome: object = None
    _news: anyio.Event = field(default_factory=anyio.Event)
    _heard: anyio.Event = field(default_factory=anyio.Event)
    _asking: anyio.Lock = field(default_factory=anyio.Lock)

    def __post_init__(self) -> None:
        """Know whose it is, also where another user's call goes on with it."""
        self.user = self.exchange.user

    async def attend(self, exchange: Exchange, what: str) -> Any:
        """Wait for its end, or for a question to its user; whoever gives that up ends the run."""
        self.exchange, self.is_attended = exchange, True
        try:
            async with exchange.heartbeat(what):
                await self._news.wait()
        except BaseException:
            self.scope.cancel()
            raise
        finally:
            self.is_attended = exchange.is_open = False
        self._news = anyio.Event()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def put(self, outcome: object) -> None:
        """Give the call what it waits for."""
        self._outcome = outcome
        self._news.set()

    def hear(self, said: Mapping[str, Any]) -> None:
        """Take what the client said."""
        self.said = {**said}
        self._heard.set()

    async def ask(self, requests: Mapping[str, types.InputRequest]) -> dict[str, Any]:
        """What a client says to requests, by their keys; None where it refuses, or takes long."""
        async with self._asking:
            with anyio.move_on_after(APPROVAL_LIFETIME_S) as waiting:
                if self.exchange.is_modern:
                    return await self._ask_by_results(requests)
                return {key: await self._send(request) for key, request in requests.items()}
            if waiting.cancelled_caught and self.exchange.is_modern:
                # Nobody is there any more who could be told how it ends.
                self.scope.cancel()
        return dict.fromkeys(requests)

    async def _send(self, request: types.InputRequest) -> Any:
        try:
            return await self.exchange.send(request, _ANSWERS[type(request)][0])
        except MCPError:
            return None

    async def _ask_by_results(self, requests: Mapping[str, types.InputRequest]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for asked in range(MAX_ROUNDS + 1):
            found |= {key: self.said[key] for key in requests if self._has_answer(key, requests)}
            self.said = {}
            missing = {key: request for key, request in requests.items() if key not in found}
            if not missing or asked == MAX_ROUNDS:
                break
            await self._end_call(missing)
        return {key: found.get(key) for key in requests}

    def _has_answer(self, key: str, requests: Mapping[str, types.InputRequest]) -> bool:
        return isinstance(self.said.get(key), _ANSWERS[type(requests[key])])

    async def _end_call(self, requests: Mapping[str, types.InputRequest]) -> None:
        """End the call that waits with questions, and wait for the one that answers them."""
        self._heard = anyio.Event()
        number = secrets.token_urlsafe(18)
        self.waiting[number] = self
        self.put(types.InputRequiredResult(input_requests=dict(requests), request_state=number))
        try:
            await self._heard.wait()
        finally:
            self.waiting.pop(number, None)
