"""Environments of Python for programs of others, each of its own, in `.clients`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".clients"


def install(name: str, packages: tuple[str, ...]) -> Path | None:
    """The Python of a client; None where it cannot be had."""
    folder = FOLDER / name
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    if ready.exists():
        return python
    uv = shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", "3.11", folder],
        [uv, "pip", "install", "--quiet", "--python", folder, *packages],
    ):
        ended = subprocess.run(command, check=False, capture_output=True)  # noqa: S603
        if ended.returncode:
            return None
    ready.touch()
    return python
