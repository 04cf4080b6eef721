"""Tables for a terminal. The only module of the commands that imports rich at its top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from restwright.cli.output import printable


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print `rows` under `titles` on standard output; text is never read as markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(highlight=False).print(table)
