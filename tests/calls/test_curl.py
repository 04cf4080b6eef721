"""Requests as curl commands: a shell that runs one sends the same."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.support.properties import examples
from tests.support.recorder import Received, Recorder, recording

from restwright.calls.curl import curl_from_request
from restwright.net.messages import Request
from restwright.net.secret import Secret

TOKEN = "canary-4f2a9c71"
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")


def request(url: str = "http://h/x", **more: object) -> Request:
    return replace(Request(method="POST", url=url), **more)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as found:
        yield found


def run(command: str, recorder: Recorder, **environment: str) -> Received:
    """What arrives when a shell runs the command."""
    subprocess.run(  # noqa: S603 - the command is what is tested
        ["/bin/sh", "-c", command],
        env={"PATH": os.environ["PATH"], **environment},
        check=True,
        capture_output=True,
        timeout=20,
    )
    return recorder.received[-1]


def test_a_command_has_the_method_the_headers_and_the_body() -> None:
    made = request(headers=(("A", "it's"), ("B", "")), body=b'{"a":1}')
    assert curl_from_request(made) == (
        "curl -X POST http://h/x \\\n"
        """  -H 'A: it'"'"'s' \\\n"""
        "  -H 'B;' \\\n"
        """  --data-raw '{"a":1}'"""
    )


def test_a_plain_get_has_no_method() -> None:
    assert (
        curl_from_request(request("http://h/x?a=1&b=2", method="GET"))
        == "curl 'http://h/x?a=1&b=2'"
    )


def test_secrets_are_masked_or_stand_as_their_variables() -> None:
    made = request(
        f"http://h/x?k={TOKEN}&q=1",
        headers=(("Authorization", f"Bearer {TOKEN}"), ("X-Other", "hidden-too")),
        secret_headers=frozenset({"authorization", "x-other"}),
        secrets=(Secret(TOKEN), Secret("hidden-too")),
    )
    for variables in ({}, {"SHOP_TOKEN": TOKEN}):
        text = curl_from_request(made, variables=variables)
        assert TOKEN not in text
        assert "hidden" not in text
        assert ("$SHOP_TOKEN" in text) == bool(variables)
    assert """-H 'Authorization: Bearer '"$SHOP_TOKEN" """ in curl_from_request(
        made, variables={"SHOP_TOKEN": TOKEN}
    )


def test_a_body_that_is_too_long_is_read_from_a_file() -> None:
    text = curl_from_request(request(body=b"\xff" * 5_000))
    assert text.startswith("# body.bin has the 5,000 bytes of the body\n")
    assert text.endswith("--data-binary @body.bin")


@needs_curl
def test_a_variable_is_filled_in_by_the_shell(recorder: Recorder, tmp_path: Path) -> None:
    made = request(
        f"{recorder.url}/x?k={TOKEN}",
        headers=(("Authorization", f"Bearer {TOKEN}"),),
        secret_headers=frozenset({"authorization"}),
        secrets=(Secret(TOKEN),),
    )
    received = run(
        curl_from_request(made, variables={"T": TOKEN}), recorder, T=TOKEN, HOME=str(tmp_path)
    )
    assert (received.target, received.header("authorization")) == (
        f"/x?k={TOKEN}",
        f"Bearer {TOKEN}",
    )


SHELL = st.text(st.sampled_from("a'\"$`\\! \n;|&()<>*?[]{}~#%@=\té\r\0"), max_size=20)
VISIBLE = st.text(st.sampled_from("a'\"$`\\!;|&()<>*?[]{}~#%@="), min_size=1, max_size=20)


@needs_curl
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(";", b"-\x00")
@given(VISIBLE, SHELL.map(str.encode) | st.binary(min_size=1, max_size=40))
def test_a_shell_sends_what_the_request_says(recorder: Recorder, header: str, body: bytes) -> None:
    made = Request(
        method="PUT",
        url=f"{recorder.url}/a%20b?q[x]=%27$HOME",
        headers=(("Content-Type", "text/plain"), ("X-V", header)),
        body=body,
    )
    received = run(curl_from_request(made), recorder, HOME="/nowhere")
    assert (received.method, received.target) == ("PUT", "/a%20b?q[x]=%27$HOME")
    assert (received.header("x-v"), received.body) == (header, body)


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\x9b", "\U000e0041"])
def test_what_a_terminal_would_not_show_is_written_in_octal(mark: str) -> None:
    text = curl_from_request(request(body=f"a{mark}b".encode()))
    assert text.isascii()
    assert "--data-binary @-" in text
