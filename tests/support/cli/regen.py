"""
What commands print about one document, and the page about all commands.

`python -m tests.support.cli.regen` writes the one to `tests/golden/cli` and the other to
`docs/cli.md`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.support.cli.page import PAGE, page

from restwright.cli import main

FOLDER = Path(__file__).parents[2] / "golden" / "cli"
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
    return run(argv, width=width)


def run(argv: Sequence[str], *, width: int | None = None) -> str:
    """What a command prints on standard output; styles are taken out."""
    out = Terminal() if width else io.StringIO()
    with (
        _columns(width),
        contextlib.chdir(FOLDER),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(out),
    ):
        main(argv)
    return STYLE.sub("", out.getvalue())


def help_of(command: str) -> str:
    """What a command says about itself."""
    return run((*command.split(), "--help"))


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
    """Write every golden file, and the page."""
    for name in GOLDEN:
        (FOLDER / name).write_text(printed(name), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), help_of), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
