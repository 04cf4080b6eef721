"""Locks of files: who has one is alone until it lets go or dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO


def acquire_file_lock(path: Path) -> IO[bytes] | None:
    """
    Hold a file until it is closed, or this process dies; None where another one does.

    A file that was deleted and made anew keeps nobody from anything: the journal has a word too.
    """
    while True:
        handle = path.open("ab")
        if not _is_locked(handle):
            handle.close()
            return None
        # Who had it may have deleted it between the opening and the locking.
        if _is_there(handle, path):
            return handle
        handle.close()


def _is_locked(handle: IO[bytes]) -> bool:
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _is_there(handle: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle.fileno()), path.stat())
    except FileNotFoundError:
        return False
