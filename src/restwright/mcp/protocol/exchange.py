"""One request of a client: who sent it, what can be asked of them, what they are told meanwhile."""

from __future__ import annotations

import re
import warnings
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import is_version_at_least
from pydantic import BaseModel

from restwright.calls.truncate import compact_json

MODERN = "2026-07-28"
"""The first revision without sessions, in which a result asks what there is to ask."""
HEARTBEAT_S = 1.0
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

ResultT = TypeVar("ResultT", bound=BaseModel)
LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)
"""Of what is told of what happens, from the least to the most urgent."""

Context = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class Exchange:
    """
    One request of a client.

    Args:
        input_responses: What its user has answered, in revisions where a request says it.
        request_state: What this server gave it to be told again, opened and checked.
        log_level: From which on its client wants to be told what happens; all where it is empty.
        told: How far it was told to be.
        is_open: Whether it has no answer yet.
        tells_itself: Whether what it waits for says how far that is.
    """

    context: Context
    input_responses: Mapping[str, Any] | None = None
    request_state: str | None = None
    log_level: str = ""
    told: float = -1
    is_open: bool = True
    tells_itself: bool = False
    _is_beating: bool = False

    @property
    def is_modern(self) -> bool:
        """Whether its revision knows no sessions."""
        return is_version_at_least(self.context.protocol_version, MODERN)

    @property
    def user(self) -> str:
        """Who sent it, as their token says; empty where nobody had to say who they are."""
        token = get_access_token()
        return "" if token is None else compact_json([*principal_components(token)])

    @property
    def can_be_asked(self) -> bool:
        """Whether its user can be shown a form."""
        able = self.context.session.client_capabilities
        if able is None or able.elicitation is None:
            return False
        # Before there were URLs to visit, nothing more was said of a form.
        is_url_alone = able.elicitation.form is None and able.elicitation.url is not None
        return not is_url_alone

    @property
    def can_open_pages(self) -> bool:
        """Whether its user can be shown a page."""
        able = self.context.session.client_capabilities
        return (
            able is not None and able.elicitation is not None and able.elicitation.url is not None
        )

    @property
    def traceparent(self) -> str:
        """The trace that it is a part of; empty for none."""
        given = (self.context.meta or {}).get("traceparent")
        return given if isinstance(given, str) and _TRACEPARENT.fullmatch(given) else ""

    async def report(self, message: str) -> None:
        """Tell of progress; nobody is told who has not asked to be."""
        await self.report_progress(max(self.told, 0) + 1, None, message)

    async def report_progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far it is, where that is further than before."""
        if self.is_open and done > self.told:
            self.told = done
            await self.context.session.report_progress(done, total, message)

    async def log(self, level: types.LoggingLevel, text: str) -> None:
        """Tell what happens, if its client wants to know that much."""
        if self.is_open and LEVELS.index(level) >= LEVELS.index(self.log_level or LEVELS[0]):
            with warnings.catch_warnings():
                # There are clients who want it.
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                sending = self.context.session.send_log_message(  # pyright: ignore[reportDeprecated]
                    level, text, related_request_id=self.context.request_id
                )
            await sending

    @asynccontextmanager
    async def heartbeat(self, message: str) -> AsyncGenerator[None]:
        """Tell every second that the block goes on, so that a patient client waits for it."""
        if self._is_beating:
            yield
            return
        self._is_beating = True
        async with anyio.create_task_group() as group:
            group.start_soon(self._beat, message)
            try:
                yield
            finally:
                self._is_beating = False
                group.cancel_scope.cancel()

    async def _beat(self, message: str) -> None:
        seconds = 0.0
        while True:
            await anyio.sleep(HEARTBEAT_S)
            seconds += HEARTBEAT_S
            if not self.tells_itself:
                await self.report(f"{message}, {seconds:.0f} s")

    async def ask(self, message: str, schema: dict[str, Any]) -> types.ElicitResult:
        """Show a form to the user in a session, and wait."""
        session, number = self.context.session, self.context.request_id
        return await session.elicit_form(message, schema, number)

    async def show_page(self, params: types.ElicitRequestURLParams) -> types.ElicitResult:
        """Have a page opened for the user in a session; the answer says whether it was."""
        session, number = self.context.session, self.context.request_id
        return await session.elicit_url(
            params.message, params.url, params.elicitation_id or "", number
        )

    async def tell_page_done(self, identifier: str) -> None:
        """Tell that what a page was opened for is done."""
        session, number = self.context.session, self.context.request_id
        await session.send_elicit_complete(identifier, number)

    async def send(self, request: types.ServerRequest, result: type[ResultT]) -> ResultT:
        """Ask the client itself something in a session, and wait."""
        about = ServerMessageMetadata(related_request_id=self.context.request_id)
        return await self.context.session.send_request(request, result, metadata=about)
