"""An approval is for one exact request, once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from restwright.calls.approval.approval import Approval, format_approval_question, hash_request
from restwright.errors import RefusedRequest
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
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
    assert hash_request(other) != hash_request(REQUEST)


def test_digest_does_not_depend_on_secrets() -> None:
    one = replace(REQUEST, secret_headers=frozenset({"a"}))
    assert hash_request(one) == hash_request(replace(one, headers=(("A", "2"),)))


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

    assert hash_request(with_key("first-key")) == hash_request(with_key("second-key"))


def test_digest_depends_on_the_cookies_that_are_no_secret() -> None:
    one = replace(
        REQUEST,
        headers=(("Cookie", "a=1; sid=secret"),),
        secret_headers=frozenset({"cookie"}),
        secrets=(Secret("secret"),),
    )
    assert hash_request(one) != hash_request(replace(one, headers=(("Cookie", "a=2; sid=secret"),)))


def tool_of(method: str, path: str = "/x") -> Tool:
    operation = Operation(method=Method(method), path=path, pointer="/paths/x")
    return Tool(name="shop__x", namespace="shop", operation_name="x", operation=operation)


def test_the_question_shows_method_url_and_body() -> None:
    request = Request(method="POST", url="http://h/x?key=top-secret", body=b'{"a":[1]}',
                      secrets=(Secret("top-secret"),))  # fmt: skip
    assert format_approval_question(tool_of("post"), request) == (
        'shop__x would send\n  POST http://h/x?key=***\n{\n  "a": [\n    1\n  ]\n}\n'
        "  *** in the URL: 10 characters, a secret of yours\n"
        "Send POST http://h/x?key=***?"
    )


def test_the_question_names_what_destroys() -> None:
    request = Request(method="DELETE", url="http://h/x")
    text = "DESTRUCTIVE: shop__x would send\n  DELETE http://h/x\n"
    assert (
        format_approval_question(tool_of("delete"), request)
        == f"{text}Send DELETE http://h/x (DESTRUCTIVE)?"
    )


def test_the_question_masks_passwords_of_the_body() -> None:
    body = (
        b'{"user": "ada", "password": "pw", "more": [{"clientSecret": "cs"}], "secret": {"a": 1}}'
    )
    shown = format_approval_question(
        tool_of("post"), Request(method="POST", url="http://h/x", body=body)
    )
    assert '"pw"' not in shown
    assert '"cs"' not in shown
    assert '"ada"' in shown
    assert '"a": 1' in shown


NAMES: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "secret_names.json").read_text("utf-8")
)


@pytest.mark.parametrize("row", NAMES, ids=[each["name"] for each in NAMES])
def test_whole_words_alone_make_a_name_that_of_a_secret(row: JsonObject) -> None:
    name, value = row["name"], "value-of-a-model"
    expected = "*** (16 characters, masked by its name)" if row["is_secret"] else value
    assert asked_about({"a": {name: value}})[2] == f'    "{name}": "{expected}"'
    form = asked_about(f"{name}={value}", "application/x-www-form-urlencoded")
    assert form == [f"  | {name}={expected}"]
    request = Request(method="POST", url="http://h/x", headers=((name, value),))
    assert (
        format_approval_question(tool_of("post"), request).splitlines()[2]
        == f"  {name}: {expected}"
    )
    cookie = Request(method="POST", url="http://h/x", headers=(("Cookie", f"{name}={value}"),))
    assert (
        format_approval_question(tool_of("post"), cookie).splitlines()[2]
        == f"  Cookie: {name}={expected}"
    )


@pytest.mark.parametrize(("name", "text"), [("X-To", "***"), ("Cookie", "to=***"), ("X-To", "")])
def test_what_a_model_writes_as_a_mask_is_shown(name: str, text: str) -> None:
    request = Request(method="POST", url="http://h/x", headers=((name, text),))
    assert format_approval_question(tool_of("post"), request).splitlines()[2] == f"  {name}: {text}"


def test_a_secret_in_a_body_is_said_with_its_length() -> None:
    request = Request(method="POST", url="http://h/x", body=b'{"a": "top-secret, top-secret"}',
                      secrets=(Secret("top-secret"),))  # fmt: skip
    lines = format_approval_question(tool_of("post"), request).splitlines()[2:-1]
    assert lines[1:] == [
        '  "a": "***, ***"',
        "}",
        "  *** in the body: 20 characters, a secret of yours",
    ]


def test_the_question_shows_headers_and_cookies_of_arguments_and_no_credential() -> None:
    request = Request(
        method="POST",
        url="http://h/x",
        headers=(
            *(("Accept", "*/*"), ("Content-Type", "application/json"), ("X-Force", "yes")),
            *(("X-Long", "x" * 300), ("Authorization", "Bearer top-secret"), ("X-Api-Key", "k")),
            ("Cookie", "account=7; sid=top-secret"),
        ),
        secret_headers=frozenset({"authorization", "cookie"}),
        secrets=(Secret("top-secret"),),
    )
    assert format_approval_question(tool_of("post"), request).splitlines()[2:] == [
        "  X-Force: yes",
        f"  X-Long: {'x' * 200}... (100 more characters)",
        "  Authorization: *** (17 characters, a secret of yours)",
        "  X-Api-Key: *** (1 character, masked by its name)",
        "  Cookie: account=7; sid=*** (***: 10 characters, a secret of yours)",
        "Send POST http://h/x?",
    ]


def test_the_question_says_of_a_cookie_that_is_a_credential_how_long_it_is() -> None:
    request = Request(
        method="POST",
        url="http://h/x",
        headers=(("Cookie", "sid=top-secret"),),
        secret_headers=frozenset({"cookie"}),
        secrets=(Secret("top-secret"),),
    )
    assert format_approval_question(tool_of("post"), request).splitlines()[2:-1] == [
        "  Cookie: sid=*** (***: 10 characters, a secret of yours)"
    ]


def asked_about(body: object, media_type: str = "application/json") -> list[str]:
    text = body if isinstance(body, str) else json.dumps(body)
    request = Request(
        method="POST",
        url="http://h/x",
        headers=(("Content-Type", media_type),),
        body=text.encode(),
    )
    lines = format_approval_question(tool_of("post"), request).splitlines()
    assert (lines[1], lines[-1]) == ("  POST http://h/x", "Send POST http://h/x?")
    return lines[2:-1]


def test_of_a_long_body_every_name_is_shown() -> None:
    body = {
        "note": "x" * 5000,
        "inner": {"pad": "y" * 5000, "owner": "eve"},
        "ids": [*range(1000)],
        "items": [{"pad": "z" * 5000, "drop": True}],
        "amount": 10**6,
    }
    *lines, last = asked_about(body)
    shown = "\n".join(lines)
    assert len(shown) < 3000
    for said in ('"owner": "eve"', '"drop": true', '"amount": 1000000', "more items"):
        assert said in shown
    assert "more characters" in shown
    assert last == f"  Not all of the body is shown: it has {len(json.dumps(body)):,} bytes."


def test_a_long_body_of_short_values_is_shown_as_it_is() -> None:
    body = {f"name_{number}": "x" * 30 for number in range(100)}
    assert asked_about(body) == json.dumps(body, indent=2).splitlines()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85", "\x0b"])
def test_no_line_of_a_text_passes_for_one_of_the_question(end: str) -> None:
    text = f"Hello{end}shop__read would send{end}  GET http://h/y"
    assert asked_about(text, "text/plain") == [
        *("  | Hello", "  | shop__read would send", "  |   GET http://h/y"),
    ]


def test_of_many_lines_the_first_and_the_last_are_shown() -> None:
    lines = [f"line {number}" for number in range(100)]
    assert asked_about("\n".join(lines), "text/plain") == [
        *(f"  | {each}" for each in lines[:30]),
        "  | ... (60 more lines)",
        *(f"  | {each}" for each in lines[-10:]),
        "  Not all of the body is shown: it has 789 bytes.",
    ]


def test_a_long_line_is_broken() -> None:
    assert asked_about("x" * 450, "text/xml") == [
        *(f"  | {'x' * 200}", f"  | {'x' * 200}", f"  | {'x' * 50}"),
    ]


def test_each_part_of_a_form_is_shown() -> None:
    text = f"pad={'x' * 9000}&owner=eve&password=pw"
    shown = asked_about(text, "application/x-www-form-urlencoded; charset=utf-8")
    assert shown[-3:-1] == ["  | owner=eve", "  | password=*** (2 characters, masked by its name)"]
    assert len(shown) == 17


def test_each_part_of_a_multipart_body_is_shown() -> None:
    head = 'Content-Disposition: form-data; name="{}"'
    parts = [f"--b\r\n{head.format(name)}\r\n\r\n{value}\r\n" for name, value in [
        ("pad", "x\n" * 900), ("owner", "eve"),
    ]]  # fmt: skip
    shown = asked_about(f"{''.join(parts)}--b--\r\n", "multipart/form-data; boundary=b")
    assert shown[-4:-1] == [f"  | {head.format('owner')}", "  | ", "  | eve"]
    assert len(shown) < 40


def test_of_a_long_url_the_beginning_stands_in_the_last_line() -> None:
    request = Request(method="POST", url=f"http://h/x?{'a' * 900}")
    *_, head, last = format_approval_question(tool_of("post"), request).splitlines()
    assert head.endswith("a" * 900)
    assert last == f"Send POST http://h/x?{'a' * 186}...?"
