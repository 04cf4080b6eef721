"""
A Jupyter kernel in a process that is confined, and its messages.

It is spoken to by Unix sockets in its private folder, signed with a key that only that folder
holds. What it sends is as little trusted as the cells that it runs.

Source: "Messaging in Jupyter" 5.4.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from restwright.errors import MissingExtra
from restwright.jsontypes import JsonObject, is_object
from restwright.manifests.code.limits import MIB, NotebookSettings, ProcessStopReason
from restwright.manifests.code.process import (
    MINIMAL,
    ConfinedProcess,
    link_files,
    make_private_folder,
)
from restwright.manifests.code.removal import remove_folder

CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
POLL_MS = 100
WAITING_MESSAGES = 16
MAX_MESSAGE_BYTES = 64 * MIB
"""Of a message; a longer one costs the connection, which is made again, and is lost."""

_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "4"),
    # Each thread would reserve addresses of its own, which count.
    "MALLOC_ARENA_MAX": "2",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


class Kernel:
    """
    One kernel, started at once.

    Raises:
        MissingExtra: Jupyter is not installed.
        UnusableCode: A file that it shall read is not there, or no process can be started.
    """

    def __init__(self, settings: NotebookSettings) -> None:
        require_jupyter()
        import zmq
        from jupyter_client.session import Session

        _compile_packages()
        self._limits = settings.limits
        self._folder = make_private_folder()
        self._key = secrets.token_hex(32)
        self._session: Any = Session(key=self._key.encode(), signature_scheme="hmac-sha256")
        self._zmq: Any = zmq
        self._context: Any = zmq.Context()
        self._is_ended = False
        self._ended: ProcessStopReason = ""
        process: ConfinedProcess | None = None
        try:
            reads = link_files(self._folder, settings.reads)
            writes = link_files(self._folder, settings.writes)
            connection = self._connection_file()
            self._process = process = self._launch(connection, settings, reads, writes)
            self._sockets = {name: self._socket(name) for name in ("shell", "iopub", "control")}
        except BaseException:
            self._context.destroy(linger=0)
            if process is not None:
                process.end()
            remove_folder(self._folder)
            raise

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return not self._is_ended and self._process.is_running

    def protections(self) -> tuple[str, ...]:
        """What holds the process."""
        return self._process.protections()

    def end(self) -> ProcessStopReason:
        """Kill it with all that it started, and remove its folder."""
        if not self._is_ended:
            self._is_ended = True
            self._context.destroy(linger=0)
            try:
                self._ended = self._process.end()
            finally:
                remove_folder(self._folder)
        return self._ended

    def wait_until_ready(self) -> bool:
        """Whether it answers, and publishes, in time."""
        until = time.monotonic() + self._limits.start_seconds
        seen: set[str] = set()
        while time.monotonic() < until and self.is_running:
            self.send("shell", "kernel_info_request", {})
            for channel, _ in self.messages(until=time.monotonic() + 0.5):
                seen.add(channel)
                if {"shell", "iopub"} <= seen:
                    return True
        return False

    def send(self, channel: str, kind: str, content: JsonObject) -> str:
        """Send a message; its id, which answers name."""
        sent: Any = self._session.send(self._sockets[channel], kind, content=content)
        return str(sent["header"]["msg_id"])

    def messages(self, *, until: float) -> Iterator[tuple[str, JsonObject]]:
        """What comes, with the channel it comes by, until a time or the end of the process."""
        poller = self._zmq.Poller()
        for name in ("shell", "iopub", "control"):
            poller.register(self._sockets[name], self._zmq.POLLIN)
        poller.register(self._process.printed, self._zmq.POLLIN)
        os.set_blocking(self._process.printed, False)
        while (left := until - time.monotonic()) > 0 and self.is_running:
            ready = dict(poller.poll(min(POLL_MS, 1000 * left)))
            self._discard(poller, ready)
            for name, socket in self._sockets.items():
                if socket in ready and (message := self._receive(socket)) is not None:
                    yield name, message

    def _discard(self, poller: Any, ready: dict[Any, int]) -> None:
        """Read what is printed past the kernel, so that nothing waits for it."""
        if self._process.printed in ready:
            with suppress(BlockingIOError):
                if not os.read(self._process.printed, 65_536):
                    poller.unregister(self._process.printed)

    def _receive(self, socket: Any) -> JsonObject | None:
        try:
            _, message = self._session.recv(socket, mode=self._zmq.NOBLOCK)
        except Exception:  # noqa: BLE001 - whatever is wrong with a message, it is passed over
            return None
        return message if is_object(message) and is_object(message.get("content")) else None

    def _connection_file(self) -> Path:
        place = self._folder / ".kernel"
        place.mkdir(mode=0o700)
        info: JsonObject = {f"{name}_port": at for at, name in enumerate(CHANNELS, 1)}
        info |= {"transport": "ipc", "ip": str(place / "s"), "key": self._key}
        info |= {"signature_scheme": "hmac-sha256", "kernel_name": ""}
        path = place / "connection.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(info))
        return path

    def _socket(self, channel: str) -> Any:
        kind = self._zmq.SUB if channel == "iopub" else self._zmq.DEALER
        socket = self._context.socket(kind)
        socket.setsockopt(self._zmq.LINGER, 0)
        socket.setsockopt(self._zmq.RCVHWM, WAITING_MESSAGES)
        socket.setsockopt(self._zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        if channel == "iopub":
            socket.setsockopt(self._zmq.SUBSCRIBE, b"")
        else:
            socket.setsockopt(self._zmq.IDENTITY, secrets.token_bytes(16))
        socket.connect(f"ipc://{self._folder}/.kernel/s-{CHANNELS.index(channel) + 1}")
        return socket

    def _launch(
        self,
        connection: Path,
        settings: NotebookSettings,
        reads: tuple[Path, ...],
        writes: tuple[Path, ...],
    ) -> ConfinedProcess:
        command = [sys.executable, "-I", "-B", "-m", "ipykernel_launcher", "-f", str(connection)]
        return ConfinedProcess(
            [*command, "--HistoryManager.enabled=False", "--log-level=50"],
            limits=settings.limits,
            network=settings.network,
            folder=self._folder,
            reads=reads,
            writes=writes,
            hosts=settings.hosts,
            environment=_ENVIRONMENT,
            sockets=True,
        )


def require_jupyter(find: Callable[[str], object] = find_spec) -> None:
    """
    Refuse where the packages of a notebook are not installed.

    Args:
        find: Finds a package; None for one that is missing.

    Raises:
        MissingExtra: One is not.
    """
    if not all(map(find, ("ipykernel", "jupyter_client", "nbformat", "zmq"))):
        raise MissingExtra("notebook", "running a notebook")


@cache
def _compile_packages() -> None:
    """
    Import the packages of a kernel once where they were never imported, which keeps them compiled.

    A kernel may not write where that is kept, and would take many times as long at every start.
    """
    for name in ("ipykernel.kernelapp", "pandas.core.frame", "matplotlib.pyplot"):
        with suppress(ImportError, OSError, subprocess.SubprocessError):
            found = find_spec(name)
            if found is not None and found.cached and not Path(found.cached).exists():
                command = [sys.executable, "-I", "-c", f"import {name}"]
                subprocess.run(  # noqa: S603 - packages that are installed, and no code of others
                    command, env=MINIMAL, timeout=60, check=False, capture_output=True
                )
