"""What is held between two requests of a page, within bounds."""

from __future__ import annotations

from tests.support.web import load_shop

from restwright.calls.approval.approval import APPROVAL_LIFETIME_S
from restwright.calls.response.result import Result
from restwright.net.messages import Request
from restwright.testing import reply
from restwright.web.kept import MAX_CALL_BYTES, MAX_CALLS, MAX_HELD, KeptCall, KeptCalls

REQUEST = Request(method="POST", url="https://api.test/x")
TOOL = load_shop()["shop__add_cart_item"]


def test_a_question_that_is_too_old_sends_nothing() -> None:
    clock = [0.0]
    kept = KeptCalls(now=lambda: clock[0])
    key, held = kept.hold(TOOL, {}, REQUEST)
    clock[0] = APPROVAL_LIFETIME_S + 1
    assert kept.spend(key, held.hash) is None


def test_a_hash_that_is_none_sends_nothing() -> None:
    kept = KeptCalls()
    key, _ = kept.hold(TOOL, {}, REQUEST)
    assert kept.spend(key, "\u00e9") is None


def test_the_oldest_question_goes_first() -> None:
    kept = KeptCalls()
    keys = [kept.hold(TOOL, {}, REQUEST) for _ in range(MAX_HELD + 1)]
    assert kept.spend(keys[0][0], keys[0][1].hash) is None
    assert kept.spend(keys[1][0], keys[1][1].hash) is not None


def _call(size: int) -> KeptCall:
    response = reply(200, "x" * size)
    return KeptCall(
        tool=TOOL, arguments={}, result=Result(kind="ok", response=response), seconds=0.1
    )


def test_responses_are_kept_within_their_bounds() -> None:
    kept = KeptCalls()
    keys = [kept.keep(_call(1)) for _ in range(MAX_CALLS + 2)]
    assert [kept.find(key) is None for key in keys[:3]] == [True, True, False]
    large = [kept.keep(_call(MAX_CALL_BYTES // 2 + 1)) for _ in range(2)]
    assert kept.find(large[0]) is None
    assert kept.find(large[1]) is not None
