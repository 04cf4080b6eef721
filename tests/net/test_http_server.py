"""Servers of HTTP: where they listen."""

from __future__ import annotations

import socket

import pytest

from restwright.errors import UsageError
from restwright.net.http_server import find_address, open_listener


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_free_port_of_this_machine_is_taken(host: str) -> None:
    with open_listener(host, 0) as listener:
        url, port = find_address(listener)
        assert url == f"http://127.0.0.1:{port}"
        assert port > 0


@pytest.mark.parametrize("host", ["0.0.0.0", "", "192.168.0.1", "example.org", "127.0.0.1.evil"])  # noqa: S104
def test_what_others_could_reach_is_refused(host: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_listener(host, 0)
    assert "your credentials" in str(raised.value)


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use") as raised:
            open_listener("127.0.0.1", port)
    assert raised.value.filename == f"127.0.0.1:{port}"
