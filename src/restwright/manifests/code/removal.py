"""
Removes a folder that code has filled. Standard library only; and with `programs=False` without
any: the launcher can start none once the first process of its namespace has ended.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import count


def remove_folder(folder: str | os.PathLike[str], *, programs: bool = True) -> None:
    """
    Remove a folder that code may have filled, whatever it made of the rights and depth in it.

    Args:
        programs: Whether `rm`, which is faster, is tried first.
    """
    if programs:
        import shutil
        import subprocess

        if program := shutil.which("rm"):
            whole = [program, "-rf", "--", os.fspath(folder)]
            # A machine that is full of processes starts none more.
            with suppress(OSError):
                subprocess.run(whole, check=False, capture_output=True)  # noqa: S603
    with suppress(OSError):
        os.chmod(folder, 0o700)  # noqa: PTH101 - `pathlib` would cost the launcher its import
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _empty_folder(top)
        finally:
            os.close(top)
        os.rmdir(folder)  # noqa: PTH106 - as above


def _empty_folder(top: int) -> None:
    """Remove all that is in a folder: what a folder in it has is moved up, so that none is deep."""
    numbers = count()
    while names := os.listdir(top):
        removed = 0
        for name in names:
            with suppress(OSError):
                if _is_folder(name, top):
                    _move_contents_up(name, top, numbers)
                    os.rmdir(name, dir_fd=top)
                else:
                    os.unlink(name, dir_fd=top)
                removed += 1
        if not removed:
            return


def _move_contents_up(name: str, top: int, numbers: count[int]) -> None:
    os.chmod(name, 0o700, dir_fd=top)
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for text in os.listdir(below):  # noqa: PTH208 - as above
            if not _is_folder(text, below):
                os.unlink(text, dir_fd=below)
                continue
            # A folder that may not be written cannot be moved either.
            os.chmod(text, 0o700, dir_fd=below)
            new = next(new for n in numbers if not _is_there(new := f"moved-{n}", top))
            os.rename(text, new, src_dir_fd=below, dst_dir_fd=top)
    finally:
        os.close(below)


def _is_folder(name: str, at: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)


def _is_there(name: str, at: int) -> bool:
    try:
        os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
