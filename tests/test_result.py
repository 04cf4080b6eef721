"""Responses as results."""

from __future__ import annotations

import pytest

from restwright.calls.result import Result, result_of, value_of
from restwright.net.message import Request, Response
from restwright.typing import Json

REQUEST = Request(method="GET", url="http://h/")


def response(body: bytes, media_type: str = "", status: int = 200) -> Response:
    headers = (("content-type", media_type),) if media_type else ()
    return Response(status=status, headers=headers, body=body)


@pytest.mark.parametrize(
    ("body", "media_type", "value"),
    [
        (b'{"a":1}', "application/json", {"a": 1}),
        (b'{"a":1}', "application/problem+json; charset=utf-8", {"a": 1}),
        (b"[1]", "", [1]),
        (b"12", "", "12"),
        (b"12", "application/json", 12),
        (b"\xef\xbb\xbf{}", "application/json", {}),
        ('{"a":"é"}'.encode("utf-16"), "application/json", {"a": "é"}),
        (b'{"a":NaN}', "application/json", {"a": None}),
        (b'{"a":', "application/json", '{"a":'),
        (b"[" * 100_000, "application/json", "[" * 100_000),
        (b"", "application/json", None),
        (b"caf\xe9", "text/plain; charset=latin-1", "café"),
        (b"caf\xe9", "text/plain", "caf\ufffd"),
        (b"a", "text/plain; charset=nonsense", "a"),
        (b"\x89PNG\0\0", "image/png", {"media_type": "image/png", "bytes": 6}),
    ],
)
def test_value_of_a_body(body: bytes, media_type: str, value: Json) -> None:
    assert value_of(response(body, media_type)) == value


@pytest.mark.parametrize("status", [200, 201, 204, 302, 304])
def test_status_below_400_is_ok(status: int) -> None:
    answer = response(b"", status=status)
    assert result_of(REQUEST, answer) == Result(kind="ok", request=REQUEST, response=answer)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (
            response(b'{"detail":"`price` must be > 0"}', "application/json", 422),
            'HTTP 422 Unprocessable Entity: {"detail":"`price` must be > 0"}',
        ),
        (response(b"no such\n  item", "text/plain", 404), "HTTP 404 Not Found: no such item"),
        (
            response(
                b"<html><head><style>p {}</style></head><p>Bad <b>gateway</b></p>", "text/html", 502
            ),
            "HTTP 502 Bad Gateway: Bad gateway",
        ),
        (response(b"", "", 401), "HTTP 401 Unauthorized"),
        (response(b"{}", "application/json", 599), "HTTP 599"),
    ],
)
def test_http_error_says_what_the_body_says(answer: Response, text: str) -> None:
    result = result_of(REQUEST, answer)
    assert (result.kind, result.text, result.ok, result.status) == (
        "http_error",
        text,
        False,
        answer.status,
    )


def test_http_error_is_bounded() -> None:
    answer = response(b'{"detail":"' + b"x" * 100_000 + b'"}', "application/json", 400)
    assert len(result_of(REQUEST, answer).text) < 1100


def test_secret_that_a_server_repeats_is_masked() -> None:
    request = Request(
        method="GET",
        url="http://h/",
        headers=(("Authorization", "Bearer canary-4f2a9c71"),),
        secret_headers=frozenset({"authorization"}),
    )
    answer = Response(
        status=400,
        headers=(("content-type", "application/json"), ("x-echo", "Bearer canary-4f2a9c71")),
        body=b'{"authorization":"Bearer canary-4f2a9c71","token":"canary-4f2a9c71"}',
    )
    result = result_of(request, answer)
    assert result.value == {"authorization": "***", "token": "***"}
    assert result.response is not None
    assert "canary" not in f"{result} {result.text} {result.response.body!r}"
    assert result.response.header("x-echo") == "***"
