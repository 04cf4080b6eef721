"""What a chat asks of the terminal and the system beside printing: its clipboard, and an editor."""

from __future__ import annotations

import base64
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from typer import BadParameter

LONGEST_COPY = 74_994
"""Bytes that terminals take of one copy."""


def copy_text(text: str) -> None:
    """
    Put a text into the clipboard of the terminal, also over SSH.

    Source: XTerm Control Sequences, "Operating System Commands", 52.

    Raises:
        BadParameter: There is no terminal, or the text is longer than terminals take.
    """
    content = text.encode()
    if not sys.stderr.isatty():
        raise BadParameter("/copy needs a terminal")
    if len(content) > LONGEST_COPY:
        raise BadParameter(f"/copy: {len(content):,} bytes are too many; /save FILE takes them")
    sys.stderr.write(f"\x1b]52;c;{base64.b64encode(content).decode()}\x07")
    sys.stderr.flush()


def edit_text(text: str) -> str:
    """
    Have a text edited in `$VISUAL` or `$EDITOR`, and return it.

    Raises:
        BadParameter: There is no editor, or it failed; nothing is said then.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    # A file of its own, for this user alone.
    with tempfile.TemporaryDirectory(prefix="restwright-") as folder:
        path = Path(folder) / "message.md"
        path.write_text(text, "utf-8")
        try:
            ended = subprocess.run([*shlex.split(named), str(path)], check=False)  # noqa: S603
        except (OSError, ValueError) as error:
            raise BadParameter(f"/edit: {named} cannot be run ({error}); set EDITOR") from None
        if ended.returncode:
            raise BadParameter(f"/edit: {named} ended with {ended.returncode}; nothing was sent")
        return path.read_text("utf-8").strip()
