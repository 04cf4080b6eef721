"""A request as Python."""

from __future__ import annotations

from restwright.calls.python_code import python_from_request
from restwright.net.messages import Request

REQUEST = Request(
    method="POST",
    url="https://api.test/things?q=%22",
    headers=(("Content-Type", "application/json"), ("Authorization", "Bearer sesame")),
    body=b'{"a": "it\'s"}',
    secret_headers=frozenset({"authorization"}),
)


def test_it_is_a_program_that_sends_the_same() -> None:
    text = python_from_request(REQUEST)
    compile(text, "request.py", "exec")
    assert 'data=\'{"a": "it\\\'s"}\'.encode()' in text
    assert "sesame" not in text


def test_a_credential_of_the_environment_is_read_from_there() -> None:
    text = python_from_request(REQUEST, variables={"TOKEN": "sesame"})
    assert "'Authorization': 'Bearer ' + os.environ['TOKEN']," in text
    assert text.startswith("import os\n")


def test_bytes_that_are_no_text_stay_bytes() -> None:
    request = Request(method="PUT", url="https://api.test/x", body=b"\xff\x00")
    assert "data=b'\\xff\\x00'," in python_from_request(request)
