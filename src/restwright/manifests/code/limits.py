"""What code of a manifest may use up, and where it may reach."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from restwright.errors import UnusableCode
from restwright.net.policy.hosts import AllowedHost

MIB = 2**20

Network: TypeAlias = Literal["none", "host"]
"""
`none`: no network, the loopback interface included. `host`: the network of this machine as any
program has it; the guard of `net/` does not stand before it.
"""

ProcessStopReason: TypeAlias = Literal[
    "", "seconds", "computing", "memory", "processes", "files", "output", "died"
]
"""What ended the process: a limit, or itself (`died`); empty where it goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """
    What one process of code, with all that it starts, may use.

    Args:
        seconds: Of one call or cell.
        start_seconds: Until the process is ready: what it takes to import.
        cpu_seconds: Of computing by one process over its whole life.
        memory_bytes: Of all processes together, and of each one.
        processes: At a time, threads included where the system counts them.
        file_bytes: Of one file.
        folder_bytes: Of all files in the folder of the process.
        open_files: At a time, in each process.
        output_chars: Of what is printed; more is cut, and 50 times as much ends the process.
        result_bytes: Of a result or an image.
        arguments_bytes: Of the arguments, or of a cell.
    """

    seconds: float = 30.0
    start_seconds: float = 30.0
    cpu_seconds: int = 120
    memory_bytes: int = 512 * MIB
    processes: int = 32
    file_bytes: int = 16 * MIB
    folder_bytes: int = 64 * MIB
    open_files: int = 128
    output_chars: int = 20_000
    result_bytes: int = MIB
    arguments_bytes: int = MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSettings:
    """
    How a module is run.

    Args:
        roots: Folders that the file must lie in; without any, the folder that it is in.
        reads: Files and folders that the code may read too, besides Python's own and the module's.
            Each stands in the folder of its process: a relative path as it is written, another one
            under its own name.
        writes: The same, which the code may change as well.
        network: Whether there is any.
        hosts: Where there is none, those that may be asked all the same, by HTTP and HTTPS.
    """

    limits: ProcessLimits = ProcessLimits()
    roots: tuple[Path, ...] = ()
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: Network = "none"
    hosts: tuple[AllowedHost, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookSettings:
    """
    How a notebook is run.

    Args:
        path: The `.ipynb` file that is written after every cell; without it none is.
        reads: Files and folders that the code may read; each stands in the folder of the kernel: a
            relative path as it is written, another one under its own name.
        writes: The same, which the code may change as well.
        network: Whether there is any.
        hosts: Where there is none, those that may be asked all the same, by HTTP and HTTPS.
        max_images: Kept of one cell.
    """

    limits: ProcessLimits = ProcessLimits(
        seconds=60.0, memory_bytes=2048 * MIB, processes=64, result_bytes=4 * MIB, open_files=512
    )
    path: Path | None = None
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: Network = "none"
    hosts: tuple[AllowedHost, ...] = ()
    max_images: int = 8


def resolve_inside(path: Path, roots: tuple[Path, ...]) -> Path:
    """
    The file that `path` leads to, symbolic links followed.

    Raises:
        UnusableCode: It is no file, or lies outside of all `roots`.
    """
    try:
        found = path.resolve(strict=True)
        allowed = [root.resolve(strict=True) for root in roots or (path.absolute().parent,)]
    except (OSError, ValueError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no path"
        raise UnusableCode(str(path), f"it cannot be opened ({why})", "check `module`") from error
    if not any(found.is_relative_to(root) for root in allowed):
        why = "it lies outside of the folders of the manifest"
        raise UnusableCode(str(path), why, "move it beside the manifest")
    if not found.is_file() or not os.access(found, os.R_OK):
        raise UnusableCode(str(path), "it is no file that can be read", "check `module`")
    return found


def require_posix(what: str) -> None:
    """
    Refuse where processes cannot be held to limits.

    Raises:
        UnusableCode: On Windows.
    """
    if sys.platform == "win32":
        why = "there is no way here to limit what it uses"
        raise UnusableCode(what, why, "run it on Linux or macOS")
