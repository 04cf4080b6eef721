"""Files that a person names in a message, `@notes.md`: their text stands beneath it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from typer import BadParameter

from restwright.cli.render.output import Output, confirmed, counted

LONGEST_FILE = 200_000
"""Characters of a file in a message."""

_NAMED = re.compile(r"(?<!\S)@(?:\"([^\"\n]+)\"|(\S+))")
_MOST_OFFERED = 100


def with_named_files(text: str, out: Output) -> str:
    """
    A message with the text of the files that it names, which is data and no message.

    What is the name of no file stays as it is: it may be that of a person. A file that is hidden or
    not within this folder is asked about: the message may have been pasted.

    Raises:
        BadParameter: A file is no text, or too long.
    """
    from restwright.agents.spotlighting import mark_data_from

    named = {path: None for name in _names(text) if (path := _file(name)) is not None}
    found = [path for path in named if _is_near(path) or confirmed(f"Put {path} in the message?")]
    parts = [text]
    for path in found:
        content = _content(path)
        out.note(f"{'file':<9}{path}, {counted(len(content), 'character')}")
        parts.append(mark_data_from(path.name, content))
    return "\n\n".join(parts)


def file_names(begun: str) -> Iterator[str]:
    """The files and folders whose names begin so, as they stand in a message."""
    folder, _, start = begun.rpartition("/")
    place = Path(folder or ("/" if begun.startswith("/") else ".")).expanduser()
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return
    before = f"{folder}/" if "/" in begun else ""
    for entry in entries[: _MOST_OFFERED * 10]:
        is_hidden = entry.name.startswith(".") and not start.startswith(".")
        if entry.name.lower().startswith(start.lower()) and not is_hidden:
            yield f"{before}{entry.name}{'/' if entry.is_dir() else ''}"


def _names(text: str) -> Iterator[str]:
    for quoted, plain in _NAMED.findall(text):
        if quoted:
            yield quoted
        else:
            # `Compare @a.md, and @b.md.` names two files.
            yield from (plain, plain.rstrip(".,;:!?)'\""))


def _file(name: str) -> Path | None:
    try:
        path = Path(name).expanduser()
        return path if name and path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _is_near(path: Path) -> bool:
    try:
        place = path.resolve().relative_to(Path.cwd().resolve())
    except (OSError, ValueError):
        return False
    return not any(part.startswith(".") for part in place.parts)


def _content(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            content = file.read(LONGEST_FILE + 1)
    except UnicodeDecodeError:
        raise BadParameter(f"@{path}: it is no text in UTF-8") from None
    if len(content) > LONGEST_FILE:
        raise BadParameter(f"@{path}: it has more than {LONGEST_FILE:,} characters")
    return content
