"""
The state of the engine's one slot, saved to a file and restored from it.

The binding has no function for that; the engine's own HTTP server has, behind its key, on the
socket (or, without Unix sockets, the port of the loopback interface) that it was given.
"""

from __future__ import annotations

import json
import socket
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any, Literal

_UNIX = "unix://"


class SlotUnchanged(Exception):
    """The engine did not save or restore. Never leaves this package."""


class EngineSlot:
    """
    The slot of an engine that listens.

    Args:
        address: As the engine tells it: `unix://` and a path, or `http://` with host and port.
        key: That the engine asks for.
    """

    def __init__(self, address: str, key: str) -> None:
        self._address, self._key = address, key

    def save(self, file_name: str, *, timeout_s: float) -> int:
        """
        Write its state to a file of the folder that the engine was given; returns its bytes.

        Raises:
            SlotUnchanged: It cannot be written whole.
        """
        return self._act("save", file_name, "n_written", timeout_s)

    def restore(self, file_name: str, *, timeout_s: float) -> int:
        """
        Replace its state by that of a file; returns how many tokens it has now.

        The engine ends the whole process where a file is cut off: it must have been checked.

        Raises:
            SlotUnchanged: It cannot be read, or is of another engine or model.
        """
        return self._act("restore", file_name, "n_restored", timeout_s)

    def _act(
        self, action: Literal["save", "restore"], file_name: str, counted: str, timeout_s: float
    ) -> int:
        try:
            with closing(self._connect(timeout_s)) as connection:
                connection.request(
                    "POST",
                    f"/slots/0?action={action}",
                    json.dumps({"filename": file_name}),
                    {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
                )
                response = connection.getresponse()
                content: Any = json.loads(response.read())
                count = int(content[counted]) if response.status == 200 else 0
        except (OSError, HTTPException, ValueError, TypeError, KeyError) as error:
            raise SlotUnchanged(action) from error
        if count <= 0:
            raise SlotUnchanged(action)
        return count

    def _connect(self, timeout_s: float) -> HTTPConnection:
        if not self._address.startswith(_UNIX):
            host = self._address.rpartition("//")[2].rstrip("/")
            return HTTPConnection(host, timeout=timeout_s)
        return _UnixConnection(self._address.removeprefix(_UNIX), timeout_s)


class _UnixConnection(HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
