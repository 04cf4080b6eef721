"""The list of tools: columns that fit for people, lines for scripts. Parses and builds nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, counted, one_line

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, CatalogEntry

_NO_GROUP = "/"
# No tag is empty, so that no group has this name.
_OTHERS = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One tool of the list."""

    name: str
    method: str
    path: str
    headline: str
    deprecated: bool = False


def print_list(catalog: Catalog, out: Output, *, more: str = "; see --problems") -> None:
    """
    Print the tools of `catalog`: grouped on a terminal, else one a line between tabs.

    Args:
        more: Stands behind how many there are.
    """
    if not sys.stdout.isatty():
        for name, entry in catalog.entries.items():
            out.text(_between_tabs(_row(name, entry)))
        out.note(f"{_totals(catalog.entries.values())}{more}")
        return
    from restwright.cli.render.tables import print_groups

    for namespace, api in sorted(catalog.apis.items()):
        own = [
            catalog_entry
            for catalog_entry in catalog.entries.values()
            if catalog_entry.namespace == namespace
        ]
        title = f": {one_line(api.title)}" if api.title else ""
        print_groups(f"{namespace}, {_totals(own)}{title}", grouped(own))
    out.text(f"{_totals(catalog.entries.values())}{more}")


def _between_tabs(row: Row) -> str:
    # At the end, where the terminal has it at the beginning: nothing is cut off here.
    mark = " [deprecated]" if row.deprecated else ""
    return "\t".join((row.name, row.method, row.path, f"{row.headline}{mark}".lstrip()))


def grouped(entries: Sequence[CatalogEntry]) -> dict[str, list[Row]]:
    """`{first tag, else a word of the path: tools}` of one namespace, in the order of names."""
    paths = [
        _words(catalog_entry.operation.path)
        for catalog_entry in entries
        if not catalog_entry.operation.tags
    ]
    shared = len(_common([path for path in paths if len(path) > 1]))
    groups: dict[str, list[Row]] = {}
    for entry in entries:
        groups.setdefault(_group(entry, shared), []).append(_row(entry.operation_name, entry))
    return _with_others(groups)


def _with_others(groups: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Groups in the order of their names; those of one tool are joined at the end."""
    single = [name for name, rows in groups.items() if len(rows) == 1]
    if len(single) == 1:
        single = []
    several = sorted(groups.keys() - set(single), key=lambda name: (name.casefold(), name))
    others = [groups[name][0] for name in single]
    joined = {_OTHERS: others} if others else {}
    return {name: groups[name] for name in several} | joined


def _group(entry: CatalogEntry, shared: int) -> str:
    """The first tag, else the first word of the path that is not the beginning of all of them."""
    if entry.operation.tags and (tag := one_line(entry.operation.tags[0])):
        return tag
    words = _words(entry.operation.path)
    return one_line(words[min(shared, len(words) - 1)]) if words else _NO_GROUP


def _words(path: str) -> list[str]:
    return [part for part in path.split("/") if part and not part.startswith("{")]


def _common(paths: Sequence[Sequence[str]]) -> list[str]:
    columns = zip(*paths, strict=False)
    return [column[0] for column in takewhile(lambda column: len({*column}) == 1, columns)]


def _row(name: str, entry: CatalogEntry) -> Row:
    operation = entry.operation
    return Row(
        name=name,
        method=one_line(operation.method.upper()),
        path=one_line(operation.path),
        headline=one_line(operation.headline),
        deprecated=operation.deprecated,
    )


def _totals(entries: Iterable[CatalogEntry]) -> str:
    from restwright.tools.safety import classify_by_name

    is_read = [classify_by_name(entry.operation) == "read" for entry in entries]
    reads = sum(is_read)
    rest = f"{counted(reads, 'read')}, {counted(len(is_read) - reads, 'write')}"
    return f"{counted(len(is_read), 'tool')} ({rest})"
