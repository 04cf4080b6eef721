"""Hosts that a user lets somebody else's file or code reach, written as `HOST` or `HOST:PORT`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from restwright.net.policy.dns import BlockedDestination, check_host
from restwright.net.policy.origins import Origin

_WRITTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?")
_MAX_PORT = 65_535


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """
    A host, or one of its ports.

    Args:
        host: Lower case; an IPv6 address without its brackets.
        port: None for all of them.
    """

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> AllowedHost:
        """
        Read `HOST[:PORT]`; an IPv6 address stands in brackets.

        Raises:
            ValueError: It is none, such as a URL.
        """
        found = _WRITTEN.fullmatch(text.strip())
        port = int(found[2]) if found and found[2] else None
        if not found or (port is not None and not 0 < port <= _MAX_PORT):
            raise ValueError(f"{text[:80]!r} is no HOST or HOST:PORT, such as 127.0.0.1:8000")
        return cls(found[1].strip("[]").lower().rstrip("."), port)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    def allows(self, host: str, port: int) -> bool:
        """Whether it is that host, and that port of it."""
        return self.host == host.lower().rstrip(".") and self.port in {None, port}


def is_local_origin(origin: Origin) -> bool:
    """
    Whether an origin is this machine or in a private network, as its host is written.

    A name that only a look-up would find there is none; it is refused when it is asked.
    """
    try:
        check_host(origin.host, is_named=False)
    except BlockedDestination as error:
        return error.is_nameable
    return False
