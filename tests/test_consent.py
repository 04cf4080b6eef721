"""An approval is for one exact request, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from restwright.calls.consent import Approval, digest
from restwright.errors import RefusedRequest
from restwright.net.message import Request

REQUEST = Request(method="POST", url="http://h/x", headers=(("A", "1"),), body=b"{}")


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, method="PUT"),
        replace(REQUEST, url="http://h/y"),
        replace(REQUEST, headers=(("A", "2"),)),
        replace(REQUEST, body=b"[]"),
        replace(REQUEST, secret_headers=frozenset({"a"})),
    ],
)
def test_digest_tells_requests_apart(other: Request) -> None:
    assert digest(other) != digest(REQUEST)


def test_digest_does_not_depend_on_secrets() -> None:
    one = replace(REQUEST, secret_headers=frozenset({"a"}))
    assert digest(one) == digest(replace(one, headers=(("A", "2"),)))


def test_approval_is_used_once() -> None:
    approval = Approval(REQUEST)
    approval.spend(REQUEST)
    with pytest.raises(RefusedRequest):
        approval.spend(REQUEST)


def test_approval_of_another_request_is_refused_and_lost() -> None:
    approval = Approval(REQUEST)
    with pytest.raises(RefusedRequest):
        approval.spend(replace(REQUEST, body=b"[1]"))
    with pytest.raises(RefusedRequest):
        approval.spend(REQUEST)
