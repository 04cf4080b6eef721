"""`restwright.lock`: found, held to, and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.render.output import Output, counted, write_whole

if TYPE_CHECKING:
    from restwright.cli.inputs.options import Named
    from restwright.openapi.model import API
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.catalog.lock import Drift, Lock

FILE_NAME = "restwright.lock"
_MODE = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """A lock file as it was read; `text` is empty where there is none yet."""

    path: Path
    text: str
    lock: Lock


def find_lock_file(named: Named) -> LockFile | None:
    """
    The lock that a command holds to: `--lock FILE`, or that of the working directory.

    Raises:
        UnusableLock: It cannot be read, or is none.
        BadParameter: The user wants one, and there is none.
    """
    path = named.lock or Path(FILE_NAME)
    if path.exists():
        return read_lock_file(path)
    if named.lock or named.locked:
        raise BadParameter(
            f"there is no {path}; make it by `restwright index DOC... --update`",
            param_hint="--lock" if named.lock else "--locked",
        )
    return None


def read_lock_file(path: Path) -> LockFile:
    """
    The lock in a file, or an empty one.

    Raises:
        UnusableLock: It cannot be read, or is none.
    """
    from restwright.errors import UnusableLock
    from restwright.tools.catalog.lock import Lock
    from restwright.tools.catalog.lock_file import parse_lock

    if not path.exists():
        return LockFile(path=path, text="", lock=Lock())
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusableLock(str(path), None, error.strerror or "it cannot be read") from None
    except UnicodeError:
        raise UnusableLock(str(path), None, "it is not UTF-8") from None
    return LockFile(path=path, text=text, lock=parse_lock(text, str(path)))


def build_locked_catalog(apis: Sequence[API], named: Named, out: Output | None) -> Catalog:
    """
    The tools of `apis` under the names of the lock.

    Raises:
        Drifted: One is not as it was locked, and `--locked` was given.
    """
    from restwright.tools.catalog.catalog import catalog

    options = named.tool_options()
    if (lock := find_lock_file(named)) is None:
        return catalog(*apis, options=options)
    from restwright.tools.catalog.lock import catalog_from_lock, detect_drift

    whole = catalog_from_lock(lock.lock, *apis, options=options)
    if out is not None or named.locked:
        _report_drift(detect_drift(lock.lock, whole), lock.path, out, is_locked=named.locked)
    return whole


def _report_drift(
    found: Sequence[Drift], path: Path, out: Output | None, *, is_locked: bool
) -> None:
    if is_locked and found:
        from restwright.errors import Drifted

        raise Drifted(str(path), found)
    several = [each for each in found if each.kind != "unlocked"]
    if out is not None and several:
        said = f"{counted(len(several), 'operation')} not as locked in {path}"
        out.note(f"{said}; see `restwright index DOC...`")


def update_lock_file(apis: Sequence[API], named: Named) -> tuple[Catalog, Path, tuple[Drift, ...]]:
    """
    Accept what has drifted, and write the lock in one piece.

    Returns:
        The catalog, where the lock is, and what was accepted.
    """
    from restwright.tools.catalog.lock import (
        catalog_from_lock,
        detect_drift,
        lock_catalog,
        prune_lock,
    )
    from restwright.tools.catalog.lock_file import format_lock

    options = named.tool_options()
    before = read_lock_file(named.lock or Path(FILE_NAME))
    accepted = detect_drift(before.lock, catalog_from_lock(before.lock, *apis, options=options))
    kept = prune_lock(before.lock, apis)
    whole = catalog_from_lock(kept, *apis, options=options)
    text = format_lock(lock_catalog(whole, kept), before.text)
    if text != before.text:
        # Others read it too: it is no state of this user.
        mode = before.path.stat().st_mode & 0o777 if before.text else _MODE
        write_whole(before.path, text)
        before.path.chmod(mode)
    return whole, before.path, accepted
