"""Serves a world on a port of this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from restwright_bench.world.app import World, app_of

HOST = "127.0.0.1"
STARTS_WITHIN_S = 10


@contextmanager
def serving(world: World, *, port: int = 0) -> Iterator[str]:
    """Serve in a thread until the block ends; yields the base URL, no trailing slash."""
    # The protocol is named because asyncio turns Nagle's algorithm off only for what says TCP;
    # with it on, each answer waits 40 ms.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        server = uvicorn.Server(_config(world))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        _wait(server)
        try:
            yield f"http://{HOST}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def serve(world: World, *, port: int) -> None:
    """Serve until interrupted."""
    uvicorn.run(app_of(world), host=HOST, port=port, log_level="warning")


def _config(world: World) -> uvicorn.Config:
    return uvicorn.Config(app_of(world), log_level="error", access_log=False, lifespan="off")


def _wait(server: uvicorn.Server) -> None:
    ends = time.monotonic() + STARTS_WITHIN_S
    while not server.started:
        if time.monotonic() > ends:
            raise TimeoutError("the world did not start")
        time.sleep(0.01)
