"""Files that a user asks for: written in one piece, or anew."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """
    Write `content` to `path` in one piece: a reader sees the old file or the new one.

    Text is written as UTF-8.

    Raises:
        OSError: It cannot be written; names `path`.
    """
    import os
    import tempfile

    with _named(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def _named(path: Path) -> Generator[None]:
    """Have errors name a file; one beside it is nothing that the user has heard of."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def check_writable(path: Path) -> None:
    """
    Find out whether `write_whole` could write to `path`, and leave nothing behind.

    Raises:
        OSError: It could not; names `path`.
    """
    import errno
    import os
    import tempfile

    with _named(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass


def write_new(path: Path, text: str) -> None:
    """
    Write `text` to a file that is not there yet.

    Raises:
        FileExistsError: It is.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def named_from(source: str, output: Path | None) -> str:
    """How a file at `output` names a document: by its URL, or from the file's own folder."""
    from restwright.openapi.load.source import is_url_source

    if is_url_source(source):
        return source
    folder = output.parent if output is not None else Path()
    return Path(os.path.relpath(source, folder)).as_posix()
