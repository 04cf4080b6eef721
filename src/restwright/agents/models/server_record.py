"""
Where the model server of this user is: a private file beside the caches, one for each model.

What it says is only a hint. Whoever it leads to must prove that he knows the key, and a server of
another version or of another model file is none.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from restwright import __version__
from restwright.agents.models.server_channel import Address
from restwright.jsontypes import JsonObject
from restwright.net.storage import (
    cache_folder,
    make_private_folder,
    read_private_file,
    write_private_file,
)

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """
    A server that runs, or did.

    Args:
        version: Of this package there.
        sha256: Of the model's file.
        pid: Its process.
        address: Where it listens.
        key: What both sides must know, in hexadecimal.
    """

    version: str
    sha256: str
    pid: int
    address: Address
    key: str = field(repr=False)


def record_path(name: str) -> Path:
    """Return where the record of the model `name` of the table lies, or would lie."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a local model")
    return cache_folder() / "server" / f"{name}.json"


def write_record(name: str, record: ServerRecord) -> None:
    """
    Tell others of this user where the server is.

    Raises:
        OSError: It cannot be written.
    """
    path = record_path(name)
    make_private_folder(path.parent)
    write_private_file(path, json.dumps(asdict(record)).encode())


def remove_record(name: str, record: ServerRecord) -> None:
    """Take back what was told, unless another server has told since where it is."""
    if read_record(name) == record:
        with suppress(OSError):
            record_path(name).unlink()


def read_record(name: str) -> ServerRecord | None:
    """Return what was told last; None where that cannot be believed."""
    content = read_private_file(record_path(name))
    try:
        return None if content is None else _record_from_json(json.loads(content))
    except (ValueError, TypeError, KeyError):
        return None


def find_record(name: str, sha256: str) -> ServerRecord | None:
    """Return the record of a server that may run and has this file and version."""
    record = read_record(name)
    if record is None or (record.version, record.sha256) != (__version__, sha256):
        return None
    return record if _is_alive(record.pid) else None


def _record_from_json(given: JsonObject) -> ServerRecord:
    address = given["address"]
    if not isinstance(address, str):
        host, port = address
        address = (str(host), int(port))
    record = ServerRecord(
        version=str(given["version"]),
        sha256=str(given["sha256"]),
        pid=int(given["pid"]),
        address=address,
        key=str(given["key"]),
    )
    bytes.fromhex(record.key)
    return record


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True
