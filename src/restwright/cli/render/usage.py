"""What was counted of the use of tools: kept with `--count`, shown by `index --usage`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, counted

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.catalog.usage import ToolUsage, UsageCounter

_COLUMNS = ("offered", "called", "failed", "mismatched", "repaired")


def keep(counter: UsageCounter, out: Output) -> None:
    """Add to what is counted. That it cannot be is no reason to fail."""
    from restwright.net.counters import add_counts, usage_file

    try:
        add_counts(usage_file(), counter.counts)
    except OSError as error:
        out.note(f"not counted: {error.strerror} ({error.filename})")


def usage_json(catalog: Catalog) -> JsonObject:
    """Uses of the tools of a catalog that were used at all, and what they suggest."""
    from restwright.tools.catalog.usage import advise_on_usage

    uses = _uses(catalog)
    return {
        "tools": [use.to_json() for use in uses if use.offered or use.called],
        "advice": [
            {"tool": usage_advice.tool, "what": usage_advice.what}
            for usage_advice in advise_on_usage(uses)
        ],
    }


def print_usage(catalog: Catalog, out: Output) -> None:
    """Print uses, the most called first, and what they suggest."""
    from restwright.tools.catalog.usage import advise_on_usage

    uses = _uses(catalog)
    used = sorted((use for use in uses if use.offered or use.called), key=_rank)
    rows = [
        (tool_usage.tool, *(str(getattr(tool_usage, name)) for name in _COLUMNS))
        for tool_usage in used
    ]
    if sys.stdout.isatty() and rows:
        from restwright.cli.render.tables import print_table

        print_table(("tool", *_COLUMNS), rows)
    else:
        for row in rows:
            out.text("\t".join(row))
    for usage_advice in advise_on_usage(uses):
        out.note(str(usage_advice))
    if not rows:
        out.note("nothing was counted yet; `call` and `ask` count with --count")
    else:
        out.note(f"{counted(len(uses) - len(rows), 'tool')} never used")


def _rank(use: ToolUsage) -> tuple[int, int, str]:
    return -use.called, -use.offered, use.tool


def _uses(catalog: Catalog) -> tuple[ToolUsage, ...]:
    from restwright.net.counters import read_counts, usage_file
    from restwright.tools.catalog.usage import count_usage

    return count_usage(catalog.names, read_counts(usage_file()))
