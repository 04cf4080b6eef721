"""How an origin is reached: through which proxy, with which certificates, with whose trust."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Any

import httpcore2

from restwright.errors import RefusedRequest
from restwright.net.messages import ClientCertificate, Request
from restwright.net.policy.origins import Origin
from restwright.net.policy.proxies import Proxy, find_proxy

_POOL_OPTIONS = {"max_connections": 32, "max_keepalive_connections": 8, "keepalive_expiry": 15.0}


@dataclass(frozen=True, slots=True)
class RouteRequirements:
    """
    What of a request decides which connections may carry it.

    Args:
        is_named: Whether the user named its origin: a connection to a private address that was made
            for a named one is no way for another request.
        certificate: What is shown of this machine in TLS; it is for its own connections alone.
    """

    is_named: bool
    certificate: ClientCertificate | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """
    A way to origins of one scheme. Requests of different routes never share a connection.

    Args:
        scheme: Of the origin.
        requirements: What the request allows.
        proxy: None to connect to the origin itself.
    """

    scheme: str
    requirements: RouteRequirements
    proxy: Proxy | None

    @property
    def is_trusted(self) -> bool:
        """Whether the user named what is connected to: the origin, or the proxy on the way."""
        return self.requirements.is_named or self.proxy is not None

    def pool_options(self, origin: Origin) -> dict[str, Any]:
        """
        Return what the pools for blocking and for asynchronous use have in common.

        Raises:
            RefusedRequest: The certificate cannot be read.
        """
        # Reading the certificates takes tens of milliseconds: only for https, and once a pool. It
        # honours SSL_CERT_FILE and SSL_CERT_DIR.
        try:
            context = (
                _make_ssl_context(self.requirements.certificate) if self.scheme == "https" else None
            )
        except OSError as error:
            why = f"a certificate for it cannot be read ({error.strerror or error})"
            raise RefusedRequest(str(origin), why) from error
        proxy = self.proxy and httpcore2.Proxy(self.proxy.url, self.proxy.auth)
        return {"ssl_context": context, "proxy": proxy, **_POOL_OPTIONS}


class RouteTable:
    """The routes found so far: the environment is read once for an origin."""

    def __init__(self) -> None:
        self._routes: dict[tuple[Origin, RouteRequirements], Route] = {}

    def find_route(self, origin: Origin, requirements: RouteRequirements) -> Route:
        """
        Find the route to `origin`.

        Raises:
            RefusedRequest: The proxy of the environment is none.
        """
        route = self._routes.get((origin, requirements))
        if route is None:
            route = Route(origin.scheme, requirements, find_proxy(origin))
            self._routes[origin, requirements] = route
        return route


def route_requirements(request: Request, *, is_named: bool) -> RouteRequirements:
    """Return what `request` allows; `is_named` where the rules name its origin."""
    return RouteRequirements(request.is_named or is_named, request.client_certificate)


def _make_ssl_context(certificate: ClientCertificate | None) -> ssl.SSLContext:
    context = httpcore2.default_ssl_context()
    if certificate:
        password = certificate.password.reveal() if certificate.password else ""
        # Without a password OpenSSL would ask for one at the terminal.
        context.load_cert_chain(certificate.path, certificate.key_path, lambda: password)
    return context
