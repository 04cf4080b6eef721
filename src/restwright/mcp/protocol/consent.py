"""
The word of a person on each write, asked by a form of their client.

In a session the form is shown while the call waits. In revisions without sessions the call ends
with the question, and the client sends it once more with the answer: what was asked about is kept
here until then, by a number that is worth one call. What is sent is what was shown: the hash of its
request is compared.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from restwright.calls.approval.approval import (
    APPROVAL_LIFETIME_S,
    escape_unprintable,
    format_approval_question,
    hash_request,
)
from restwright.calls.approval.policy import Policy
from restwright.jsontypes import JsonObject
from restwright.mcp.protocol.exchange import Exchange
from restwright.net.messages import Request
from restwright.tools.tool import Tool

MAX_PENDING = 1_000
"""Questions without an answer; the oldest goes first."""
_FIELD = "send"
_ASKED = "consent"
_LOGIN = "login"
APPROVAL_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {_FIELD: {"type": "boolean", "title": "Send it", "default": False}},
    "required": [_FIELD],
}
_NOBODY = (
    "Not sent: it changes something, and this client cannot ask its user. The user can allow writes"
    " where this server is started."
)
USED = (
    "Not sent: this approval was used already, is too old, or is another user's. Call the tool"
    " anew, without it, to have the user asked again."
)
_REFUSALS = {
    "decline": "Not sent: the user declined it.",
    "cancel": "Not sent: the user closed the question without an answer.",
}
_NO_LOGIN = "Not sent: the user did not log in."
_UNTICKED = "Not sent: the user did not agree to it."


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingApproval:
    """
    A question to a user.

    Args:
        request_hash: Of what the user was shown.
        arguments: Of the call, with what was added to them before it was shown.
        user: Who was asked.
        state: What else is needed to go on with the call.
        login: The login that the question is a part of; empty for a write.
        asked_at: Seconds, monotonic.
    """

    request_hash: str
    arguments: JsonObject = field(repr=False)
    user: str
    state: bytes = field(default=b"", repr=False)
    login: str = ""
    asked_at: float = 0.0


@dataclass(slots=True)
class ApprovalLedger:
    """
    Questions that wait for an answer. Each is taken once.

    Args:
        now: Seconds, monotonic.
    """

    now: Callable[[], float] = time.monotonic
    _pending: dict[str, PendingApproval] = field(default_factory=dict[str, PendingApproval])

    def add(self, pending: PendingApproval) -> str:
        """Keep a question; returns the number that its answer must have."""
        number = secrets.token_urlsafe(18)
        self._pending[number] = pending
        while len(self._pending) > MAX_PENDING:
            del self._pending[next(iter(self._pending))]
        return number

    def take(self, number: str, user: str) -> PendingApproval | None:
        """The question of this number; None where it was taken, is too old or another user's."""
        found = self._pending.get(number)
        if found is None or found.user != user:
            return None
        del self._pending[number]
        return found if self.now() - found.asked_at <= APPROVAL_LIFETIME_S else None


@dataclass(slots=True)
class OneWord:
    """
    An `Approve` of one call: its question ends the call, whose answer is another one.

    Args:
        approved: The hash of what was agreed to last, which may not have been sent.
        spared: That of what was not sent since somebody had to log in first: it is asked about no
            second time.
    """

    consent: Consent
    policy: Policy
    approved: str = ""
    spared: str = ""
    is_single_word: ClassVar[bool] = True

    async def __call__(self, tool: Tool, request: Request) -> bool:
        """Whether `request` may be sent."""
        spared, self.spared = self.spared, ""
        given = hash_request(request)
        is_allowed = spared == given or await self.consent.approve(self.policy, tool, request)
        self.approved = given if is_allowed else ""
        return is_allowed


@dataclass(slots=True)
class Consent:
    """
    What becomes of the writes of one call.

    Args:
        answered: The question that this call answers; None for none.
        refusal: Why nothing is sent, for the model; empty where nothing was refused.
        question: What the call ends with, where its user is to be asked.
        visited: The login whose page its user has opened.
        said: What they typed for it.
    """

    exchange: Exchange
    ledger: ApprovalLedger
    answered: PendingApproval | None = None
    refusal: str = ""
    question: types.InputRequiredResult | None = None
    arguments: JsonObject = field(default_factory=dict[str, Any])
    suspend: Callable[[], bytes] = bytes
    visited: str = ""
    said: str = ""

    def take_said(self) -> str:
        """What the user typed for a login, once."""
        said, self.said = self.said, ""
        return said

    async def approve(self, policy: Policy, tool: Tool, request: Request) -> bool:
        """Whether `request` may be sent; asks the user, or has the call end with the question."""
        answered, self.answered = self.answered, None
        request_hash = hash_request(request)
        if answered is not None and answered.request_hash == request_hash:
            return True
        if not self.exchange.can_be_asked:
            self.refusal = _NOBODY
            return False
        message = escape_unprintable(format_approval_question(tool, request, policy=policy))
        if self.exchange.is_modern:
            self.question = self._make_question(message, request_hash)
            return False
        self.refusal = await self._ask(message)
        return not self.refusal

    async def _ask(self, message: str) -> str:
        """Why a request is not sent, by the word of the user; empty where they agree."""
        with anyio.move_on_after(APPROVAL_LIFETIME_S):
            try:
                return find_refusal(await self.exchange.ask(message, APPROVAL_FORM))
            except MCPError:
                return _NOBODY
        return _REFUSALS["cancel"]

    def end_with(
        self,
        params: types.ElicitRequestURLParams | types.ElicitRequestFormParams,
        *,
        login: str,
        approved: str,
    ) -> None:
        """End the call with a part of a login; `approved` is sent after it, and not asked again."""
        self.question = self._require(_LOGIN, params, request_hash=approved, login=login)

    def _make_question(self, message: str, request_hash: str) -> types.InputRequiredResult:
        form = types.ElicitRequestFormParams(message=message, requested_schema=APPROVAL_FORM)
        return self._require(_ASKED, form, request_hash=request_hash)

    def _require(
        self, key: str, params: Any, *, request_hash: str, login: str = ""
    ) -> types.InputRequiredResult:
        pending = PendingApproval(
            login=login,
            request_hash=request_hash,
            arguments=self.arguments,
            user=self.exchange.user,
            state=self.suspend(),
            asked_at=self.ledger.now(),
        )
        return types.InputRequiredResult(
            input_requests={key: types.ElicitRequest(params=params)},
            request_state=self.ledger.add(pending),
        )


def open_consent(exchange: Exchange, ledger: ApprovalLedger) -> Consent:
    """
    What is known of the user's word when a call comes in.

    An answer without the number of a question is none: the user is asked. With a number that is
    worth nothing any more, `refusal` says so.
    """
    consent = Consent(exchange, ledger)
    if exchange.request_state is None:
        return consent
    pending = ledger.take(exchange.request_state, exchange.user)
    if pending is None:
        consent.refusal = USED
        return consent
    responses = exchange.input_responses or {}
    if pending.login:
        _take_login(consent, pending.login, responses.get(_LOGIN))
    else:
        consent.refusal = find_refusal(responses.get(_ASKED))
    consent.answered = None if consent.refusal else pending
    return consent


def _take_login(consent: Consent, login: str, answer: object) -> None:
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        consent.refusal = _NO_LOGIN
        return
    said = (answer.content or {}).get("code", "")
    consent.visited, consent.said = login, said if isinstance(said, str) else ""


def find_refusal(answer: object) -> str:
    """Why an answer is no yes; empty where it is one."""
    if not isinstance(answer, types.ElicitResult):
        return _UNTICKED
    if answer.action != "accept":
        return _REFUSALS.get(answer.action, _UNTICKED)
    return "" if (answer.content or {}).get(_FIELD) is True else _UNTICKED
