"""Waits, budgets and turns, told without any I/O; private certificate authorities."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import NoResponse
from restwright.net.http.exchange import is_json_too_deep
from restwright.net.http.retry import (
    Attempt,
    Pause,
    Retry,
    SendContext,
    parse_retry_after,
    plan_attempts,
)
from restwright.net.http.throttle import LocalTraffic, TransportLimits
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import Origin

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ORIGIN = Origin("http", "h", 80)
GET = Request(method="GET", url="http://h/")


class Clock:
    """Seconds that grow when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def course(
    clock: Clock, limits: TransportLimits, *, timeout_s: float = 30.0, jitter: float = 1.0
) -> SendContext:
    traffic = LocalTraffic(limits, clock)
    return SendContext(
        retry=Retry(), traffic=traffic, deadline=timeout_s, clock=clock, jitter=lambda: jitter
    )


def waits(answer: Response, **options: float) -> list[float]:
    """The pauses of a GET that is always answered the same."""
    clock, found = Clock(), list[float]()
    steps = plan_attempts(GET, course(clock, TransportLimits(), **options))
    step = next(steps)
    try:
        while True:
            if isinstance(step, Pause):
                found.append(step.seconds)
                clock.now += step.seconds
                step = steps.send(None)
            else:
                step = steps.send(answer)
    except StopIteration:
        return found


BUSY = Response(status=503)


def test_waits_double_and_have_full_jitter() -> None:
    assert waits(BUSY) == [0.5, 1.0]
    assert waits(BUSY, jitter=0.5) == [0.25, 0.5]


def test_no_wait_is_nothing() -> None:
    assert waits(BUSY, jitter=0.0) == [0.1, 0.1]


def test_the_server_may_ask_for_a_wait_up_to_a_minute() -> None:
    asked = replace(BUSY, headers=(("retry-after", "7"),))
    assert waits(asked) == [7, 7]
    ages = replace(BUSY, headers=(("retry-after", "99999999999"),))
    assert waits(ages, timeout_s=1000) == [60, 60]


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    assert waits(replace(BUSY, headers=(("retry-after", "31"),))) == []


@pytest.mark.parametrize("text", ["0", "Wed, 21 Oct 2015 07:28:00 GMT", "-1", "abc"])
def test_who_may_come_back_at_once_waits_as_usual(text: str) -> None:
    assert waits(replace(BUSY, headers=(("retry-after", text),))) == [0.5, 1.0]


def asked_s(text: str, date: str = "") -> float | None:
    answer = replace(BUSY, headers=(("retry-after", text), ("date", date)))
    return parse_retry_after(answer, now=NOW)


@pytest.mark.parametrize("text", ["-1", "1.5", "abc", "", "Wed, 99 Foo", "\uff11\uff12", "1 s"])
def test_what_is_no_time_asks_for_no_wait(text: str) -> None:
    assert asked_s(text) is None


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), (" 7 ", 7), ("9" * 5000, 1e15)])
def test_a_number_is_seconds(text: str, seconds: float) -> None:
    assert asked_s(text) == seconds


def written(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


def test_a_date_is_read_as_the_seconds_until_then() -> None:
    assert (asked_s(written(9)), asked_s(written(-9))) == (9, 0)
    assert asked_s(written(9).replace("GMT", "-0000")) == 9


def test_a_date_is_counted_from_the_clock_of_the_server() -> None:
    assert asked_s(written(9), written(-60)) == 69


@pytest.mark.parametrize("date", ["", "yesterday", "Wed, 99 Foo", "Sat, 21 Nov 99999 08:00:30 GMT"])
def test_a_date_is_counted_from_this_clock_where_the_server_shows_none(date: str) -> None:
    assert asked_s(written(9), date) == 9


@given(st.text(), st.text())
def test_any_retry_after_is_a_wait_or_none(text: str, date: str) -> None:
    seconds = asked_s(text, date)
    assert seconds is None or seconds >= 0


def test_retries_are_a_share_of_the_requests_of_ten_seconds() -> None:
    clock = Clock()
    traffic = LocalTraffic(TransportLimits(spare_retries=2), clock)
    allowed = [traffic.is_retry_allowed(ORIGIN) for _ in range(3)]
    for _ in range(50):
        traffic.pause_s(ORIGIN)
    allowed += [traffic.is_retry_allowed(ORIGIN) for _ in range(4)]
    clock.now = 11
    assert allowed == [True, True, False, True, True, True, False]
    assert traffic.is_retry_allowed(ORIGIN)


def test_requests_start_at_the_pace_that_is_allowed() -> None:
    traffic = LocalTraffic(TransportLimits(per_second=2), Clock())
    assert [traffic.pause_s(ORIGIN) for _ in range(3)] == [0, 0.5, 1]


def test_a_turn_after_the_deadline_is_no_response() -> None:
    clock = Clock()
    slow = course(clock, TransportLimits(per_second=0.01))
    assert isinstance(next(plan_attempts(GET, slow)), Attempt)
    with pytest.raises(NoResponse) as caught:
        next(plan_attempts(GET, slow))
    assert not caught.value.sent


def test_after_a_rest_one_request_is_let_through() -> None:
    clock = Clock()
    traffic = LocalTraffic(TransportLimits(max_failures=2, cooldown_s=30), clock)
    for _ in range(2):
        traffic.record_attempt(ORIGIN, has_failed=True)
    assert traffic.cooldown_s(ORIGIN) == 30
    clock.now = 30
    assert (traffic.cooldown_s(ORIGIN), traffic.cooldown_s(ORIGIN)) == (0, 30)
    traffic.record_attempt(ORIGIN, has_failed=False)
    assert traffic.cooldown_s(ORIGIN) == 0


@given(st.integers(0, 60), st.integers(1, 60))
def test_depth_is_that_of_the_brackets_outside_of_texts(depth: int, limit: int) -> None:
    text = b'["[[[[{{{{\\"[[[",' * depth + b"0" + b"]" * depth
    assert is_json_too_deep(text, limit) == (depth > limit)
