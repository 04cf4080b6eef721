"""
What is kept on this machine between two runs, and the only writer of it.

Everything here is a cache: it may be deleted at any time, what cannot be written is not kept, and
what is damaged is as good as absent. Folders are 0700 and files 0600. A file that another user owns
or may change is never believed. `RESTWRIGHT_CACHE=off` turns reading and writing off.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, get_args

FolderKind = Literal["documents", "index", "tokens", "search", "prefixes"]
"""
`documents`: bodies fetched from URLs; `index`: what was read out of documents; `tokens`: access
tokens that were obtained; `search`: folders, each an index of words; `prefixes`: what the local
model made of texts with which its prompts begin.
"""

MAX_STATE_BYTES = 64 * 1024 * 1024
"""Of one file; a longer one is neither written nor read."""
MAX_FOLDER_BYTES = 512 * 1024 * 1024
"""Of all files of a kind; beyond it the oldest go."""
MAX_PREFIX_BYTES = 1024 * 1024 * 1024
"""The same for `prefixes`, beyond which those go that were not used for longest."""

_NEW = ".new-"
_ABANDONED_S = 3600.0

# No separator, no leading dot: a name can never leave its folder.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")


def cache_folder() -> Path:
    """Return the folder of this user's caches; it may not exist yet."""
    if sys.platform == "linux":
        # As platformdirs says it, without the 40 ms that its import takes.
        root = os.environ.get("XDG_CACHE_HOME", "").strip()
        return Path(root if root.startswith("/") else "~/.cache").expanduser() / "restwright"
    from platformdirs import user_cache_path

    return user_cache_path("restwright")


def is_cache_on() -> bool:
    """Whether caches are read and written (`RESTWRIGHT_CACHE` is not `off`)."""
    return os.environ.get("RESTWRIGHT_CACHE", "").strip().lower() != "off"


def read_state(kind: FolderKind, name: str) -> bytes | None:
    """
    Return what `write_state()` kept, or None where there is nothing that can be believed.

    Args:
        kind: The folder.
        name: Letters, digits, `.`, `_` and `-`; the names are hashes or hold one.
    """
    path = _state_path(kind, name)
    return read_private_file(path) if is_cache_on() else None


def read_private_file(path: Path) -> bytes | None:
    """Return what a file holds, or None where nobody but this user can be trusted to have it."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _BINARY)
        with os.fdopen(handle, "rb") as file:
            return file.read() if _is_trusted_file(os.fstat(handle)) else None
    except OSError:
        return None


def write_state(kind: FolderKind, name: str, data: bytes) -> None:
    """
    Keep `data` under `name`: whole or not at all, also when several processes write it.

    A folder that cannot be written is no error, and neither is a full disk.
    """
    path = _state_path(kind, name)
    if not is_cache_on() or len(data) > MAX_STATE_BYTES:
        return
    with suppress(OSError):
        make_private_folder(path.parent)
        _replace_file(path, data)
        _prune_files(path.parent)


@contextmanager
def lock_state(kind: FolderKind, name: str) -> Generator[None]:
    """
    Keep other processes from doing the same for `name` meanwhile; threads are the caller's affair.

    Where nothing can be written, or locked, nobody is kept from anything.
    """
    path = _state_path(kind, f"{name}.lock")
    handle = None
    if is_cache_on() and sys.platform != "win32":
        with suppress(OSError):
            make_private_folder(path.parent)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            _lock_file(handle)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock_file(handle: int) -> None:
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX)


def find_state_folder(kind: FolderKind, name: str) -> Path | None:
    """Return the folder that `create_state_folder()` kept; None where none can be believed."""
    path = _state_path(kind, name)
    if not is_cache_on():
        return None
    with suppress(OSError):
        found = path.stat(follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode) and _is_private(found):
            # What is used stays longest.
            os.utime(path)
            return path
    return None


@contextmanager
def create_state_folder(kind: FolderKind, name: str) -> Generator[Path]:
    """
    An empty folder that is kept under `name` when the block ends, whole or not at all.

    What was kept before is replaced. Files in it become private.

    Raises:
        OSError: It cannot be written.
    """
    import shutil
    import tempfile

    path = _state_path(kind, name)
    make_private_folder(path.parent)
    made = Path(tempfile.mkdtemp(dir=path.parent, prefix=_NEW))
    try:
        yield made
        for file, _ in list(_walk_files(made)):
            file.chmod(0o600)
        _swap_folder(made, path)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _swap_folder(made: Path, path: Path) -> None:
    """Rename a folder; a folder that is there moves away first."""
    old = made.with_name(made.name + "-old")
    with suppress(OSError):
        path.rename(old)
    try:
        made.rename(path)
    except OSError:
        # Another process was faster.
        if not path.is_dir():
            raise
    finally:
        import shutil

        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def create_state_file(kind: FolderKind, name: str) -> Generator[Path]:
    """
    An empty private file for somebody else to fill, kept under `name` when the block ends.

    It is kept whole or not at all, with the hash of what it holds; what was kept under that name
    before is replaced. Where the block raises nothing is kept.

    Raises:
        OSError: It cannot be written.
    """
    import tempfile

    path = _state_path(kind, name)
    make_private_folder(path.parent)
    handle, text = tempfile.mkstemp(dir=path.parent, prefix=_NEW)
    os.close(handle)
    made = Path(text)
    try:
        yield made
        kept = path.with_name(f"{name}.{_hash_file(made)}")
        made.replace(kept)
        for other in path.parent.glob(f"{name}.*"):
            if other != kept:
                other.unlink(missing_ok=True)
        _prune_files(path.parent, MAX_PREFIX_BYTES)
    finally:
        made.unlink(missing_ok=True)


def find_state_file(kind: FolderKind, name: str) -> Path | None:
    """
    Return the file that `create_state_file()` kept; None where none can be believed.

    One whose hash is another one is damaged, and is deleted.
    """
    path = _state_path(kind, name)
    if not is_cache_on():
        return None
    with suppress(OSError):
        for found in path.parent.glob(f"{name}.*"):
            kept = found.stat(follow_symlinks=False)
            if not stat.S_ISREG(kept.st_mode) or not _is_private(kept):
                continue
            if found.name == f"{name}.{_hash_file(found)}":
                # What is used stays longest.
                os.utime(found)
                return found
            found.unlink(missing_ok=True)
    return None


def _hash_file(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def prune_state_folders(kind: FolderKind) -> None:
    """Remove the folders that were not used for longest while there is too much of a kind."""
    import shutil

    with suppress(OSError), os.scandir(cache_folder() / kind) as entries:
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        sizes = {
            folder.path: sum(found.st_size for _, found in _walk_files(Path(folder.path)))
            for folder in folders
        }
        whole = sum(sizes.values())
        for folder in sorted(folders, key=lambda folder: folder.stat().st_mtime):
            if whole <= MAX_FOLDER_BYTES:
                return
            shutil.rmtree(folder.path, ignore_errors=True)
            whole -= sizes[folder.path]


def clear_state() -> tuple[int, int]:
    """
    Delete every file of every kind; models stay.

    Returns:
        How many files there were, and their bytes.
    """
    files = size = 0
    for kind in get_args(FolderKind):
        for path, found in list(_walk_files(cache_folder() / kind)):
            with suppress(OSError):
                path.unlink()
                files, size = files + 1, size + found.st_size
        _remove_empty(cache_folder() / kind)
    return files, size


def _remove_empty(folder: Path) -> None:
    """Remove the folders in `folder` that have no files any more."""
    for path, _, _ in os.walk(folder, topdown=False):
        if path != str(folder):
            with suppress(OSError):
                Path(path).rmdir()


_BINARY = getattr(os, "O_BINARY", 0)


def _state_path(kind: FolderKind, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a cached file")
    return cache_folder() / kind / name


def _is_trusted_file(found: os.stat_result) -> bool:
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_STATE_BYTES:
        return False
    return _is_private(found)


def _is_private(found: os.stat_result) -> bool:
    """Whether nobody else could have changed it."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def make_private_folder(folder: Path) -> None:
    """
    Make a folder of the caches, which only this user can enter, and the one that it is in.

    Raises:
        OSError: It cannot be made.
    """
    _make_private(folder.parent)
    _make_private(folder)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform != "win32" and folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def write_private_file(path: Path, data: bytes) -> None:
    """
    Write a file that the user named, for this user alone: whole, or what was there stays.

    Raises:
        OSError: It cannot be written.
    """
    _replace_file(path, data)


def _replace_file(path: Path, data: bytes) -> None:
    import tempfile

    # `mkstemp` makes a file of mode 0600 whatever the umask.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_NEW)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _prune_files(folder: Path, max_bytes: int = MAX_FOLDER_BYTES) -> None:
    """Delete the oldest files beyond `max_bytes`, and what killed processes left half written."""
    files = sorted(_walk_files(folder), key=lambda each: each[1].st_mtime)
    size = sum(found.st_size for _, found in files)
    abandoned = time.time() - _ABANDONED_S
    for path, found in files:
        is_abandoned = path.name.startswith(_NEW) and found.st_mtime < abandoned
        if size <= max_bytes and not is_abandoned:
            continue
        path.unlink(missing_ok=True)
        size -= found.st_size


def _walk_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_file(follow_symlinks=False):
                    yield Path(entry.path), entry.stat(follow_symlinks=False)
                elif entry.is_dir(follow_symlinks=False):
                    yield from _walk_files(Path(entry.path))
