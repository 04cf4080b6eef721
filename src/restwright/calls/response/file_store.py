"""Responses that are no text, kept as files that only this user can read."""

from __future__ import annotations

import os
import re
import sys
from itertools import count
from pathlib import Path

from restwright.net.messages import Response

# What the file is called after its media type; the platform's own tables differ.
_ENDINGS = {
    "application/gzip": ".gz",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "video/mp4": ".mp4",
}
_FILE_NAME = re.compile(r'filename="?([^";]{1,1000})', re.IGNORECASE)
_MAX_NAME = 80
_MAX_TRIES = 10_000
# Names of devices on Windows, whatever their ending.
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def files_folder() -> Path:
    """Return the folder where this user's files are kept; it may not exist yet."""
    if sys.platform == "linux":
        # As platformdirs says it, without the 40 ms that its import takes.
        root = os.environ.get("XDG_DATA_HOME", "").strip()
        root = root if root.startswith("/") else "~/.local/share"
        return Path(root).expanduser() / "restwright" / "files"
    from platformdirs import user_data_path

    return user_data_path("restwright") / "files"


def store_body(response: Response, media_type: str, folder: Path) -> Path:
    """
    Write the body to a new file of mode 0600 in `folder`, which is made (0700) where it is missing.

    The name is what the server suggests, as far as it is harmless. A file that is there already,
    or a link, is never written to: the name gets a number.

    Raises:
        OSError: It cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stem, ending = _safe_name(response, media_type)
    for number in count(1):
        path = folder / (f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}")
        try:
            handle = os.open(path, _NEW_FILE, 0o600)
        except FileExistsError:
            if number >= _MAX_TRIES:
                raise
            continue
        return _write_file(handle, path, response.body)
    raise AssertionError  # `count` has no end


# `O_EXCL` neither overwrites nor follows a link in the last place.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def _write_file(handle: int, path: Path, body: bytes) -> Path:
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _safe_name(response: Response, media_type: str) -> tuple[str, str]:
    """A stem and an ending that are the same file on every platform."""
    found = _FILE_NAME.search(response.header("content-disposition"))
    suggested = found[1] if found else ""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", re.split(r"[/\\]", suggested)[-1])
    name = name.strip("._-")[-_MAX_NAME:].lstrip("._-")
    if not name or _DEVICE.fullmatch(name):
        return "response", _ENDINGS.get(media_type, ".bin")
    stem, dot, ending = name.rpartition(".")
    return (stem, f".{ending}") if dot and stem and ending else (name, "")
