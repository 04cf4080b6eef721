"""`restwright.lock`: found, held to, and written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.errors import UsageError
from restwright.workspace.output_files import write_whole

if TYPE_CHECKING:
    from restwright.mcp_client.server import MCPServer
    from restwright.openapi.model import API
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.catalog.lock import Drift, Lock
    from restwright.workspace.settings import CatalogSettings

FILE_NAME = "restwright.lock"
_MODE = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """A lock file as it was read; `text` is empty where there is none yet."""

    path: Path
    text: str
    lock: Lock


def find_lock_file(settings: CatalogSettings) -> LockFile | None:
    """
    The lock that a command holds to: `--lock FILE`, or that of the working directory.

    Raises:
        UnusableLock: It cannot be read, or is none.
        UsageError: The user wants one, and there is none.
    """
    path = settings.lock or Path(FILE_NAME)
    if path.exists():
        return read_lock_file(path)
    if settings.lock or settings.locked:
        raise UsageError(
            f"there is no {path}",
            setting="--lock" if settings.lock else "--locked",
            next_move="make it by `restwright index DOC... --update`",
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


def build_locked_catalog(
    apis: Sequence[API],
    settings: CatalogSettings,
    warn: Callable[[str], None] | None,
    *,
    servers: Sequence[MCPServer] = (),
) -> Catalog:
    """
    The tools of `apis` and of servers under the names of the lock.

    A tool of a server that is not what it was when it was locked is left out.

    Raises:
        Drifted: One is not as it was locked, and `--locked` was given.
    """
    from restwright.tools.catalog.catalog import catalog

    options = settings.tool_options
    everything = [*apis, *(server.api for server in servers)]
    if (lock := find_lock_file(settings)) is None:
        return _attach_servers(catalog(*everything, options=options), servers)
    from restwright.tools.catalog.lock import catalog_from_lock, detect_drift

    whole = catalog_from_lock(lock.lock, *everything, options=options)
    if warn is None and not settings.locked and not servers:
        return whole
    drifts = detect_drift(lock.lock, whole)
    _report_drift(drifts, lock.path, warn, is_locked=settings.locked)
    changed = [drift.name for drift in drifts if drift.kind == "changed"]
    return _attach_servers(whole, servers, changed)


def _attach_servers(
    made: Catalog, servers: Sequence[MCPServer], changed: Sequence[str] = ()
) -> Catalog:
    """
    Let the tools of servers be carried out by these.

    Args:
        changed: Tools that are not as they were locked. Those of servers are left out: what a
            server says of a tool may have been written to mislead.
    """
    if not servers:
        return made
    from restwright.mcp_client.server import attach_servers

    names = {server.name for server in servers}
    entries = {
        name: entry
        for name, entry in made.entries.items()
        if name not in changed or entry.namespace not in names
    }
    return attach_servers(replace(made, entries=entries), servers)


def _report_drift(
    drifts: Sequence[Drift], path: Path, warn: Callable[[str], None] | None, *, is_locked: bool
) -> None:
    if is_locked and drifts:
        from restwright.errors import Drifted

        raise Drifted(str(path), drifts)
    several = [drift for drift in drifts if drift.kind != "unlocked"]
    if warn is not None and several:
        operations = f"{len(several):,} operation{'' if len(several) == 1 else 's'}"
        warn(f"{operations} not as locked in {path}; see `restwright index DOC...`")


def update_lock_file(
    apis: Sequence[API], settings: CatalogSettings
) -> tuple[Catalog, Path, tuple[Drift, ...]]:
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

    options = settings.tool_options
    before = read_lock_file(settings.lock or Path(FILE_NAME))
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
