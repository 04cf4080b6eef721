"""What is logged and raised on the way of a request, at the most talkative level."""

from __future__ import annotations

import logging
import traceback
from base64 import b64encode

import pytest
from tests.support.net.drivers import Driver, both
from tests.support.net.servers import Proxy, Server, http, running

from restwright.errors import CallError, NoResponse, RefusedRequest
from restwright.net.messages import Request

CANARY = "canary-9b41e0"
ANSWERS = {
    "well": http(b"{}", f"Set-Cookie: session={CANARY}", f"X-Echo: Bearer {CANARY}"),
    "an error": http(b"{}", f"X-Echo: {CANARY}", status=f"401 No {CANARY}"),
    "a redirect": http(b"", f"Location: /?key={CANARY}", status="302 Found"),
    "a header that is none": f"HTTP/1.1 200 OK\r\nSet-Cookie {CANARY}\r\n\r\n".encode(),
    "a status line that is none": f"{CANARY}\r\n\r\n".encode(),
    "a chunk that is none": (
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{CANARY}\r\n".encode()
    ),
    "a chunk without its end": (
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx{CANARY}\r\n".encode()
    ),
    "a length that is none": (
        f"HTTP/1.1 200 OK\r\nContent-Length: {CANARY}\r\nContent-Length: 1\r\n\r\n".encode()
    ),
    "a coding of transfer that is none": (
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: {CANARY}\r\n\r\n".encode()
    ),
    "cut": f"HTTP/1.1 200 OK\r\nSet-Cookie: {CANARY}\r\nContent-Length: 9\r\n\r\nx".encode(),
}


def request(url: str, **headers: str) -> Request:
    given = {"Authorization": f"Bearer {CANARY}", "Cookie": f"sid={CANARY}"} | headers
    return Request(
        method="POST",
        url=f"{url}?key={CANARY}",
        headers=tuple(given.items()),
        body=CANARY.encode(),
        is_named=True,
    )


def told(error: CallError) -> str:
    """Everything that an uncaught error shows."""
    return "".join(traceback.format_exception(error)) + repr(error)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    for name in ("httpcore2", "httpcore2.http11", "httpcore2.connection", "httpcore2.proxy"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


@both
@pytest.mark.parametrize("name", ANSWERS)
def test_no_secret_reaches_a_log_or_an_error(
    log: pytest.LogCaptureFixture, drive: Driver, name: str
) -> None:
    # A server that hangs up after its answer.
    server = Server((lambda connection: connection.sendall(ANSWERS[name]),))
    with running(server):
        (outcome,) = drive(request(server.url()))
    assert CANARY.encode() in server.received
    assert "send_request_headers" in log.text
    assert CANARY not in log.text
    if isinstance(outcome, CallError):
        assert CANARY not in told(outcome)


@both
@pytest.mark.parametrize("is_refused", [True, False])
def test_no_password_of_a_proxy_reaches_a_log_or_an_error(
    log: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    drive: Driver,
    is_refused: bool,
) -> None:
    refusal = http(b"", f"Proxy-Authenticate: Basic realm={CANARY}", status=f"407 No {CANARY}")
    proxy = Proxy(refusal=refusal if is_refused else f"HTTP/1.1 {CANARY}\r\n\r\n".encode())
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://me:{CANARY}@127.0.0.1:{proxy.port}")
    with running(proxy):
        tunnelled, forwarded = drive(
            request("https://api.test/"),
            request("http://api.test/"),
            resolve=lambda *_: ["8.8.8.8"],
        )
    blob = b64encode(f"me:{CANARY}".encode()).decode()
    assert proxy.received.count(blob.encode()) >= 2
    assert isinstance(tunnelled, NoResponse)
    assert not isinstance(forwarded, CallError)
    for secret in (CANARY, blob):
        assert secret not in log.text + told(tunnelled)


@both
@pytest.mark.parametrize("value", [f"{CANARY}\n", f"{CANARY}\r\nX: y", f"\x00{CANARY}"])
def test_a_credential_that_no_header_can_hold_is_refused_and_not_repeated(
    log: pytest.LogCaptureFixture, drive: Driver, value: str
) -> None:
    server = Server()
    with running(server):
        (outcome,) = drive(request(server.url(), Authorization=value))
    assert isinstance(outcome, RefusedRequest)
    assert outcome.why == "Illegal header value"
    assert CANARY not in told(outcome) + log.text
    assert not server.requests
