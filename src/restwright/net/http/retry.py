"""
When a request is sent again, when a redirect is followed, and how long to wait in between.

`attempts()` is a generator without I/O: it says what to do next and is told what became of it, so
that blocking and asynchronous transports share every rule.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias
from urllib.parse import urljoin

from restwright.errors import NoResponse, RefusedRequest, require
from restwright.net.http.exchange import Failure
from restwright.net.http.throttle import Traffic
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import Origin, origin_of, shown

# RFC 9110, "Idempotent Methods"; QUERY is of RFC 9110's successor in OpenAPI 3.2.
IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE"})
IDEMPOTENCY_HEADERS = ("idempotency-key", "x-idempotency-key")
_PASSING_STATUSES = frozenset({408, 425, 429, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """
    How often one request is sent.

    Args:
        attempts: The first one included.
        least_s: The shortest wait before another.
        first_s: The longest wait before the second; it doubles with each.
        most_s: The longest wait of all.
        most_asked_s: The longest wait that a `Retry-After` can ask for.
    """

    attempts: int = 3
    least_s: float = 0.1
    first_s: float = 0.5
    most_s: float = 5.0
    most_asked_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """
    Send `request`; the answer is a `Response` or a `Failure`.

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


Step: TypeAlias = Attempt | Pause
Outcome: TypeAlias = Response | Failure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
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


def attempts(request: Request, course: Course) -> Generator[Step, Outcome, Response]:
    """
    Say what to do until there is a response.

    Returns:
        The last response, whatever its status.

    Raises:
        NoResponse: There is none, or the origin is left alone for a while.
    """
    require(request, Request, what="what is sent", wanted="a `Request`, as `prepare()` gives")
    redirects = 0
    while True:
        response = yield from _answered(request, course)
        target = _followed(request, response, course)
        if target is None:
            return response
        redirects += 1
        if redirects > course.max_redirects:
            why = f"more than {course.max_redirects} redirects"
            raise NoResponse(shown(request.url), why, sent=True)
        request = replace(request, url=target)


def is_repeatable(request: Request) -> bool:
    """Whether sending `request` twice has the effect of sending it once."""
    return request.method in IDEMPOTENT or any(map(request.header, IDEMPOTENCY_HEADERS))


def _answered(request: Request, course: Course) -> Generator[Step, Outcome, Response]:
    origin = origin_of(request.url)
    _check_rest(request, origin, course)
    number = sent = 0
    while True:
        number += 1
        yield from _in_turn(request, origin, course, was_sent=sent > 0)
        outcome = yield Attempt(request, origin, sent > 0)
        if outcome is None:
            raise ValueError("an attempt was answered with nothing")
        sent += not isinstance(outcome, Failure) or outcome.error.sent
        course.traffic.note(origin, has_failed=isinstance(outcome, Failure))
        wait_s = _wait_s(request, outcome, number, course)
        if wait_s is None or not course.traffic.is_retry_allowed(origin):
            return _concluded(outcome, sent)
        yield Pause(wait_s, request, sent > 0)


def _check_rest(request: Request, origin: Origin, course: Course) -> None:
    rest_s = course.traffic.rest_s(origin)
    if rest_s:
        why = f"{origin} did not answer several times in a row; asked again in {rest_s:.0f} s"
        raise NoResponse(shown(request.url), why, sent=False)


def _in_turn(
    request: Request, origin: Origin, course: Course, *, was_sent: bool
) -> Generator[Step, Outcome, None]:
    pause_s = course.traffic.pause_s(origin)
    if pause_s > course.left_s():
        why = f"its turn comes in {pause_s:.0f} s, after the deadline"
        raise NoResponse(shown(request.url), why, sent=was_sent)
    if pause_s:
        yield Pause(pause_s, request, was_sent)


def _concluded(outcome: Response | Failure, attempts: int) -> Response:
    if isinstance(outcome, Failure):
        raise outcome.error from outcome.cause
    return outcome if attempts == 1 else replace(outcome, attempts=attempts)


def _wait_s(
    request: Request, outcome: Response | Failure, number: int, course: Course
) -> float | None:
    """Seconds until the next attempt; None where there is none."""
    if number >= course.retry.attempts or not _may_help(request, outcome):
        return None
    retry, asked_s = course.retry, None
    if isinstance(outcome, Response):
        asked_s = retry_after_s(outcome)
    # Who may come back at once had better not come back with everybody else.
    if not asked_s:
        longest_s = min(retry.most_s, retry.first_s * 2 ** (number - 1))
        wait_s = max(retry.least_s, course.jitter() * longest_s)
    else:
        wait_s = max(retry.least_s, min(asked_s, retry.most_asked_s))
    return wait_s if wait_s < course.left_s() else None


def _may_help(request: Request, outcome: Response | Failure) -> bool:
    if isinstance(outcome, Response):
        return outcome.status in _PASSING_STATUSES and is_repeatable(request)
    return outcome.is_passing and (not outcome.error.sent or is_repeatable(request))


def _followed(request: Request, response: Response, course: Course) -> str | None:
    """The URL of a redirect that is followed. One to another origin is a response like others."""
    location = response.header("location")
    if not course.max_redirects or response.status not in _REDIRECTS or not location:
        return None
    if request.method not in {"GET", "HEAD"}:
        return None
    try:
        target = urljoin(request.url, location).partition("#")[0]
        return target if origin_of(target) == origin_of(request.url) else None
    except (RefusedRequest, ValueError):
        return None


def retry_after_s(response: Response, *, now: datetime | None = None) -> float | None:
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
    instant = _instant(text)
    if instant is None:
        return None
    sent = _instant(response.header("date")) or now or datetime.now(UTC)
    return max((instant - sent).total_seconds(), 0.0)


def _instant(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
