"""
Counters that processes share, in the state folder of this user: names and numbers, nothing else.

Unlike a cache this is not deleted with `cache clear`. It is written when a user asks for it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

_SCHEMA = (
    "create table if not exists uses (tool text, event text, count integer not null,"
    " primary key (tool, event)) without rowid"
)
_ADD = (
    "insert into uses values (?, ?, ?)"
    " on conflict (tool, event) do update set count = count + excluded.count"
)
_WAIT_S = 10.0


def user_state_folder() -> Path:
    """Return the folder of this user's state; it may not exist yet."""
    if sys.platform == "linux":
        root = os.environ.get("XDG_STATE_HOME", "").strip()
        return Path(root if root.startswith("/") else "~/.local/state").expanduser() / "restwright"
    from platformdirs import user_state_path

    return user_state_path("restwright")


def usage_file() -> Path:
    """Return where uses of tools are counted; it may not exist yet."""
    return user_state_folder() / "usage.sqlite3"


def ensure_private_file(path: Path) -> None:
    """
    Have a file there, for this user alone; what SQLite writes beside it is as private.

    One that is there is not opened: to close it again would take from this process the locks that
    SQLite has on it (https://sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        OSError: It cannot be made, or is no file.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise OSError(None, "it is not a file", str(path)) from None
        if sys.platform != "win32" and mode & 0o077:
            path.chmod(0o600)


def add_counts(path: Path, counts: Mapping[tuple[str, str], int]) -> None:
    """
    Add to what is counted already: all of it or nothing, also when several processes do.

    Args:
        path: Made with its folder where it is not there, readable by this user alone.
        counts: `{(tool, event): how often}`.

    Raises:
        OSError: It cannot be written.
    """
    if not counts:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    ensure_private_file(path)
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT_S)) as base, base:
            base.execute("begin immediate")
            base.execute(_SCHEMA)
            base.executemany(_ADD, [(tool, event, n) for (tool, event), n in counts.items()])
    except sqlite3.Error as error:
        raise OSError(None, str(error), str(path)) from None


def read_counts(path: Path) -> dict[tuple[str, str], int]:
    """
    Return what is counted: `{(tool, event): how often}`; nothing where there is no file.

    Raises:
        OSError: It cannot be read, or is something else.
    """
    if not path.exists():
        return {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            rows = base.execute("select tool, event, count from uses").fetchall()
    except sqlite3.Error as error:
        raise OSError(None, str(error), str(path)) from None
    return {(str(tool), str(event)): int(count) for tool, event, count in rows}
