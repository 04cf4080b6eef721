"""Whom a function can tell and ask while a client waits for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from restwright.errors import Said, UsageError
from restwright.jsontypes import JsonObject, is_object
from restwright.mcp.protocol.client_runs import ClientRun
from restwright.mcp.protocol.consent import escape_unprintable
from restwright.net.secret_names import is_secret_name
from restwright.tools.functions.context import (
    CALL_CONTEXT,
    CallContext,
    ClientQuestion,
    Form,
    LogLevel,
    Roots,
    Sample,
)

MAX_WAITING = 25
"""Functions that wait for their clients at the same time; each keeps a thread."""
_NAMES: dict[type[ClientQuestion], str] = {Form: "elicitation", Sample: "sampling", Roots: "roots"}


@contextmanager
def use_context(run: ClientRun, announce: Callable[[], Awaitable[None]]) -> Generator[None]:
    """Have the functions that are called in the block know the client of a run."""
    token = CALL_CONTEXT.set(ServedContext(run, announce))
    try:
        yield
    finally:
        CALL_CONTEXT.reset(token)


@dataclass(frozen=True, slots=True)
class ServedContext(CallContext):
    """The client of a run."""

    run: ClientRun
    announce: Callable[[], Awaitable[None]] = field(repr=False)

    def can_ask(self, kind: type[ClientQuestion]) -> bool:
        """Whether its client says that it takes such questions."""
        if kind is Form:
            return self.run.exchange.can_be_asked
        able = self.run.exchange.context.session.client_capabilities
        if able is None:
            return False
        return (able.sampling if kind is Sample else able.roots) is not None

    async def ask(self, **questions: ClientQuestion) -> dict[str, Any]:
        """
        Ask, in a session or by the end of the call.

        Raises:
            Said: Its client takes no such questions, or too many wait.
            MCPError: The same, in revisions that have an error for it.
            UsageError: A form asks for a secret.
        """
        requests = {key: make_request(question) for key, question in questions.items()}
        kinds = {type(question) for question in questions.values()}
        if lacking := sorted(_NAMES[kind] for kind in kinds if not self.can_ask(kind)):
            raise self._refuse(lacking)
        if len(self.run.waiting) >= MAX_WAITING:
            raise Said(f"{MAX_WAITING} calls wait for their users: try again later")
        return {key: read_answer(said) for key, said in (await self.run.ask(requests)).items()}

    async def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell of progress, instead of how long it takes."""
        exchange = self.run.exchange
        exchange.tells_itself = True
        await exchange.report_progress(done, total, message)

    async def log(self, text: str, level: LogLevel = "info") -> None:
        """Send a message of the log, where its client wants it."""
        await self.run.exchange.log(level, text)

    async def announce_changes(self) -> None:
        """Tell all clients that lists are others now."""
        await self.announce()

    def _refuse(self, names: Sequence[str]) -> Exception:
        why = f"this client does not offer {' and '.join(names)}, which is needed"
        if not self.run.exchange.is_modern:
            return Said(why)
        needed: JsonObject = {"requiredCapabilities": {name: {} for name in names}}
        return MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, why, needed)


def make_request(question: ClientQuestion) -> types.InputRequest:
    """
    A question as a request of the protocol.

    Raises:
        UsageError: A form asks for a secret, which no form may.
    """
    if isinstance(question, Form):
        _check_form(question.schema)
        params = types.ElicitRequestFormParams(
            message=escape_unprintable(question.text), requested_schema=dict(question.schema)
        )
        return types.ElicitRequest(params=params)
    if isinstance(question, Sample):
        content = types.TextContent(type="text", text=question.prompt)
        wanted = types.CreateMessageRequestParams(
            messages=[types.SamplingMessage(role="user", content=content)],
            max_tokens=question.max_tokens,
            system_prompt=question.system or None,
        )
        return types.CreateMessageRequest(params=wanted)
    return types.ListRootsRequest()


def _check_form(schema: JsonObject) -> None:
    properties = schema.get("properties")
    members: Mapping[str, Any] = properties if is_object(properties) else {}
    for name, member in members.items():
        if is_secret_name(name) or (is_object(member) and member.get("format") == "password"):
            raise UsageError("a form cannot ask for a secret", name, "leave it out of the form")


def read_answer(said: object) -> Any:
    """What was answered, as a function reads it; None where that was refused."""
    if isinstance(said, types.ElicitResult):
        return {**(said.content or {})} if said.action == "accept" else None
    if isinstance(said, types.ListRootsResult):
        return [str(root.uri) for root in said.roots]
    if not isinstance(said, types.CreateMessageResult | types.CreateMessageResultWithTools):
        return None
    blocks = said.content if isinstance(said.content, list) else [said.content]
    texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
    return "\n".join(texts) if texts else None
