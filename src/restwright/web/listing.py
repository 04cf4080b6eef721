"""The tools of a catalog as rows: a part of them at a time, since there may be many thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.safety import classify_by_name

PAGE_SIZE = 100
"""Rows that are sent at once."""
BLOCK_PAGES = 10
"""Pages that follow each other as one scrolls; a browser keeps all of them."""
FOUND_SIZE = 50
"""Tools that a search gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """
    One tool as a line of a list. Nothing of it needs the tool to be built.

    Args:
        why: Why it was found; empty where nothing was searched for.
    """

    name: str
    method: str
    path: str
    headline: str
    namespace: str
    is_read: bool
    is_deprecated: bool
    why: str = ""

    def to_json(self) -> JsonObject:
        """As JSON."""
        return {
            "name": self.name,
            "method": self.method,
            "path": self.path,
            "summary": self.headline,
            "namespace": self.namespace,
            "read_only": self.is_read,
            "deprecated": self.is_deprecated,
            **({"why": self.why} if self.why else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """
    A part of the tools that are asked for.

    Args:
        total: As many are asked for.
        next_page: The number of the next part; None where this one is the last.
        blocks: `(number of its first tool, of its last one, its first page, whether it is here)`,
            where there are more tools than one scrolls through.
    """

    rows: Sequence[ToolRow]
    total: int
    next_page: int | None = None
    blocks: Sequence[tuple[int, int, int, bool]] = ()

    @property
    def ends_block(self) -> bool:
        """Whether one goes on by a link."""
        return self.next_page is not None and (self.next_page - 1) % BLOCK_PAGES == 0


def list_tools(catalog: Catalog, *, namespace: str = "", page: int = 1) -> ToolList:
    """
    One page of the tools, in the order of their names.

    Args:
        namespace: Whose tools; empty for all.
        page: From 1.
    """
    names = [name for name, entry in catalog.entries.items() if namespace in ("", entry.namespace)]
    begin = (max(page, 1) - 1) * PAGE_SIZE
    rows = [make_row(catalog, name) for name in islice(names, begin, begin + PAGE_SIZE)]
    has_more = begin + PAGE_SIZE < len(names)
    return ToolList(
        rows=rows,
        total=len(names),
        next_page=page + 1 if has_more else None,
        blocks=_list_blocks(len(names), begin),
    )


def _list_blocks(total: int, here: int) -> tuple[tuple[int, int, int, bool], ...]:
    size = BLOCK_PAGES * PAGE_SIZE
    if total <= size:
        return ()
    return tuple(
        (begin + 1, min(begin + size, total), begin // PAGE_SIZE + 1, begin <= here < begin + size)
        for begin in range(0, total, size)
    )


def search_tools(catalog: Catalog, query: str, *, namespace: str = "") -> ToolList:
    """The best tools for a text, best first, each with why it was found."""
    found = catalog.search(query, k=FOUND_SIZE)
    rows = [
        make_row(catalog, result.name, result.why)
        for result in found
        if namespace in ("", result.tool.namespace)
    ]
    return ToolList(rows=rows, total=len(rows))


def make_row(catalog: Catalog, name: str, why: str = "") -> ToolRow:
    """One tool as a line."""
    entry = catalog.entries[name]
    operation = entry.operation
    return ToolRow(
        name=name,
        method=operation.method.upper(),
        path=operation.path,
        headline=operation.headline,
        namespace=entry.namespace,
        is_read=classify_by_name(operation) == "read",
        is_deprecated=operation.deprecated,
        why=why,
    )
