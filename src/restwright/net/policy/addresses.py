"""
Which addresses may be connected to: an explicit table, and IPv4 addresses inside IPv6 decoded.

`ipaddress.is_global` is not enough: it calls `::127.0.0.1`, `64:ff9b::7f00:1`, 6to4, site-local and
multicast addresses global, and knows nothing of the metadata services of clouds.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

_Address: TypeAlias = IPv4Address | IPv6Address
_Network: TypeAlias = IPv4Network | IPv6Network

# Source: IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 6890.
# What a user may name: addresses that a machine or a network of theirs can have.
_NAMEABLE = (
    ("127.0.0.0/8", "this machine"),
    ("::1/128", "this machine"),
    ("0.0.0.0/8", "this machine"),
    ("::/128", "this machine"),
    ("10.0.0.0/8", "a private network"),
    ("172.16.0.0/12", "a private network"),
    ("192.168.0.0/16", "a private network"),
    ("fc00::/7", "a private network"),
    ("fec0::/10", "a private network"),
    ("100.64.0.0/10", "a carrier's private network"),
    ("169.254.0.0/16", "a link-local address"),
    ("fe80::/10", "a link-local address"),
    ("192.0.0.0/24", "a special-purpose address"),
    ("192.88.99.0/24", "a relay of 6to4"),
    ("198.18.0.0/15", "a network for benchmarks"),
    ("2001::/23", "a special-purpose address"),
    ("2002::/16", "a 6to4 address"),
    ("64:ff9b:1::/48", "a network's own translation to IPv4"),
    ("100::/64", "a discard-only address"),
)
# What nobody may name: there is no API behind it, or the credentials of the machine itself are.
_FORBIDDEN = (
    ("169.254.169.254/32", "a metadata service"),
    ("169.254.170.2/32", "a metadata service"),
    ("169.254.170.23/32", "a metadata service"),
    ("192.0.0.192/32", "a metadata service"),
    ("168.63.129.16/32", "a metadata service"),
    ("100.100.100.200/32", "a metadata service"),
    ("fd00:ec2::254/128", "a metadata service"),
    ("fd00:ec2::23/128", "a metadata service"),
    ("fd20:ce::254/128", "a metadata service"),
    ("224.0.0.0/4", "a multicast address"),
    ("ff00::/8", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("192.0.2.0/24", "an address for documentation"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("2001:db8::/32", "an address for documentation"),
    ("3fff::/20", "an address for documentation"),
    ("5f00::/16", "an address of segment routing"),
)
_METADATA_HOSTS = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
    }
)
# RFC 4291, "Global Unicast Addresses": what else is not in the table is not given to anybody.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_OWN_TRANSLATED = IPv6Network("64:ff9b:1::/48")
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
# IPv4-compatible, IPv4-mapped and IPv4-translated: RFC 4291 2.5.5, RFC 2765 2.1.
_LOW = tuple(map(IPv6Network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96")))
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}\.?")


def block_reason(address: str, *, is_named: bool) -> str:
    """
    Say what speaks against connecting to `address`; empty when nothing does.

    Args:
        address: As a resolver gives it; a scope (`%eth0`) does not matter.
        is_named: The user named the very origin that it is an address of.
    """
    found = ip_address(address.partition("%")[0])
    return next(
        filter(
            None,
            (
                _block_reason(effective_address, is_named=is_named)
                for effective_address in _effective_addresses(found)
            ),
        ),
        "",
    )


def is_nameable_address(address: str) -> bool:
    """Whether `address` may be connected to, but only where the user named its origin."""
    return bool(block_reason(address, is_named=False)) and not block_reason(address, is_named=True)


def parse_ip_literal(host: str) -> str | None:
    """
    Return the address that `host` is written as; None for a name.

    `127.1`, `2130706433`, `0x7f.1` and `017700000001` are addresses to the resolvers of most
    systems, so they are ones here.
    """
    if ":" in host:
        return str(ip_address(host.partition("%")[0])) if _is_ipv6(host) else None
    if not _NUMERIC.fullmatch(host.lower()):
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))
    except OSError:
        return None


def is_metadata_host(host: str) -> bool:
    """Whether a name is that of a metadata service, wherever it leads."""
    return host.rstrip(".").lower() in _METADATA_HOSTS


def is_loopback_host(host: str) -> bool:
    """Whether `host` is this machine by its very writing (RFC 6761, "localhost.")."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = parse_ip_literal(host)
    return address is not None and ip_address(address).is_loopback


def _is_ipv6(host: str) -> bool:
    try:
        socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    except OSError:
        return False
    return True


def _block_reason(address: _Address, *, is_named: bool) -> str:
    for network, what in _parse_networks(_FORBIDDEN):
        if address in network:
            return what
    for network, what in _parse_networks(_NAMEABLE):
        if address in network:
            return "" if is_named else what
    return "" if _is_assigned(address) else "an address that is nobody's"


def _is_assigned(address: _Address) -> bool:
    return isinstance(address, IPv4Address) or any(
        address in network for network in (_GLOBAL_UNICAST, _TRANSLATED)
    )


def _effective_addresses(address: _Address) -> Iterator[_Address]:
    """The address itself, and every IPv4 address that a translator or tunnel may read in it."""
    if isinstance(address, IPv4Address):
        yield address
        return
    last = IPv4Address(int(address) & 0xFFFF_FFFF)
    if any(address in network for network in _LOW) and int(address) > 1:
        # The address is nothing but this other one, so that it alone counts.
        yield last
        return
    yield address
    yield from _ipv4_inside(address, last)


def _ipv4_inside(address: IPv6Address, last: IPv4Address) -> Iterator[IPv4Address]:
    if address in _TRANSLATED or address in _OWN_TRANSLATED:
        yield last
    if address in _SIX_TO_FOUR:
        yield IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    if address in _TEREDO:
        # RFC 4380: the server in the clear, the client with its bits turned over.
        yield IPv4Address(int(address) >> 64 & 0xFFFF_FFFF)
        yield IPv4Address(~int(last) & 0xFFFF_FFFF)
    # RFC 5214 (ISATAP): `0000:5efe` or `0200:5efe` before the IPv4 address.
    if int(address) >> 32 & 0xFDFF_FFFF == 0x5EFE:
        yield last


@lru_cache(maxsize=2)
def _parse_networks(table: tuple[tuple[str, str], ...]) -> tuple[tuple[_Network, str], ...]:
    return tuple((ip_network(network), what) for network, what in table)
