"""Tools that were found, best first."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from restwright.tools.search import SearchResult

_COLUMNS = ("tool", "score", "summary", "why")


def print_found(results: Sequence[SearchResult], out: Output) -> None:
    """Print the tools that were found: a table on a terminal, else one a line between tabs."""
    rows = [
        (
            search_result.name,
            f"{search_result.score:.2f}",
            one_line(search_result.tool.operation.headline),
            one_line(search_result.why),
        )
        for search_result in results
    ]
    if not rows:
        out.note("no tool has any of these words")
    if rows and sys.stdout.isatty():
        from restwright.cli.render.tables import print_table

        print_table(_COLUMNS, rows)
        return
    for row in rows:
        out.text("\t".join(row))
