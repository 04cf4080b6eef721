"""Requests through proxies on loopback: tunnels, passwords, refusals, what is kept from them."""

from __future__ import annotations

import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.net.authority import Authority
from tests.support.net.drivers import Driver, both, failure, response
from tests.support.net.servers import Proxy, Server, http, running

from restwright.errors import NoResponse, RefusedRequest
from restwright.net.http.retry import Retry
from restwright.net.messages import ClientCertificate, Request
from restwright.net.policy.proxies import Proxy as Named

CANARY = "canary-2c90"
NAMES = {
    "localhost": ["127.0.0.1"],
    "other.test": ["8.8.4.4"],
    "api.test": ["8.8.8.8"],
    "inside.test": ["10.0.0.1"],
    "rebound.test": ["8.8.8.8", "127.0.0.1"],
}


def resolve(host: str, port: int) -> Sequence[str]:
    """Look up in a table; never anywhere else."""
    del port
    if host not in NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "no such host")
    return NAMES[host]


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    made = Authority.made(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.path))
    return made


@pytest.fixture
def origin(authority: Authority) -> Iterator[Server]:
    server = Server((http(b"from the origin"),), authority.server("api.test"))
    with running(server):
        yield server


@pytest.fixture(params=["http", "https"])
def proxy(
    request: pytest.FixtureRequest,
    authority: Authority,
    origin: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Proxy]:
    """It speaks TLS itself in one case; its tunnels all lead to `origin`."""
    proxy = Proxy(tls=authority.server() if request.param == "https" else None, origin=origin)
    monkeypatch.setenv("HTTPS_PROXY", proxy.url())
    monkeypatch.setenv("HTTP_PROXY", proxy.url())
    with running(proxy):
        yield proxy


def get(host: str = "api.test", **changes: object) -> Request:
    return Request(method="GET", url=f"https://{host}/x?key=1", **changes)  # type: ignore[arg-type]


SECRET = (("Authorization", f"Bearer {CANARY}"),)


@both
def test_https_goes_through_a_tunnel_and_the_proxy_reads_nothing(
    proxy: Proxy, origin: Server, drive: Driver
) -> None:
    outcomes = drive(get(headers=SECRET), get(headers=SECRET), resolve=resolve)
    assert [response(each).body for each in outcomes] == [b"from the origin"] * 2
    (asked,) = proxy.requests
    assert asked.startswith(b"CONNECT api.test:443 HTTP/1.1\r\n")
    assert CANARY.encode() not in asked
    assert [CANARY.encode() in each for each in origin.requests] == [True, True]
    assert origin.requests[0].startswith(b"GET /x?key=1 HTTP/1.1\r\nHost: api.test\r\n")


@both
def test_a_long_body_goes_through_a_tunnel(proxy: Proxy, origin: Server, drive: Driver) -> None:
    del proxy
    origin.answers = (http(b"y" * 300_000),)
    request = Request(method="PUT", url="https://api.test/", body=b"x" * 300_000)
    (outcome,) = drive(request, resolve=resolve)
    assert response(outcome).body == b"y" * 300_000
    assert origin.requests[0].endswith(b"\r\n\r\n" + b"x" * 300_000)


@both
def test_a_proxy_is_shown_its_password_and_the_origin_is_not(
    proxy: Proxy, origin: Server, monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url().replace("://", f"://me:{CANARY}%40@"))
    assert response(drive(get(), resolve=resolve)[0]).status == 200
    blob = b64encode(f"me:{CANARY}@".encode())
    assert b"Proxy-Authorization: Basic " + blob in proxy.received
    assert b"authorization" not in origin.received.lower()


@both
@pytest.mark.parametrize("status", ["403 Forbidden", "407 Proxy Authentication Required"])
def test_a_tunnel_that_is_refused_was_not_sent(
    proxy: Proxy, origin: Server, drive: Driver, status: str
) -> None:
    proxy.origin, proxy.refusal = None, http(b"no", status=status)
    error = failure(drive(get(headers=SECRET), resolve=resolve)[0])
    why = f"the proxy did not let it through (HTTP {status[:3]})"
    assert error == NoResponse("https://api.test/x", why, sent=False)
    assert (len(proxy.requests), origin.requests) == (1, [])


@both
def test_a_proxy_that_is_busy_is_asked_again(proxy: Proxy, drive: Driver) -> None:
    proxy.origin, proxy.refusal = None, http(b"no", status="503 Service Unavailable")
    request = Request(method="POST", url="https://api.test/")
    error = failure(
        drive(request, resolve=resolve, retry=Retry(min_delay_s=0, initial_delay_s=0))[0]
    )
    assert isinstance(error, NoResponse)
    assert (len(proxy.requests), error.sent) == (3, False)


@both
def test_a_name_in_no_proxy_is_asked_without_it(
    proxy: Proxy, authority: Authority, monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    monkeypatch.setenv("NO_PROXY", "other.test, .direct.test:8443")
    direct = Server((http(b"direct"),), authority.server("a.direct.test"))
    monkeypatch.setenv("NO_PROXY", f"other.test, .direct.test:{direct.port}")
    request = Request(method="GET", url=direct.url(host="a.direct.test"), is_named=True)
    with running(direct):
        (outcome,) = drive(request, resolve=lambda *_: ["127.0.0.1"])
    assert response(outcome).body == b"direct"
    assert not proxy.requests


@both
def test_this_machine_is_never_reached_through_a_proxy(
    proxy: Proxy, authority: Authority, drive: Driver
) -> None:
    direct = Server((http(b"direct"),), authority.server())
    request = Request(method="GET", url=direct.url(), is_named=True)
    with running(direct):
        assert response(drive(request)[0]).body == b"direct"
    assert not proxy.requests


@both
def test_an_origin_behind_a_proxy_must_be_trusted_too(
    proxy: Proxy, origin: Server, tmp_path: Path, drive: Driver
) -> None:
    origin.tls = Authority.made(tmp_path, "stranger").server("api.test")
    error = failure(drive(get(headers=SECRET), resolve=resolve)[0])
    assert isinstance(error, NoResponse)
    assert "certificate verify failed" in error.why
    assert (len(proxy.requests), error.sent, origin.requests) == (1, False, [])


@both
def test_an_origin_behind_a_proxy_must_have_its_own_name(
    proxy: Proxy, origin: Server, drive: Driver
) -> None:
    error = failure(drive(get("other.test"), resolve=resolve)[0])
    assert "Hostname mismatch" in str(error)
    assert (len(proxy.requests), origin.requests) == (1, [])


@both
@pytest.mark.parametrize(
    "host",
    [
        *("inside.test", "rebound.test", "10.0.0.1", "[fd00::1]", "2130706434"),
        *("metadata.google.internal", "169.254.169.254"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_is_not_asked_for_what_is_blocked(
    proxy: Proxy, drive: Driver, host: str, scheme: str
) -> None:
    request = Request(method="GET", url=f"{scheme}://{host}/")
    assert isinstance(drive(request, resolve=resolve)[0], RefusedRequest)
    assert not proxy.requests


@both
def test_a_name_that_only_the_proxy_can_look_up_is_left_to_it(proxy: Proxy, drive: Driver) -> None:
    proxy.answers = (http(b"the proxy knows"),)
    (outcome,) = drive(Request(method="GET", url="http://unknown.test/y"), resolve=resolve)
    assert response(outcome).body == b"the proxy knows"
    assert proxy.received.startswith(b"GET http://unknown.test/y HTTP/1.1\r\n")


@both
def test_a_named_private_origin_is_reached_through_the_proxy(
    proxy: Proxy, origin: Server, authority: Authority, drive: Driver
) -> None:
    origin.tls = authority.server("inside.test")
    (outcome,) = drive(get("inside.test", is_named=True), resolve=resolve)
    assert response(outcome).body == b"from the origin"
    assert proxy.received.startswith(b"CONNECT inside.test:443")


@both
def test_a_certificate_is_shown_to_the_origin_and_not_to_the_proxy(
    proxy: Proxy, origin: Server, authority: Authority, drive: Driver
) -> None:
    origin.tls = authority.server("api.test", clients=authority)
    if proxy.tls:
        proxy.tls.load_verify_locations(authority.path)
        proxy.tls.verify_mode = ssl.CERT_OPTIONAL
    certificate, key = authority.issue("client")
    shown = ClientCertificate(path=str(certificate), key_path=str(key))
    without, with_it = drive(get(), get(client_certificate=shown), resolve=resolve)
    assert isinstance(without, NoResponse)
    assert response(with_it).body == b"from the origin"
    # The origin's refusal comes as an alert, or as an end after which a read is repeated.
    assert len(proxy.requests) >= 2
    assert not any(proxy.shown)


@both
def test_a_proxy_that_is_not_there_was_not_sent(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    del authority
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{CANARY}@127.0.0.1:{port}")
    error = failure(drive(get(), resolve=resolve)[0])
    assert isinstance(error, NoResponse)
    assert not error.sent
    assert CANARY not in f"{error}{error!r}"


@both
def test_a_handshake_in_a_tunnel_that_drips_is_given_up_at_the_deadline(
    proxy: Proxy, origin: Server, drive: Driver
) -> None:
    def drip(connection: socket.socket) -> None:
        connection.recv(65536)
        # One record of TLS, never whole.
        connection.sendall(b"\x16\x03\x03\x40\x00")
        while True:
            time.sleep(0.02)
            connection.sendall(b"x")

    del proxy
    origin.tls, origin.serve = None, drip  # type: ignore[method-assign]
    (outcome,) = drive(get(), resolve=resolve, timeout_s=0.5)
    assert outcome == NoResponse("https://api.test/x", "not complete within 0.5 s", sent=False)


@both
def test_a_proxy_that_is_silent_is_given_up_at_the_deadline(
    monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{silent.getsockname()[1]}")
        (outcome,) = drive(get(), resolve=resolve, timeout_s=0.3)
    assert outcome == NoResponse("https://api.test/x", "not complete within 0.3 s", sent=False)


def test_a_proxy_shows_no_password() -> None:
    assert CANARY not in repr(Named("http://proxy.test:3128", ("me", CANARY)))
