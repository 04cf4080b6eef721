"""
The hosts of this machine and of private networks that a user lets the manifests of a folder ask.

They stand in the folder's `restwright.lock`, each with a mark that only this user's cache can make:
a lock that came with somebody else's folder allows nothing.

Source: RFC 2104, "HMAC".
"""

from __future__ import annotations

import hmac
import secrets
import tomllib
from collections.abc import Iterable
from pathlib import Path

from restwright.jsontypes import JsonObject, is_object
from restwright.net.policy.origins import Origin
from restwright.net.storage import read_state, write_state
from restwright.workspace.lock import FILE_NAME, read_lock_file
from restwright.workspace.output_files import write_whole

HOSTS = "hosts"
"""The table of the lock."""

_KEY = "allowed-hosts-key"


def read_allowed_hosts(folder: Path) -> frozenset[str]:
    """
    The origins that this user has allowed for a folder.

    Raises:
        UnusableLock: Its lock cannot be read, or is none.
    """
    key = read_state("tokens", _KEY)
    path = folder / FILE_NAME
    if key is None or not path.exists():
        return frozenset()
    marked: JsonObject = tomllib.loads(read_lock_file(path).text).get(HOSTS, {})
    return frozenset(
        origin
        for origin, mark in (marked.items() if is_object(marked) else ())
        if isinstance(mark, str) and hmac.compare_digest(mark, _make_mark(key, folder, origin))
    )


def keep_allowed_hosts(folder: Path, origins: Iterable[Origin]) -> bool:
    """
    Remember that these may be asked; False where nothing can be kept.

    Raises:
        UnusableLock: The lock of the folder cannot be read, or is none.
        OSError: It cannot be written.
    """
    import tomlkit

    from restwright.tools.catalog.lock import Lock
    from restwright.tools.catalog.lock_file import format_lock

    key = read_state("tokens", _KEY) or _make_key()
    if key is None:
        return False
    path = folder / FILE_NAME
    text = read_lock_file(path).text or format_lock(Lock())
    whole = tomlkit.parse(text)
    table = whole.setdefault(HOSTS, tomlkit.table())
    for origin in map(str, origins):
        table[origin] = _make_mark(key, folder, origin)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    write_whole(path, tomlkit.dumps(whole))
    path.chmod(mode)
    return True


def _make_key() -> bytes | None:
    write_state("tokens", _KEY, secrets.token_bytes(32))
    return read_state("tokens", _KEY)


def _make_mark(key: bytes, folder: Path, origin: str) -> str:
    said = f"{folder.resolve()}\n{origin}".encode("utf-8", "surrogateescape")
    return hmac.new(key, said, "sha256").hexdigest()[:32]
