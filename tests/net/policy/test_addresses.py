"""Addresses that may be connected to: the table, numbers as hosts, and resolvers that lie."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import httpcore2
import pytest
from tests.support.net.authority import Authority
from tests.support.net.drivers import Driver, both, failure, response
from tests.support.net.servers import Server, running

from restwright.errors import CallError, RefusedRequest
from restwright.net.http.async_pool import AsyncDeadlineBackend
from restwright.net.http.pool import DeadlineBackend
from restwright.net.messages import Request
from restwright.net.policy.addresses import block_reason, parse_ip_literal
from restwright.net.policy.dns import BlockedDestination
from restwright.net.policy.origins import OriginRules

HOSTS = (
    Path(__file__).parents[4] / "shared" / "data" / "conformance" / "adversarial"
) / "ssrf_hosts.json"
PUBLIC, PRIVATE = "8.8.8.8", "10.0.0.1"
NAMES = {
    "localhost": ["127.0.0.1"],
    "metadata.google.internal": ["169.254.169.254"],
    "multi.test": [PUBLIC, PRIVATE],
    "public.test": [PUBLIC],
    "inside.test": [PRIVATE],
    "cloud.test": ["fd00:ec2::254"],
}


def resolve(host: str, port: int) -> Sequence[str]:
    """Look up in a table; never anywhere else."""
    del port
    name = host.rstrip(".").lower()
    if name not in NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "no such host")
    return NAMES[name]


class Recorder(httpcore2.NetworkBackend):
    """Opens nothing, and keeps what it was asked to connect to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        self.asked.append(f"{host} {port}")
        return httpcore2.NetworkStream()


class AsyncRecorder(httpcore2.AsyncNetworkBackend):
    """Opens nothing, and keeps what it was asked to connect to."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def connect_tcp(
        self, host: str, port: int, *_: Any, **__: Any
    ) -> httpcore2.AsyncNetworkStream:
        self.asked.append(f"{host} {port}")
        return httpcore2.AsyncNetworkStream()


def blocking_backend(*hosts: str, is_named: bool = False, by: Any = resolve) -> list[str]:
    """What is really connected to, for one host after the other."""
    recorder = Recorder()
    backend = DeadlineBackend(resolve=by, is_named=is_named, below=recorder)
    for host in hosts:
        backend.connect_tcp(host, 80, time.monotonic() + 5)
    return recorder.asked


def async_backend(*hosts: str, is_named: bool = False, by: Any = resolve) -> list[str]:
    """What is really connected to on an event loop."""
    recorder = AsyncRecorder()
    backend = AsyncDeadlineBackend(resolve=by, is_named=is_named, below=recorder)

    async def run() -> None:
        for host in hosts:
            await backend.connect_tcp(host, 80, time.monotonic() + 5)

    asyncio.run(run())
    return recorder.asked


Connect: TypeAlias = Callable[..., list[str]]


@pytest.fixture(params=[blocking_backend, async_backend], ids=["blocking", "async"])
def connected(request: pytest.FixtureRequest) -> Connect:
    return request.param


def fixtures(kind: str) -> list[str]:
    return json.loads(HOSTS.read_text())[kind] if HOSTS.exists() else []


@pytest.mark.corpus
@pytest.mark.skipif(not HOSTS.exists(), reason="the shared fixtures are not there")
@both
def test_every_host_of_the_table_is_blocked_and_every_public_one_is_not(
    drive: Driver, connected: Connect
) -> None:
    for written in fixtures("block"):
        host = written.partition(" ")[0]
        if host == "rebind.test":
            with pytest.raises(BlockedDestination):
                rebound(connected)
        else:
            assert isinstance(ask(drive, f"http://{host}/"), RefusedRequest)
    for host in fixtures("allow"):
        assert connected(host.strip("[]")) == [f"{host.strip('[]')} 80"]


def ask(drive: Driver, url: str, **options: Any) -> CallError:
    return failure(drive(Request(method="GET", url=url), **({"resolve": resolve} | options))[0])


def rebound(connected: Connect) -> None:
    """Resolve to a public address first and to this machine the second time."""
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    connected("rebind.test", "rebind.test", by=lambda *_: next(answers))


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f.1",
        "0x7F000001",
        "017700000001",
        "0177.0.0.1",
        "127.1",
        "127.0.0.1.",
    ],
)
def test_a_number_as_host_is_an_address(connected: Connect, host: str) -> None:
    assert parse_ip_literal(host) == "127.0.0.1"
    with pytest.raises(BlockedDestination):
        connected(host.lower())


@pytest.mark.parametrize("host", ["8.8.8", "134744072", "0x08080808", "8.8.8.8"])
def test_a_number_that_is_a_public_address_is_connected_to_as_that(
    connected: Connect, host: str
) -> None:
    assert connected(host) in [["8.8.8.8 80"], ["8.8.0.8 80"]]


@both
@pytest.mark.parametrize(
    "host", ["127。0。0。1", "\uff11\uff12\uff17.0.0.1", "①27.0.0.1", "127%2e0.0.1"]
)
def test_a_host_outside_ascii_is_refused(drive: Driver, host: str) -> None:
    request = Request(method="GET", url=f"http://{host}/", is_named=True)
    assert isinstance(drive(request, resolve=resolve)[0], RefusedRequest)


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.169.254", "169.254.170.2", "192.0.0.192", "168.63.129.16", "100.100.100.200"),
        *("fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"),
        *("64:ff9b:1::a9fe:a9fe", "::ffff:0:169.254.169.254", "::169.254.169.254"),
    ],
)
def test_a_metadata_address_is_blocked_though_it_was_named(address: str) -> None:
    assert block_reason(address, is_named=True) == "a metadata service"


@pytest.mark.parametrize("address", ["224.0.0.1", "ff02::1", "240.0.0.1", "5f00::1", "3fff::1"])
def test_what_no_api_can_have_is_blocked_though_it_was_named(address: str) -> None:
    assert block_reason(address, is_named=True)


@pytest.mark.parametrize("address", ["4000::1", "200::1", "e000::1", "1::1"])
def test_an_address_outside_global_unicast_is_nobodys(address: str) -> None:
    assert block_reason(address, is_named=True) == "an address that is nobody's"


@pytest.mark.parametrize("address", ["2606:4700::1111", "64:ff9b::808:808", "8.8.8.8", "::808:808"])
def test_a_public_address_needs_no_naming(address: str) -> None:
    assert not block_reason(address, is_named=False)


def test_a_host_with_a_public_and_a_private_address_is_blocked(connected: Connect) -> None:
    with pytest.raises(BlockedDestination) as caught:
        connected("multi.test")
    assert caught.value == BlockedDestination(
        "multi.test leads to 10.0.0.1, a private network", is_nameable=True
    )


def test_a_host_that_turns_private_later_is_blocked_then(connected: Connect) -> None:
    with pytest.raises(BlockedDestination):
        rebound(connected)


def test_what_was_checked_is_connected_to(connected: Connect) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    assert connected("rebind.test", by=lambda *_: next(answers)) == [f"{PUBLIC} 80"]


def test_a_named_origin_may_be_in_a_private_network(connected: Connect) -> None:
    assert connected("inside.test", is_named=True) == ["10.0.0.1 80"]


@both
@pytest.mark.parametrize("host", ["cloud.test", "metadata.google.internal"])
def test_a_name_of_a_metadata_service_is_blocked_though_it_was_named(
    drive: Driver, host: str
) -> None:
    url = f"http://{host}/"
    assert "Connection" not in str(ask(drive, url, rules=OriginRules.from_urls(url)))


@both
def test_a_refusal_says_what_to_name_and_how(drive: Driver) -> None:
    assert str(ask(drive, "http://127.0.0.1:8000/x?key=1")) == (
        "not sent to http://127.0.0.1:8000/x: it is this machine; "
        "if you mean it, name it: Connection(server='http://127.0.0.1:8000')"
    )


@both
def test_naming_one_port_names_no_other(drive: Driver) -> None:
    rules = OriginRules.from_urls("http://127.0.0.1:8000")
    assert isinstance(ask(drive, "http://127.0.0.1:8001/", rules=rules), RefusedRequest)


@both
def test_a_connection_of_a_named_request_carries_no_other(drive: Driver) -> None:
    server = Server()
    named = Request(method="GET", url=server.url(), is_named=True)
    with running(server):
        first, second = drive(named, replace(named, is_named=False))
    assert response(first).status == 204
    assert isinstance(second, RefusedRequest)
    assert server.accepted == 1


@both
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_host_stays_that_of_the_url_at_the_checked_address(
    drive: Driver, scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority.made(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    server = Server(tls=authority.server("api.test") if scheme == "https" else None)
    answers = iter([["127.0.0.1"], [PUBLIC]])
    request = Request(method="GET", url=server.url(host="api.test"), is_named=True)
    with running(server):
        (outcome,) = drive(request, resolve=lambda *_: next(answers))
    assert response(outcome).status == 204
    assert f"\r\nHost: api.test:{server.port}\r\n".encode() in server.received
