"""Fetches packages by the ordinary clients of registries, into one folder, as an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from restwright_bench.errors import MissingPart, UnusableChoice

_TOLD = 400


def install_from_pypi(folder: Path, packages: Sequence[str]) -> None:
    """Make a virtual environment with packages in a folder."""
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *packages])


def run_installed(folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Let the Python of a folder that `install_from_pypi` filled prepare what a server needs."""
    _run([str(folder / "bin/python"), *arguments], environment=environment)


def install_from_npm(folder: Path, packages: Sequence[str]) -> None:
    """Install packages into `node_modules` of a folder."""
    options = ("--no-fund", "--no-audit", "--no-update-notifier", "--loglevel=error")
    _run([_found("npm"), "install", *options, "--prefix", str(folder), *packages])


def install_from_debian(folder: Path, packages: Sequence[str]) -> None:
    """Unpack packages, and what they need and is not installed, into a folder; run none of them."""
    apt, dpkg = _found("apt-get"), _found("dpkg-deb")
    planned = _run([apt, "install", "--simulate", "--no-install-recommends", *packages])
    missing = [line.split()[1] for line in planned.splitlines() if line.startswith("Inst ")]
    archives = folder / "archives"
    archives.mkdir(parents=True)
    _run([apt, "download", *dict.fromkeys([*packages, *missing])], archives)
    for archive in sorted(archives.glob("*.deb")):
        _run([dpkg, "-x", str(archive), str(folder)])
    shutil.rmtree(archives)


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise MissingPart(program, "installing this server")
    return path


def _run(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    env = os.environ | dict(environment or {})
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr or done.stdout).strip()[-_TOLD:]
        raise UnusableChoice("NAME", f"{' '.join(command)} failed: {told}")
    return done.stdout
