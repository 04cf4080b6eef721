"""Servers of HTTP: the socket that they listen on, and how they run until they are interrupted."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from restwright.errors import UsageError
from restwright.net.policy.origins import LOOPBACK_HOSTS

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_SHUTDOWN_S = 2


def open_listener(host: str, port: int, *, wants_secret: bool = False) -> socket.socket:
    """
    Listen on a port of this machine; 0 for any free one.

    Args:
        wants_secret: Whether each request must have one, so that others may reach the server.

    Raises:
        UsageError: Others could reach `host`.
        OSError: The port is taken.
    """
    if host not in LOOPBACK_HOSTS and not wants_secret:
        why = f"everybody who can reach {host} could call the APIs with your credentials"
        raise UsageError(why, setting="--host", next_move="use 127.0.0.1, localhost or ::1")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        # The address takes the place of a file name, for whoever reports the error.
        raise OSError(error.errno, os.strerror(error.errno or 0), f"{host}:{port}") from error
    # Head and body of a response are written apart; without this the body waits for an
    # acknowledgement. Accepted connections inherit it.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def find_address(listener: socket.socket) -> tuple[str, int]:
    """The base URL of a listener, without a slash at its end, and its port."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}", int(port)


def make_server(app: ASGIApp) -> uvicorn.Server:
    """What serves an application on a socket; it logs nothing, since addresses have secrets."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )
    return uvicorn.Server(config)


def serve_app(app: ASGIApp, listener: socket.socket, on_start: Callable[[], None]) -> None:
    """
    Serve until interrupted.

    Args:
        listener: It listens already, so that who hears of `on_start` can connect at once.
        on_start: Told once, before the first request.
    """
    on_start()
    make_server(app).run(sockets=[listener])
