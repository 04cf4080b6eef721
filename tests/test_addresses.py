"""Addresses that may be connected to: the table, numbers as hosts, and resolvers that lie."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from restwright.errors import RefusedRequest
from restwright.net.addresses import literal, why_not
from restwright.net.guard import Rules
from restwright.net.lookup import Blocked
from restwright.net.message import Request
from restwright.net.pool import DeadlineBackend
from restwright.net.transport import Transport

HOSTS = (
    Path(__file__).parents[2] / "shared" / "data" / "conformance" / "adversarial"
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


def connected(*hosts: str, is_named: bool = False, by: Any = resolve) -> list[str]:
    """What is really connected to, for one host after the other."""
    backend = DeadlineBackend(resolve=by, is_named=is_named)
    backend._backend = recorder = Recorder()
    for host in hosts:
        backend.connect_tcp(host, 80, time.monotonic() + 5)
    return recorder.asked


def fixtures(kind: str) -> list[str]:
    return json.loads(HOSTS.read_text())[kind] if HOSTS.exists() else []


@pytest.mark.corpus
@pytest.mark.skipif(not HOSTS.exists(), reason="the shared fixtures are not there")
def test_every_host_of_the_table_is_blocked_and_every_public_one_is_not() -> None:
    for written in fixtures("block"):
        host = written.partition(" ")[0]
        with pytest.raises(RefusedRequest):
            rebound() if host == "rebind.test" else ask(f"http://{host}/")
    for host in fixtures("allow"):
        assert connected(host.strip("[]")) == [f"{host.strip('[]')} 80"]


def ask(url: str) -> None:
    with Transport(resolve=resolve) as send:
        send(Request(method="GET", url=url))


def rebound() -> None:
    """Resolve to a public address first and to this machine the second time."""
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    try:
        connected("rebind.test", "rebind.test", by=lambda *_: next(answers))
    except Blocked as error:
        raise RefusedRequest("http://rebind.test/", error.why) from error


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
def test_a_number_as_host_is_an_address(host: str) -> None:
    assert literal(host) == "127.0.0.1"
    with pytest.raises(Blocked):
        connected(host.lower())


@pytest.mark.parametrize("host", ["8.8.8", "134744072", "0x08080808", "8.8.8.8"])
def test_a_number_that_is_a_public_address_is_connected_to_as_that(host: str) -> None:
    assert connected(host) in [["8.8.8.8 80"], ["8.8.0.8 80"]]


@pytest.mark.parametrize(
    "host", ["127。0。0。1", "\uff11\uff12\uff17.0.0.1", "①27.0.0.1", "127%2e0.0.1"]
)
def test_a_host_outside_ascii_is_refused(host: str) -> None:
    with Transport(resolve=resolve) as send, pytest.raises(RefusedRequest):
        send(Request(method="GET", url=f"http://{host}/", is_named=True))


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.169.254", "169.254.170.2", "192.0.0.192", "168.63.129.16", "100.100.100.200"),
        *("fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"),
        *("64:ff9b:1::a9fe:a9fe", "::ffff:0:169.254.169.254", "::169.254.169.254"),
    ],
)
def test_a_metadata_address_is_blocked_though_it_was_named(address: str) -> None:
    assert why_not(address, is_named=True) == "a metadata service"


@pytest.mark.parametrize("address", ["224.0.0.1", "ff02::1", "240.0.0.1", "5f00::1", "3fff::1"])
def test_what_no_api_can_have_is_blocked_though_it_was_named(address: str) -> None:
    assert why_not(address, is_named=True)


@pytest.mark.parametrize("address", ["4000::1", "200::1", "e000::1", "1::1"])
def test_an_address_outside_global_unicast_is_nobodys(address: str) -> None:
    assert why_not(address, is_named=True) == "an address that is nobody's"


@pytest.mark.parametrize("address", ["2606:4700::1111", "64:ff9b::808:808", "8.8.8.8", "::808:808"])
def test_a_public_address_needs_no_naming(address: str) -> None:
    assert not why_not(address, is_named=False)


def test_a_host_with_a_public_and_a_private_address_is_blocked() -> None:
    with pytest.raises(Blocked) as caught:
        connected("multi.test")
    assert caught.value == Blocked(
        "multi.test leads to 10.0.0.1, a private network", is_nameable=True
    )


def test_a_host_that_turns_private_later_is_blocked_then() -> None:
    with pytest.raises(RefusedRequest):
        rebound()


def test_what_was_checked_is_connected_to() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    assert connected("rebind.test", by=lambda *_: next(answers)) == [f"{PUBLIC} 80"]


def test_a_named_origin_may_be_in_a_private_network() -> None:
    assert connected("inside.test", is_named=True) == ["10.0.0.1 80"]


@pytest.mark.parametrize("host", ["cloud.test", "metadata.google.internal"])
def test_a_name_of_a_metadata_service_is_blocked_though_it_was_named(host: str) -> None:
    url = f"http://{host}/"
    send = Transport(resolve=resolve, rules=Rules.naming(url))
    with send, pytest.raises(RefusedRequest) as caught:
        send(Request(method="GET", url=url))
    assert "--server" not in str(caught.value)


def test_a_refusal_says_what_to_name_and_how() -> None:
    with Transport() as send, pytest.raises(RefusedRequest) as caught:
        send(Request(method="GET", url="http://127.0.0.1:8000/x?key=1"))
    assert str(caught.value) == (
        "not sent to http://127.0.0.1:8000/x: it is this machine; "
        "name http://127.0.0.1:8000 with --server if you mean it"
    )


def test_naming_one_port_names_no_other() -> None:
    send = Transport(rules=Rules.naming("http://127.0.0.1:8000"))
    with send, pytest.raises(RefusedRequest):
        send(Request(method="GET", url="http://127.0.0.1:8001/"))


def test_a_connection_of_a_named_request_carries_no_other() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        with Transport(timeout_s=0.3) as send:
            with pytest.raises(Exception, match="not complete"):
                send(Request(method="GET", url=url, is_named=True))
            with pytest.raises(RefusedRequest):
                send(Request(method="GET", url=url))
