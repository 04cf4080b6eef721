"""
What commands print about one document; `python -m tests.cli.regen` writes it to `tests/golden/cli`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from restwright.cli import main

FOLDER = Path(__file__).parents[1] / "golden" / "cli"
DOCUMENT = "harbour.yaml"
STYLE = re.compile(r"\x1b\[[0-9;]*m")

# The width of a terminal, or None for no terminal.
GOLDEN: Mapping[str, tuple[int | None, tuple[str, ...]]] = {
    "tools.txt": (None, ("tools", DOCUMENT)),
    "tools.80.txt": (80, ("tools", DOCUMENT)),
    "tools.120.txt": (120, ("tools", DOCUMENT)),
    "problems.txt": (None, ("tools", DOCUMENT, "--problems")),
    "problems.60.txt": (60, ("tools", DOCUMENT, "--problems")),
    "show.txt": (None, ("show", DOCUMENT, "list_berths", "--lean")),
    "show-route.txt": (None, ("show", DOCUMENT, "confirm_reservation_of_berth_by_its_number")),
    "show-part.txt": (None, ("show", DOCUMENT, "list_berths", "/$defs/Filter/properties/side")),
    "show-dialect.txt": (None, ("show", DOCUMENT, "get_berth", "--dialect", "openai-strict")),
    "index.txt": (None, ("index", DOCUMENT, "again=harbour.yaml")),
    "index.100.txt": (100, ("index", DOCUMENT, "again=harbour.yaml")),
}


class Terminal(io.StringIO):
    """Where a command believes that people read."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def printed(name: str) -> str:
    """What the command of a golden file prints on standard output; styles are taken out."""
    width, argv = GOLDEN[name]
    out = Terminal() if width else io.StringIO()
    with (
        _columns(width),
        contextlib.chdir(FOLDER),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(out),
    ):
        main(argv)
    return STYLE.sub("", out.getvalue())


@contextlib.contextmanager
def _columns(width: int | None) -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width or 80)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def write() -> None:
    """Write every golden file."""
    for name in GOLDEN:
        (FOLDER / name).write_text(printed(name), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
