"""
When a request is sent again, when a redirect is followed, and how long to wait in between.

`plan_attempts()` is a generator without I/O: it says what to do next and is told what became of
it, so that blocking and asynchronous transports share every rule.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urljoin

from restwright.errors import NoResponse, RefusedRequest, require_type
from restwright.net.http.exchange import SAFE, AttemptFailure
from restwright.net.http.throttle import Admission, Traffic, Turn
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import Origin, parse_origin, redact_url

# RFC 9110, "Idempotent Methods"; QUERY is of RFC 9110's successor in OpenAPI 3.2.
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"})
IDEMPOTENCY_HEADERS = ("idempotency-key", "x-idempotency-key")
_RETRYABLE_STATUSES = frozenset({408, 425, 429, 502, 503, 504})
# RFC 9110, "503 Service Unavailable"; RFC 6585, "429 Too Many Requests".
_RESTING_STATUSES = frozenset({429, 503})
_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """
    How often one request is sent.

    Args:
        attempts: The first one included.
        min_delay_s: The shortest wait before another.
        initial_delay_s: The longest wait before the second; it doubles with each.
        max_delay_s: The longest wait of all.
        max_retry_after_s: The longest wait that a `Retry-After` can ask for.
    """

    attempts: int = 3
    min_delay_s: float = 0.1
    initial_delay_s: float = 0.5
    max_delay_s: float = 5.0
    max_retry_after_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """
    Send `request`; the answer is a `Response` or a `AttemptFailure`.

    Args:
        was_sent: Whether it went out before, or may have.
    """

    request: Request
    origin: Origin
    was_sent: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait `seconds` before `request` is sent; the answer is None."""

    seconds: float
    request: Request
    was_sent: bool = False


@dataclass(frozen=True, slots=True)
class Consult:
    """Call `ask`, which may take a while; the answer is what it returns."""

    ask: Callable[[], Admission | bool]
    request: Request
    was_sent: bool = False


SendStep: TypeAlias = Attempt | Pause | Consult
AttemptOutcome: TypeAlias = Response | AttemptFailure | Admission | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendContext:
    """
    What decides how one call goes on.

    Args:
        retry: How often it is sent.
        traffic: What else its origin is asked for.
        deadline: An instant of `clock` at which all is over.
        timeout_s: What the deadline was made from; for messages.
        max_redirects: How many are followed, by GET and HEAD and inside the origin alone.
        clock: Seconds that only grow.
        jitter: A number from 0 to 1 each time.
    """

    retry: Retry
    traffic: Traffic
    deadline: float
    timeout_s: float = 0.0
    max_redirects: int = 0
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - self.clock()


def plan_attempts(
    request: Request, context: SendContext
) -> Generator[SendStep, AttemptOutcome, Response]:
    """
    Say what to do until there is a response.

    Returns:
        The last response, whatever its status.

    Raises:
        NoResponse: There is none, or the origin is left alone for a while.
    """
    require_type(request, Request, what="what is sent", wanted="a `Request`, as `prepare()` gives")
    redirects = 0
    while True:
        response = yield from _send_with_retries(request, context)
        target = _redirect_url(request, response, context)
        if target is None:
            return response
        redirects += 1
        if redirects > context.max_redirects:
            why = f"more than {context.max_redirects} redirects"
            raise NoResponse(redact_url(request.url), why, sent=True)
        request = replace(request, url=target)


def is_repeatable(request: Request) -> bool:
    """Whether sending `request` twice has the effect of sending it once."""
    return request.method in IDEMPOTENT or any(map(request.header, IDEMPOTENCY_HEADERS))


def _send_with_retries(
    request: Request, context: SendContext
) -> Generator[SendStep, AttemptOutcome, Response]:
    origin, traffic = parse_origin(request.url), context.traffic
    number = sent = 0
    while True:
        number += 1
        turn = Turn(
            origin=origin,
            is_safe=request.method in SAFE,
            is_retry=number > 1,
            left_s=context.left_s(),
        )
        try:
            yield from _wait_for_turn(request, turn, context, was_sent=sent > 0)
            outcome = yield Attempt(request, origin, sent > 0)
        except BaseException:
            traffic.abandon(turn)
            raise
        if not isinstance(outcome, Response | AttemptFailure):
            raise TypeError(f"an attempt was answered with {type(outcome).__name__}")
        sent += not isinstance(outcome, AttemptFailure) or outcome.error.sent
        report = partial(
            traffic.report,
            turn,
            has_failed=isinstance(outcome, AttemptFailure),
            rest_s=_wanted_rest_s(outcome, context.retry),
        )
        may_go_on = yield from _consult(report, request, context, was_sent=sent > 0)
        wait_s = _retry_delay_s(request, outcome, number, context)
        if wait_s is None or not may_go_on or not traffic.is_retry_allowed(origin):
            return _unwrap_outcome(outcome, sent)
        yield Pause(wait_s, request, sent > 0)


def _consult(
    ask: Callable[[], Admission | bool], request: Request, context: SendContext, *, was_sent: bool
) -> Generator[SendStep, AttemptOutcome, Any]:
    """Have `ask` called: here where it takes no time, else by whoever performs the steps."""
    return (yield Consult(ask, request, was_sent)) if context.traffic.does_io else ask()


def _wait_for_turn(
    request: Request, turn: Turn, context: SendContext, *, was_sent: bool
) -> Generator[SendStep, AttemptOutcome, None]:
    """
    Wait until a request may go out.

    Raises:
        NoResponse: Its turn does not come in time, or its origin is left alone for a while.
    """
    ask = partial(context.traffic.admit, turn)
    while True:
        try:
            given: Admission = yield from _consult(ask, request, context, was_sent=was_sent)
        except OSError as error:
            why = "the database of the limits that machines share does not answer"
            raise NoResponse(redact_url(request.url), why, sent=was_sent) from error
        if why := _explain_refusal(given, turn.origin, left_s := context.left_s()):
            raise NoResponse(redact_url(request.url), why, sent=was_sent)
        if given.seconds:
            yield Pause(min(given.seconds, left_s), request, was_sent)
        if given.verdict == "go":
            return


def _explain_refusal(given: Admission, origin: Origin, left_s: float) -> str:
    """Why a request is not sent at all; empty where it may be, in time."""
    if given.verdict == "rest":
        why = f"{origin} did not answer several times in a row"
        return f"{why}; asked again in {given.seconds:.0f} s"
    if given.verdict == "go" and given.seconds > left_s:
        return f"its turn comes in {given.seconds:.0f} s, after the deadline"
    if given.verdict == "wait" and left_s <= 0:
        return "others to its origin did not end in time"
    return ""


def _wanted_rest_s(outcome: Response | AttemptFailure, retry: Retry) -> float:
    """For how long a server asks to be left alone by everybody."""
    if isinstance(outcome, AttemptFailure) or outcome.status not in _RESTING_STATUSES:
        return 0.0
    return min(parse_retry_after(outcome) or 0.0, retry.max_retry_after_s)


def _unwrap_outcome(outcome: Response | AttemptFailure, attempts: int) -> Response:
    if isinstance(outcome, AttemptFailure):
        raise outcome.error from outcome.cause
    return outcome if attempts == 1 else replace(outcome, attempts=attempts)


def _retry_delay_s(
    request: Request, outcome: Response | AttemptFailure, number: int, context: SendContext
) -> float | None:
    """Seconds until the next attempt; None where there is none."""
    if number >= context.retry.attempts or not _is_retryable(request, outcome):
        return None
    retry, asked_s = context.retry, None
    if isinstance(outcome, Response):
        asked_s = parse_retry_after(outcome)
    wait_s = delay_after(number, retry, asked_s=asked_s, jitter=context.jitter)
    return wait_s if wait_s < context.left_s() else None


def delay_after(
    number: int,
    retry: Retry,
    *,
    asked_s: float | None,
    jitter: Callable[[], float] = random.random,
) -> float:
    """
    Seconds between an attempt that failed and the next one.

    Args:
        number: Of the attempt that failed, from 1.
        asked_s: What its `Retry-After` asks for; None where there is none.
        jitter: A number from 0 to 1.
    """
    # Who may come back at once had better not come back with everybody else.
    if not asked_s:
        longest_s = min(retry.max_delay_s, retry.initial_delay_s * 2 ** (number - 1))
        return max(retry.min_delay_s, jitter() * longest_s)
    return max(retry.min_delay_s, min(asked_s, retry.max_retry_after_s))


def _is_retryable(request: Request, outcome: Response | AttemptFailure) -> bool:
    if isinstance(outcome, Response):
        return outcome.status in _RETRYABLE_STATUSES and is_repeatable(request)
    return outcome.is_transient and (not outcome.error.sent or is_repeatable(request))


def _redirect_url(request: Request, response: Response, context: SendContext) -> str | None:
    """The URL of a redirect that is followed. One to another origin is a response like others."""
    location = response.header("location")
    if not context.max_redirects or response.status not in _REDIRECT_STATUSES or not location:
        return None
    if request.method not in {"GET", "HEAD"}:
        return None
    try:
        target = urljoin(request.url, location).partition("#")[0]
        return target if parse_origin(target) == parse_origin(request.url) else None
    except (RefusedRequest, ValueError):
        return None


def parse_retry_after(response: Response, *, now: datetime | None = None) -> float | None:
    """
    Read the `Retry-After` of a response.

    Args:
        response: A date is counted from its own `Date`, since its clock may differ from this one's.
        now: Stands for a `Date` that is missing or none; this machine's time where None.

    Returns:
        Seconds, 0 for a date that has passed, without an upper bound; None where nothing is asked
        or it is neither a number nor a date.

    Source: RFC 9110, "Retry-After" and "Date".
    """
    text = response.header("retry-after").strip()
    if text.isascii() and text.isdigit():
        # No more digits than a float has.
        return float(text) if len(text) < 16 else 1e15
    instant = _parse_http_date(text)
    if instant is None:
        return None
    sent = _parse_http_date(response.header("date")) or now or datetime.now(UTC)
    return max((instant - sent).total_seconds(), 0.0)


def _parse_http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
