"""From the host of a URL to the addresses that may be connected to: all of them, or none."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from restwright.net.policy.addresses import (
    is_loopback_host,
    is_metadata_host,
    is_only_for_the_named,
    literal,
    why_not,
)

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""The addresses of a host, as `addresses_of()` returns them."""


@dataclass
class Blocked(Exception):
    """
    No connection was made, because of where it would have gone.

    Args:
        why: Completes "not sent to ...:".
        is_nameable: It would have been made had the user named the origin.
    """

    why: str
    is_nameable: bool


def addresses_of(host: str, port: int) -> Sequence[str]:
    """
    Ask the system for the addresses of `host`.

    Raises:
        OSError, UnicodeError: There are none.
    """
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def checked(host: str, addresses: Sequence[str], *, is_named: bool) -> Sequence[str]:
    """
    Return `addresses` where every one of them may be connected to.

    Raises:
        Blocked: One may not; a host with a public and a private address is an attack.
    """
    for address in addresses:
        what = why_not(address, is_named=is_named)
        if what:
            leads = "it is" if literal(host) else f"{host} leads to {address},"
            raise Blocked(f"{leads} {what}", is_only_for_the_named(address))
    return addresses


def check_name(host: str, *, is_named: bool) -> Sequence[str]:
    """
    Check what can be said about a host without a look-up.

    Returns:
        The one address that `host` is written as; empty for a name.

    Raises:
        Blocked: It may not be connected to.
    """
    if is_metadata_host(host):
        raise Blocked("it is a metadata service", is_nameable=False)
    address = literal(host)
    if address is not None:
        return checked(host, [address], is_named=is_named)
    if is_loopback_host(host) and not is_named:
        raise Blocked("it is this machine", is_nameable=True)
    return ()
