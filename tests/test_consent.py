"""An approval is for one exact request, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from restwright.calls.consent import Approval, digest, question
from restwright.errors import RefusedRequest
from restwright.net.message import Request
from restwright.net.secret import Secret
from restwright.openapi.model import Method, Operation
from restwright.tools.tool import Tool

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


@pytest.mark.parametrize(("age", "is_good"), [(599.0, True), (601.0, False)])
def test_an_approval_expires(age: float, is_good: bool) -> None:
    times = iter([100.0, 100.0 + age])
    approval = Approval(REQUEST, now=lambda: next(times))
    if is_good:
        approval.spend(REQUEST)
        return
    with pytest.raises(RefusedRequest, match="too old"):
        approval.spend(REQUEST)


def test_digest_does_not_depend_on_a_secret_of_the_query_or_a_cookie() -> None:
    def with_key(key: str) -> Request:
        cookie = ("Cookie", f"a=1; sid={key}")
        secret_headers = frozenset({"cookie"})
        return replace(
            REQUEST,
            url=f"http://h/x?key={key}",
            headers=(cookie,),
            secret_headers=secret_headers,
            secrets=(Secret(key),),
        )

    assert digest(with_key("first-key")) == digest(with_key("second-key"))


def test_digest_depends_on_the_cookies_that_are_no_secret() -> None:
    one = replace(
        REQUEST,
        headers=(("Cookie", "a=1; sid=secret"),),
        secret_headers=frozenset({"cookie"}),
        secrets=(Secret("secret"),),
    )
    assert digest(one) != digest(replace(one, headers=(("Cookie", "a=2; sid=secret"),)))


def tool_of(method: str, path: str = "/x") -> Tool:
    operation = Operation(method=Method(method), path=path, pointer="/paths/x")
    return Tool(name="shop__x", namespace="shop", operation_name="x", operation=operation)


def test_the_question_shows_method_url_and_body() -> None:
    request = Request(method="POST", url="http://h/x?key=top-secret", body=b'{"a":[1]}',
                      secrets=(Secret("top-secret"),))  # fmt: skip
    assert question(tool_of("post"), request) == (
        'shop__x would send\n  POST http://h/x?key=***\n{\n  "a": [\n    1\n  ]\n}\n'
    )


def test_the_question_names_what_destroys() -> None:
    request = Request(method="DELETE", url="http://h/x")
    text = "DESTRUCTIVE: shop__x would send\n  DELETE http://h/x\n"
    assert question(tool_of("delete"), request) == text


def test_the_question_masks_passwords_of_the_body() -> None:
    body = (
        b'{"user": "ada", "password": "pw", "more": [{"clientSecret": "cs"}], "secret": {"a": 1}}'
    )
    shown = question(tool_of("post"), Request(method="POST", url="http://h/x", body=body))
    assert '"pw"' not in shown
    assert '"cs"' not in shown
    assert '"ada"' in shown
    assert '"a": 1' in shown


def test_the_question_shortens_a_long_body() -> None:
    request = Request(method="POST", url="http://h/x", body=b"x" * 5000)
    shown = question(tool_of("post"), request)
    assert shown.endswith(f"{'x' * 2000}... (5,000 characters)\n")
