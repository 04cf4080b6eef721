"""Files that arguments name, read from the folder that the user allows."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.errors import UsageError

if TYPE_CHECKING:
    from restwright.calls.request.files import FileReader
    from restwright.jsontypes import JsonObject
    from restwright.tools.tool import Tool


def load_argument_files(tool: Tool, arguments: JsonObject, folder: Path | None) -> JsonObject:
    """
    Put the files that arguments name by a path in the place of the paths.

    Args:
        folder: Where they must lie; None where none may be read.

    Raises:
        UsageError: One cannot be read, or may not.
    """
    from restwright.calls.request.encode import Unwritable
    from restwright.calls.request.files import embed_files

    try:
        return embed_files(
            tool, arguments, read=_refuse_file if folder is None else _make_file_reader(folder)
        )
    except Unwritable as error:
        raise UsageError(f"a file is too large: {error} is expected") from error


def _refuse_file(path: str) -> bytes:
    raise UsageError(f"{path} is not read without --allow-files DIR")


def _make_file_reader(folder: Path) -> FileReader:
    from restwright.calls.request.files import MAX_FILE_BYTES

    def read(path: str) -> bytes:
        try:
            found = Path(path).resolve(strict=True)
            if not found.is_relative_to(folder.resolve()):
                raise UsageError(f"{path} is not in the folder {str(folder)!r} of --allow-files")
            # Opened without waiting: a pipe would keep the command for ever.
            number = os.open(found, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(number, "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise UsageError(f"{path} is no file")
                return file.read(MAX_FILE_BYTES + 1)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {path}: {error}") from error

    return read
