"""
One connection to a server: an event loop in a thread of its own, and calls into it from any other.

A question of the server is answered in the thread that calls, which knows whom to ask.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import CancelledError, Future
from contextlib import (
    AbstractAsyncContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.from_thread import BlockingPortal
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp import Client, MCPError
from restwright.calls.questions import current_answer
from restwright.errors import RestwrightError, Said, ServerUnavailable
from restwright.jsontypes import JsonObject
from restwright.mcp_client.elicitation import ElicitationReply, answer_elicitation
from restwright.mcp_client.listing import ReadTools, read_tools
from restwright.mcp_client.screening import Screening, screen
from restwright.mcp_client.settings import Era, ServerProcess, ServerSettings
from restwright.mcp_client.stdio import LineTooLong, ServerErrorOutput, open_process
from restwright.net.http.cancellation import allow_cancellation, wait_limit
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer

_T = TypeVar("_T")
_CLOSE_S = 15.0
_MAX_STATE_CHARS = 1_000_000
_STATE_PAUSE_S = 0.1


class ConnectionLost(Exception):
    """The connection ended before a call was answered."""


@dataclass(slots=True)
class _PendingQuestion:
    params: JsonObject
    reply: Future[ElicitationReply] = field(default_factory=Future[ElicitationReply])


@dataclass(slots=True)
class _CallUnderWay:
    """A call, the questions that come up in it, and the seconds that people took to answer."""

    tool: str
    events: queue.SimpleQueue[_PendingQuestion | None] = field(
        default_factory=queue.SimpleQueue[_PendingQuestion | None]
    )
    scope: anyio.CancelScope | None = None


class ServerConnection:
    """
    An open connection, of either era.

    Args:
        environment: Of a process, secrets filled in.
        transport: What carries messages to a server that is no process.
    """

    def __init__(
        self,
        settings: ServerSettings,
        *,
        environment: dict[str, str] | None = None,
        transport: Callable[[], AbstractAsyncContextManager[Any]] | None = None,
        known: ServerConnection | None = None,
    ) -> None:
        self._settings, self._environment = settings, environment or {}
        self._transport = transport
        self._screening, self._told = Screening(), ServerErrorOutput()
        self._under_way: list[_CallUnderWay] = []
        self._stack = ExitStack()
        self._failure: Exception | None = None
        self._known = known
        self._client: Client = None  # type: ignore[assignment]  # set by open()

    def open(self) -> None:
        """
        Connect.

        Raises:
            ServerUnavailable: It cannot be started or reached, or speaks no revision that we do.
        """
        # What the SDK logs of a server would be printed where nobody set up logging.
        logging.getLogger("mcp").addHandler(logging.NullHandler())
        try:
            portal = self._stack.enter_context(_open_portal())
            self._portal = portal
            self._client = self._stack.enter_context(
                portal.wrap_async_context_manager(self._open_client())
            )
        except BaseException as error:
            self._stack.close()
            if not isinstance(error, Exception):
                raise
            raise ServerUnavailable(self._settings.name, self._explain(error)) from None

    @asynccontextmanager
    async def _open_client(self) -> AsyncGenerator[Client]:
        era, discovered = self._find_era()
        client = Client(
            screen(self._open_transport(), self._screening),
            mode=era,
            prior_discover=discovered,
            elicitation_callback=self._elicit,
            message_handler=self._notice,
            client_info=types.Implementation(name="restwright", version=_version()),
            cache=None,
        )
        limits = self._settings.limits
        login_s = 0.0 if self._settings.make_login is None else limits.login_s
        with anyio.fail_after(limits.start_s + login_s) as scope:
            async with client:
                scope.deadline = float("inf")
                self._screening.is_modern = self.is_modern_of(client)
                yield client

    def _find_era(self) -> tuple[Era, Any]:
        """As it was found before, since under load a probe may come to another end."""
        known = self._known
        if known is None:
            return self._settings.era, None
        if not known.is_modern:
            return "legacy", None
        return "2026-07-28", known.discovered

    @staticmethod
    def is_modern_of(client: Client) -> bool:
        """Whether the revision that was agreed on has no sessions."""
        return client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def is_modern(self) -> bool:
        """Whether it speaks 2026-07-28 or later."""
        return self._screening.is_modern

    @property
    def discovered(self) -> Any:
        """What the server said of itself, to spare the next connection the question."""
        return self._client.session.discover_result

    @property
    def protocol_version(self) -> str:
        """The revision that was agreed on."""
        return self._client.protocol_version

    @property
    def title(self) -> str:
        """What the server calls itself."""
        about = self._client.server_info
        return (about.title or about.name) if about else ""

    @property
    def instructions(self) -> str:
        """What it says about its tools as a whole."""
        return self._client.instructions or ""

    @property
    def has_changed(self) -> bool:
        """Whether it said that its tools are others now."""
        return self._screening.has_changed

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._failure is not None

    def _open_transport(self) -> AbstractAsyncContextManager[Any]:
        place = self._settings.place
        if self._transport is not None:
            return self._transport()
        assert isinstance(place, ServerProcess)  # noqa: S101  (a URL has a transport)
        limit = self._settings.limits.line_bytes
        return open_process(place, self._environment, limit, self._told)

    def close(self) -> None:
        """End the connection, and the process where there is one."""
        self._failure = self._failure or ConnectionLost()
        try:
            self._stack.close()
        except Exception:  # noqa: BLE001 - it is over, however it ends
            return

    def list_tools(self) -> ReadTools:
        """
        Every page of the list, as far as the caps go.

        Raises:
            ServerUnavailable: It cannot be listed.
        """
        try:
            return self._run(self._list, self._settings.limits.start_s)
        except Exception as error:  # noqa: BLE001 - a server may have any fault
            why = f"its tools cannot be listed: {self._explain(error)}"
            raise ServerUnavailable(self._settings.name, why) from None

    async def _list(self) -> ReadTools:
        limits, cursor, seen = self._settings.limits, None, set[str]()
        taken = set[str]()
        self._screening.begin_list()
        problems = self._screening.problems
        for _ in range(limits.pages):
            page = await self._client.list_tools(cursor=cursor, cache_mode="bypass")
            taken |= {tool.name for tool in page.tools}
            cursor = page.next_cursor
            if cursor is None or len(self._screening.tools) > limits.tools:
                break
            if cursor in seen:
                problems.append(_list_problem("its list comes round to a page that was read"))
                break
            seen.add(cursor)
        else:
            problems.append(_list_problem(f"its list has more than {limits.pages} pages"))
        listed = self._screening.tools
        if len(listed) > limits.tools:
            problems.append(_list_problem(f"it lists more than {limits.tools:,} tools"))
        # The SDK leaves out what it could not call, such as by headers that are none.
        left_out = [raw for raw in listed if raw["name"] not in taken]
        problems += [_tool_problem(raw) for raw in left_out]
        kept = [raw for raw in listed if raw["name"] in taken]
        return read_tools(kept[: limits.tools], problems)

    def call_tool(self, name: str, arguments: JsonObject, *, tool: str) -> JsonObject:
        """
        Call a tool, and answer what comes up in it by whoever answers in this thread.

        Args:
            tool: What the user knows it as.

        Returns:
            The result, with the keys of the protocol.

        Raises:
            ConnectionLost: Nobody knows what came of it.
            Said: The server answered by an error, or not in time.
        """
        call = _CallUnderWay(tool)
        left_s = min(self._settings.limits.call_s, wait_limit() - time.monotonic())
        self._under_way.append(call)
        try:
            return self._run(
                lambda: self._call(call, name, arguments, max(left_s, 0.0)), None, call
            )
        except MCPError as error:
            if error.error.code == types.CONNECTION_CLOSED:
                self._failure = error
                raise ConnectionLost from None
            raise Said(f"the server says: {error.error.message[:1_000]}") from None
        except TimeoutError:
            raise Said(f"no result came within {left_s:.0f} s") from None
        except (Said, ConnectionLost):
            raise
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            self._failure = error
            raise ConnectionLost from None
        except Exception as error:  # noqa: BLE001 - a server may have any fault
            raise Said(f"its result cannot be read ({type(error).__name__})") from None
        finally:
            self._under_way.remove(call)

    async def _call(
        self, call: _CallUnderWay, name: str, arguments: JsonObject, left_s: float
    ) -> JsonObject:
        with anyio.fail_after(left_s) as call.scope:
            result = await self._call_in_rounds(call, name, arguments)
        return result.model_dump(by_alias=True, exclude_unset=True, mode="json")

    async def _call_in_rounds(self, call: _CallUnderWay, name: str, arguments: JsonObject) -> Any:
        responses: Any = None
        state: str | None = None
        for _ in range(self._settings.limits.rounds + 1):
            result = await self._client.session.call_tool(
                name,
                arguments,
                input_responses=responses,
                request_state=state,
                allow_input_required=True,
            )
            if not isinstance(result, types.InputRequiredResult):
                return result
            state = result.request_state
            if state is not None and len(state) > _MAX_STATE_CHARS:
                raise Said("the server asks to keep more than is kept of a call")
            responses = None
            if result.input_requests:
                responses = {
                    key: await self._respond(call, request)
                    for key, request in result.input_requests.items()
                }
            else:
                await anyio.sleep(_STATE_PAUSE_S)
        raise Said(f"the server asked more than {self._settings.limits.rounds} times")

    async def _respond(self, call: _CallUnderWay, request: types.InputRequest) -> Any:
        if not isinstance(request, types.ElicitRequest):
            what = request.method.partition("/")[0]
            raise Said(f"the server asks for {what}, which is not allowed")
        return await self._ask(call, request.params)

    async def _elicit(self, context: Any, params: Any) -> Any:
        """A question of a server that has a session, which does not say in which call it came."""
        del context
        if not self._under_way:
            return types.ElicitResult(action="cancel")
        return await self._ask(self._under_way[-1], params)

    async def _ask(self, call: _CallUnderWay, params: Any) -> types.ElicitResult:
        import asyncio

        began = anyio.current_time()
        pending = _PendingQuestion(
            params.model_dump(by_alias=True, exclude_unset=True, mode="json")
        )
        call.events.put(pending)
        scope = call.scope
        left_s = scope.deadline - began if scope else 0.0
        if scope:
            # People take their time, which is not the server's.
            scope.deadline = float("inf")
        reply = await asyncio.wrap_future(pending.reply)
        if scope:
            scope.deadline = anyio.current_time() + left_s
        return types.ElicitResult(action=reply.action, content=reply.content)  # type: ignore[arg-type]

    async def _notice(self, message: Any) -> None:
        if isinstance(message, LineTooLong):
            self._failure = message

    def _run(
        self,
        act: Callable[[], Awaitable[_T]],
        timeout_s: float | None,
        call: _CallUnderWay | None = None,
    ) -> _T:
        """Do something in the event loop, and answer questions here meanwhile."""
        future: Future[_T] = self._portal.start_task_soon(act)  # type: ignore[arg-type]
        under_way = call or _CallUnderWay("")
        future.add_done_callback(lambda _: under_way.events.put(None))
        try:
            with allow_cancellation(future.cancel):
                while (pending := self._next_event(under_way, future, timeout_s)) is not None:
                    self._answer(under_way.tool, pending)
                return future.result()
        except CancelledError:
            raise Said("it was ended before it was answered") from None
        except BaseException:
            future.cancel()
            raise

    def _next_event(
        self, call: _CallUnderWay, future: Future[Any], timeout_s: float | None
    ) -> _PendingQuestion | None:
        try:
            return call.events.get(timeout=timeout_s)
        except queue.Empty:
            future.cancel()
            raise TimeoutError from None

    def _answer(self, tool: str, pending: _PendingQuestion) -> None:
        try:
            reply = answer_elicitation(
                pending.params, server=self._settings.name, tool=tool, answer=current_answer()
            )
        except BaseException as error:
            pending.reply.set_exception(ConnectionLost())
            if not isinstance(error, Exception):
                raise
            raise Said(f"its question could not be asked ({type(error).__name__})") from error
        pending.reply.set_result(reply)

    def _explain(self, error: BaseException) -> str:
        """Why something failed, in the words of the protocol and with what the process said."""
        why = _describe_error(_find_first(error))
        told = self._told.text
        return f"{why}; it said: {told[-500:]}" if told else why


@contextmanager
def _open_portal() -> Generator[BlockingPortal]:
    """An event loop in a thread, for which the end of the process does not wait."""
    ready: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            ready.set_result(portal)
            await portal.sleep_until_stopped()

    thread = Thread(target=anyio.run, args=(serve,), name="restwright-mcp", daemon=True)
    thread.start()
    portal = ready.result()
    try:
        yield portal
    finally:
        portal.start_task_soon(partial(portal.stop, cancel_remaining=True))
        thread.join(_CLOSE_S)


def _find_first(error: BaseException) -> BaseException:
    """What failed first, of several things that ended together."""
    several: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return _find_first(several[0]) if several else error


def _describe_error(error: BaseException) -> str:
    if isinstance(error, MCPError):
        return error.error.message[:500]
    if isinstance(error, FileNotFoundError | PermissionError):
        return f"{error.filename or 'the program'}: {error.strerror}"
    if isinstance(error, TimeoutError):
        return "it was not ready in time"
    if isinstance(error, RestwrightError):
        return error.message
    # The SDK says so what it cannot agree with a server on.
    return str(error)[:300] if type(error) is RuntimeError else type(error).__name__


def _tool_problem(raw: JsonObject) -> Problem:
    where = join_pointer("tools", raw["name"])
    return Problem(where, "its `x-mcp-header` cannot be sent", "error", "no tool is made of it")


def _list_problem(what: str) -> Problem:
    return Problem("/tools", what, "warning", "the rest is left out")


def _version() -> str:
    from restwright import __version__

    return __version__
