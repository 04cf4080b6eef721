"""Makes system calls on files outside of its folder, as code that nobody trusts may."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)


def attack(rows: list[dict[str, Any]], outside: int) -> list[str]:
    """
    Make the call of each row on the file of the row.

    Args:
        rows: With `folder`, in which the file `target` is, and what the file of rows says.
        outside: A process that is not confined.

    Returns:
        The name of the error of each; empty where there was none.
    """
    return [called(row, number, outside) for number, row in enumerate(rows)]


def opened(rows: list[dict[str, Any]]) -> list[bool]:
    """Whether the socket of each row can be had, or a pair of it where it is made of pairs."""
    found = []
    for row in rows:
        try:
            if row.get("pair"):
                for end in socket.socketpair(row["family"], row["type"]):
                    end.close()
            else:
                socket.socket(row["family"], row["type"]).close()
            found.append(True)
        except OSError:
            found.append(False)
    return found


def changed_own() -> list[object]:
    """Change a file of its own in every way that libraries do."""
    own = Path("own.txt")
    own.write_text("own")
    own.chmod(0o644)
    os.utime(own, (1, 1))
    os.chown(own, os.getuid(), os.getgid())
    shutil.copy2(own, "copy.txt")
    found = own.stat()
    return [oct(found.st_mode & 0o777), found.st_mtime]


def called(row: dict[str, Any], number: int, outside: int) -> str:
    path = f"{row['folder']}/target"
    places = {"path": path, "new": f"{row['folder']}/new", "own": f"own-{number}"}
    places |= {"mine": f"mine-{number}", "link": f"link-{number}"}
    places |= {"relative": os.path.relpath(path), "root": f"/proc/{outside}/root{path}"}
    Path(places["mine"]).touch()
    Path(places["link"]).symlink_to(path)
    opened = {"file": os.O_RDONLY, "descriptor": os.O_RDONLY, "neither": 3}
    numbers = {"at": -100, "user": os.getuid(), "group": os.getgid()}
    for name in opened.keys() & set(map(str, row["arguments"])):
        try:
            numbers[name] = os.open(path, opened[name])
        except OSError as error:
            return error.__class__.__name__
        places["descriptor"] = f"/proc/self/fd/{numbers[name]}"
    arguments = [argument(each, places, numbers) for each in row["arguments"]]
    ctypes.set_errno(0)
    returned = LIBC.syscall(ctypes.c_long(row["numbers"][platform.machine()]), *arguments)
    failed = ctypes.get_errno()
    for name in opened.keys() & numbers.keys():
        with suppress(OSError):
            os.close(numbers[name])
    return os.strerror(failed) if returned < 0 else ""


def argument(given: Any, places: dict[str, str], numbers: dict[str, int]) -> Any:
    if isinstance(given, dict):
        return ctypes.c_char_p(bytes.fromhex(given["hex"]) + bytes(8))
    if given in places:
        return ctypes.c_char_p(places[given].encode())
    return ctypes.c_long(numbers.get(given, given))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(attack(json.loads(sys.argv[1]), os.getpid())))
