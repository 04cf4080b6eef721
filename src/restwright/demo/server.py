"""Starts the shop on a port of this machine."""

from __future__ import annotations

import importlib
import secrets
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from restwright.errors import MissingExtra

if TYPE_CHECKING:
    import uvicorn

    from restwright.demo.database import Database

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """
    A shop that is running.

    Args:
        url: The base URL, no trailing slash; the document is at `/openapi.json` under it.
        token: The bearer token of the signed-in customer.
        database: What it sells and knows; open as long as it runs.
    """

    url: str
    token: str = field(repr=False)
    database: Database = field(repr=False)

    @property
    def document_url(self) -> str:
        """Where the OpenAPI document is."""
        return f"{self.url}/openapi.json"


@contextmanager
def running(*, port: int = 0, token: str | None = None) -> Generator[Shop]:
    """
    Serve a shop with fresh data in a thread, and stop it at the end of the block.

    Args:
        port: On the loopback address; 0 for any free one.
        token: The bearer token; a random one where None is given.

    Raises:
        MissingExtra: Starlette or uvicorn is not installed.
        OSError: The port is taken.
    """
    _require_packages()
    from restwright.demo.routes import application
    from restwright.demo.seed import seeded, signed_in_customer
    from restwright.demo.session import Session
    from restwright.net.http_server import find_address, make_server, open_listener

    token = token or secrets.token_urlsafe(24)
    listener = open_listener(_HOST, port)
    url, _ = find_address(listener)
    with listener, seeded() as database:
        session = Session(database=database, customer_id=signed_in_customer())
        server = make_server(application(session, token=token, url=url))
        with _in_thread(server, listener):
            yield Shop(url=url, token=token, database=database)


def serve(*, port: int = 0, token: str | None = None, on_start: Callable[[Shop], None]) -> None:
    """
    Serve until interrupted. `on_start` is told once where the shop is.

    Raises:
        KeyboardInterrupt: Ctrl-C, after everything is closed.
        MissingExtra: Starlette or uvicorn is not installed.
        OSError: The port is taken.
    """
    with running(port=port, token=token) as shop:
        on_start(shop)
        # A wait without a limit cannot be interrupted on every system.
        never = threading.Event()
        while not never.wait(0.5):
            pass


def _require_packages() -> None:
    try:
        importlib.import_module("starlette")
        importlib.import_module("uvicorn")
    except ImportError as error:
        raise MissingExtra("demo", "the demo API") from error


@contextmanager
def _in_thread(server: uvicorn.Server, listener: socket.socket) -> Generator[None]:
    # The socket listens already, so early requests wait in its queue until the loop runs.
    thread = threading.Thread(target=server.run, args=([listener],), name="demo shop", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
