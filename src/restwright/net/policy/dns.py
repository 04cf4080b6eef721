"""From the host of a URL to the addresses that may be connected to: all of them, or none."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from restwright.net.policy.addresses import (
    block_reason,
    is_loopback_host,
    is_metadata_host,
    is_nameable_address,
    parse_ip_literal,
)

ResolveHost: TypeAlias = Callable[[str, int], Sequence[str]]
"""The addresses of a host, as `resolve_host()` returns them."""


@dataclass
class BlockedDestination(Exception):
    """
    No connection was made, because of where it would have gone.

    Args:
        why: Completes "not sent to ...:".
        is_nameable: It would have been made had the user named the origin.
    """

    why: str
    is_nameable: bool


def resolve_host(host: str, port: int) -> Sequence[str]:
    """
    Ask the system for the addresses of `host`.

    Raises:
        OSError, UnicodeError: There are none.
    """
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def check_addresses(host: str, addresses: Sequence[str], *, is_named: bool) -> Sequence[str]:
    """
    Return `addresses` where every one of them may be connected to.

    Raises:
        Blocked: One may not; a host with a public and a private address is an attack.
    """
    for address in addresses:
        what = block_reason(address, is_named=is_named)
        if what:
            leads = "it is" if parse_ip_literal(host) else f"{host} leads to {address},"
            raise BlockedDestination(f"{leads} {what}", is_nameable_address(address))
    return addresses


def check_host(host: str, *, is_named: bool) -> Sequence[str]:
    """
    Check what can be said about a host without a look-up.

    Returns:
        The one address that `host` is written as; empty for a name.

    Raises:
        Blocked: It may not be connected to.
    """
    if is_metadata_host(host):
        raise BlockedDestination("it is a metadata service", is_nameable=False)
    address = parse_ip_literal(host)
    if address is not None:
        return check_addresses(host, [address], is_named=is_named)
    if is_loopback_host(host) and not is_named:
        raise BlockedDestination("it is this machine", is_nameable=True)
    return ()
