"""Proxies of the environment, as other programs read them: HTTP_PROXY, HTTPS_PROXY, NO_PROXY."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from restwright.errors import RefusedRequest
from restwright.net.policy.addresses import is_loopback_host, parse_ip_literal
from restwright.net.policy.origins import DEFAULT_PORTS, Origin


@dataclass(frozen=True, slots=True)
class Proxy:
    """
    Where requests are handed over.

    Args:
        url: Without user name and password.
        auth: Them; None where there are none.
    """

    url: str
    auth: tuple[str, str] | None = field(default=None, repr=False)


def find_proxy(origin: Origin) -> Proxy | None:
    """
    Return the proxy that the environment names for `origin`; never one for this machine itself.

    Raises:
        RefusedRequest: It names one that cannot be used.
    """
    from urllib.request import getproxies_environment

    named = getproxies_environment()
    text = named.get(origin.scheme) or named.get("all")
    if not text or is_loopback_host(origin.host):
        return None
    if any(_is_bypassed(part.strip(), origin) for part in named.get("no", "").split(",")):
        return None
    return _parse_proxy(text, origin)


def _is_bypassed(entry: str, origin: Origin) -> bool:
    """Whether an entry of NO_PROXY (`host`, `.host`, `host:port`, a network, `*`) is `origin`'s."""
    if entry == "*":
        return True
    address = parse_ip_literal(origin.host)
    if "/" in entry:
        return address is not None and _is_in_network(address, entry)
    name, _, port = entry.lower().rpartition(":") if entry.count(":") == 1 else (entry, "", "")
    name = name.strip("[]").lower().removeprefix("*").removeprefix(".")
    if not name or (port and port != str(origin.port)):
        return False
    return origin.host == name or (address is None and origin.host.endswith(f".{name}"))


def _is_in_network(address: str, network: str) -> bool:
    try:
        return ip_address(address) in ip_network(network, strict=False)
    except ValueError:
        return False


def _parse_proxy(text: str, origin: Origin) -> Proxy:
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = parts = None
    if parts is None or not host or parts.scheme not in DEFAULT_PORTS:
        # The text is not repeated: there may be a password in it.
        name = f"{origin.scheme.upper()}_PROXY"
        raise RefusedRequest(str(origin), f"{name} is not a proxy of the form http://host:port")
    proxy = Origin(parts.scheme, host, DEFAULT_PORTS[parts.scheme] if port is None else port)
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return Proxy(f"{proxy.scheme}://{proxy.authority}", auth)
