"""Tables for a terminal. The only module of the commands that imports rich at its top."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from restwright.cli.render.output import counted, printable

if TYPE_CHECKING:
    from restwright.cli.render.tool_list import Row

_INDENT, _GAP = 2, 2
_NARROW = 20
# What a name, a path and a headline may take of a line, and who is given what another leaves.
_SHARES = (0.42, 0.25, 0.33)
_FIRST_SERVED = (0, 2, 1)
# What 19 of 20 cells need comes first: one long name is not paid for by every line.
_USUAL = 0.95
_LONGEST_HEADLINE = 90


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print `rows` under `titles` on standard output; text is never read as markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(highlight=False).print(table)


def print_groups(title: str, groups: Mapping[str, Sequence[Row]]) -> None:
    """Print tools group by group under their number, one a line, in columns as wide as it is."""
    width = width_of_terminal()
    print_title(title, width=width)
    widths = _widths([row for rows in groups.values() for row in rows], width)
    for name, rows in groups.items():
        print()
        if name or len(groups) > 1:
            print_title(f"{name or 'others'} ({counted(len(rows), 'tool')})", width=width)
        for row in rows:
            print(_line(row, widths))
    print()


def print_title(text: str, *, width: int | None = None) -> None:
    """Print a heading on one line."""
    line = Text(_end_shortened(printable(text), width or width_of_terminal()).rstrip())
    line.stylize("bold")
    Console(highlight=False, soft_wrap=True).print(line)


def width_of_terminal() -> int:
    """Columns of the terminal; 80 where it does not say."""
    return shutil.get_terminal_size().columns


def _widths(rows: Sequence[Row], width: int) -> tuple[int, int, int, int]:
    """Of name, method, path and headline; together no wider than a line."""
    method = max((len(row.method) for row in rows), default=0)
    room = max(width - _INDENT - method - 3 * _GAP, _NARROW)
    columns = _columns(rows)
    given = [0, 0, 0]
    for wanted in _WANTED:
        natural = [wanted(sorted(map(cell_len, column))) for column in columns]
        for index, share in enumerate(_SHARES):
            given[index] = max(given[index], min(natural[index], int(room * share)))
        for index in _FIRST_SERVED:
            given[index] += max(0, min(natural[index] - given[index], room - sum(given)))
    # The last column costs nobody anything.
    given[2] = room - given[0] - given[1]
    return given[0], method, given[1], given[2]


def _columns(rows: Sequence[Row]) -> tuple[Sequence[str], ...]:
    headlines = [_headline(row)[:_LONGEST_HEADLINE] for row in rows]
    return [row.name for row in rows], [row.path for row in rows], headlines


def _usual(lengths: Sequence[int]) -> int:
    return lengths[int((len(lengths) - 1) * _USUAL)] if lengths else 0


def _longest(lengths: Sequence[int]) -> int:
    return lengths[-1] if lengths else 0


def _headline(row: Row) -> str:
    return f"[deprecated] {row.headline}".rstrip() if row.deprecated else row.headline


def _line(row: Row, widths: tuple[int, int, int, int]) -> str:
    cells = (
        _middle_shortened(row.name, widths[0], head=1 / 2),
        set_cell_size(row.method, widths[1]),
        # The end of a path tells more than its beginning, which many share.
        _middle_shortened(row.path, widths[2], head=1 / 3),
        _end_shortened(_headline(row), widths[3]),
    )
    return (" " * _INDENT + (" " * _GAP).join(cells)).rstrip()


def _end_shortened(text: str, width: int) -> str:
    """`text` in exactly `width` columns, its beginning where it is longer."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    mark = _mark()
    return set_cell_size(text, width - len(mark)).rstrip() + mark


def _middle_shortened(text: str, width: int, *, head: float) -> str:
    """`text` in exactly `width` columns, its two ends where it is longer; `head` is a share."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    mark = _mark()
    first = int((width - len(mark)) * head)
    last = width - len(mark) - first
    return set_cell_size(text, first) + mark + set_cell_size(text[::-1], last)[::-1]


def _mark() -> str:
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    return "…" if is_unicode else "..."


_WANTED = (_usual, _longest)
