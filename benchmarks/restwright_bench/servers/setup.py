"""Where servers are installed, and what installs them: only when the user says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_cache_path

from restwright_bench.errors import MissingData, UnusableChoice
from restwright_bench.servers.kinds import SERVERS
from restwright_bench.servers.server import Server

FOLDER_VARIABLE = "RESTWRIGHT_BENCH_SERVERS"
_DONE = ".installed"


def default_folder() -> Path:
    """The folder of all servers: of the environment variable, else in the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    return (
        Path(named) if named else user_cache_path("restwright-bench", appauthor=False) / "servers"
    )


def servers_named(names: Sequence[str], split: str = "all") -> tuple[Server, ...]:
    """
    The servers of some names, or all of a split.

    Raises:
        UnusableChoice: There is no such server, or no such split.
    """
    if unknown := [name for name in names if name not in SERVERS]:
        raise UnusableChoice("NAME", f"there is {', '.join(SERVERS)}; no {unknown[0]}")
    if split not in ("dev", "never-read", "all"):
        raise UnusableChoice("--split", f"there is dev, never-read and all; no {split}")
    chosen = [SERVERS[name] for name in names or SERVERS]
    return tuple(server for server in chosen if split in ("all", server.split))


def is_installed(server: Server, folder: Path) -> bool:
    """Whether setup has finished, with the packages of today."""
    done = folder / server.name / _DONE
    return done.is_file() and done.read_text(encoding="utf-8") == _packages(server)


def installed(server: Server, folder: Path) -> Path:
    """
    Where a server is.

    Raises:
        MissingData: It is not installed.
    """
    if not is_installed(server, folder):
        option = f"--folder, or install it: restwright-bench servers-setup {server.name}"
        raise MissingData(folder, f"the server {server.name}", option)
    return folder / server.name


def install(server: Server, folder: Path, *, again: bool = False) -> bool:
    """Install a server where it is not yet; whether anything was done."""
    if is_installed(server, folder) and not again:
        return False
    place = folder / server.name
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    server.install(place)
    (place / _DONE).write_text(_packages(server), encoding="utf-8")
    return True


def _packages(server: Server) -> str:
    return "\n".join(server.packages)
