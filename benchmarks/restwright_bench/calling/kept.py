"""Results that are kept in a file, one JSON object a line, each as soon as it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from restwright.jsontypes import JsonObject


def append(file: Path, record: JsonObject) -> None:
    """Add a record; on a line of its own also after one that was cut off."""
    file.parent.mkdir(parents=True, exist_ok=True)
    before = "\n" if file.is_file() and _is_cut_off(file) else ""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{before}{json.dumps(record, ensure_ascii=False)}\n")


def records(file: Path) -> Iterator[JsonObject]:
    """Yield the records of a file; none where there is no file. A line cut off is left out."""
    if not file.is_file():
        return
    # Not `splitlines()`: a reply may hold separators that JSON leaves as they are.
    for line in file.read_text(encoding="utf-8").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _is_cut_off(file: Path) -> bool:
    content = file.read_bytes()
    return bool(content) and not content.endswith(b"\n")
