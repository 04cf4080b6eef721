"""One call of a tool for a client: checked, asked about where it writes, sent, told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.auth.oauth.driver import AsyncSend, LoginNeeded
from restwright.calls.call import call_async
from restwright.calls.response.pagination import PageLimits, iterate_pages
from restwright.calls.response.projection import pick_value
from restwright.calls.response.result import Result
from restwright.errors import RestwrightError, UnusableExpression
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.mcp.calling.call_log import CallLog
from restwright.mcp.calling.kept_results import KeptResult, KeptResults
from restwright.mcp.calling.write_journal import WriteJournal
from restwright.mcp.login.logins import Logins
from restwright.mcp.protocol.consent import Consent, OneWord
from restwright.mcp.sources.served import ServedTools
from restwright.net.messages import Request, Response
from restwright.stepping import drive_async
from restwright.tools.tool import Tool

PAGE_LIMITS = PageLimits(pages=50, items=5_000)
"""How much of a list is read where all of its pages are wanted."""


@dataclass(slots=True, kw_only=True)
class ToolCaller:
    """
    Makes calls.

    Args:
        served: What there is to call right now.
        send: Carries requests.
        report_error: Told of what nobody foresaw, for whoever runs the server.
        kept: What is too long for a result.
        log: Where calls are written down; None for nowhere.
        all_pages: Whether every page of a list is read.
        writes: Keeps writes before they are sent; None for nowhere.
        logins: Has users log in where an API asks for it; None where nobody can.
    """

    served: Callable[[], ServedTools]
    send: AsyncSend = field(repr=False)
    report_error: Callable[[str], None] = field(repr=False)
    kept: KeptResults = field(default_factory=KeptResults)
    log: CallLog | None = None
    all_pages: bool = False
    writes: WriteJournal | None = None
    logins: Logins | None = None

    async def call(self, tool: Tool, arguments: Json, consent: Consent) -> Result:
        """
        Make one call. Nothing is raised but a cancellation; `consent` says what is to be asked.

        Args:
            arguments: As the client wrote them.
        """
        started = time.monotonic()
        result = await self._call_and_pick(tool, arguments, consent)
        if self.log is not None and consent.question is None:
            exchange = consent.exchange
            self.log.write(
                tool,
                result,
                user=exchange.user,
                seconds=time.monotonic() - started,
                trace=exchange.traceparent,
            )
        return result

    def tell_doubts(self, consent: Consent, result: Result) -> Result:
        """A result, with what its user was not told of earlier writes."""
        doubts = self.writes.tell_doubts(consent.exchange.user) if self.writes else ()
        return replace(result, warnings=(*result.warnings, *doubts)) if doubts else result

    def keep(self, consent: Consent, media_type: str, body: bytes) -> str:
        """Keep a body for the user of a call; returns its URI."""
        user = consent.exchange.user
        return self.kept.keep(KeptResult(user=user, media_type=media_type, body=body))

    async def _call_and_pick(self, tool: Tool, arguments: Json, consent: Consent) -> Result:
        method = tool.operation.method.upper()
        async with consent.exchange.heartbeat(f"{method} {tool.operation.path}"):
            try:
                result = await self._call_pages(tool, arguments, consent)
            except RestwrightError as error:
                text = f"{tool.name} cannot be called: {error.message}."
                result = Result(kind="refused", text=text, repairable_by="user", error=error)
            except Exception as error:  # noqa: BLE001 - its words may hold anything
                self.report_error(f"{tool.name} failed: {type(error).__name__}: {error}")
                text = f"{tool.name} failed: {type(error).__name__}"
                result = Result(kind="no_response", text=text, error=error)
        if consent.refusal and result.kind == "refused":
            result = replace(result, text=consent.refusal, repairable_by=None)
        expression = self.served().picks.get(tool.name)
        return _pick(result, expression) if expression and result.ok else result

    async def _call_pages(self, tool: Tool, arguments: Json, consent: Consent) -> Result:
        given = self._complete_arguments(tool, arguments, consent)
        once = partial(self._call_once, tool, consent)
        if not (self.all_pages and tool.is_read):
            return await once(given)
        count = 0

        async def read_page(page: JsonObject) -> Result:
            nonlocal count
            count += 1
            await consent.exchange.report(f"page {count}")
            return await once(page)

        return await drive_async(iterate_pages(tool, given, PAGE_LIMITS), read_page)

    def _complete_arguments(self, tool: Tool, arguments: Json, consent: Consent) -> JsonObject:
        """With what was shown to the user, or else with what every call of the tool has."""
        if consent.answered is not None:
            consent.arguments = consent.answered.arguments
            return consent.arguments
        if not is_object(arguments):
            return arguments
        whole = {**arguments, **self.served().fixed.get(tool.name, {})}
        consent.arguments = add_idempotency_key(tool, whole)
        return consent.arguments

    async def _call_once(self, tool: Tool, consent: Consent, arguments: JsonObject) -> Result:
        policy = self.served().policy_of(tool.namespace)
        approve = OneWord(consent, policy)
        try:
            return await self._send_once(tool, consent, arguments, approve)
        except LoginNeeded as needed:
            if self.logins is None:
                raise
            ended = await self.logins.log_in(needed, consent, approve.approved)
            if ended is not None:
                consent.refusal = "" if consent.question is not None else ended.text
                return ended
        approve.spared = approve.approved
        return await self._send_once(tool, consent, arguments, approve)

    async def _send_once(
        self, tool: Tool, consent: Consent, arguments: JsonObject, approve: OneWord
    ) -> Result:
        served, exchange, policy = self.served(), consent.exchange, approve.policy
        call = partial(
            call_async,
            tool,
            arguments,
            connection=served.connections.find(tool.namespace, exchange.user),
            send=partial(send_in_trace, self.send, exchange.traceparent),
            approve=approve,
            policy=policy,
        )
        if self.writes is None or policy.class_of(tool) == "read":
            return await call()
        with self.writes.open(tool, arguments, exchange.user) as write:
            return write.end(await call(before_call=write.keep))


async def send_in_trace(send: AsyncSend, traceparent: str, request: Request) -> Response:
    """Send a request as a part of the trace that its client is in."""
    if traceparent and not request.header("traceparent"):
        headers = (*request.headers, ("traceparent", traceparent))
        request = replace(request, headers=headers)
    return await send(request)


def _pick(result: Result, expression: str) -> Result:
    try:
        # What was picked is no longer the body of the response.
        return replace(result, value=pick_value(result.value, expression), response=None)
    except UnusableExpression as error:
        note = f"{error.message}; this is all of the response"
        return replace(result, warnings=(*result.warnings, note))
