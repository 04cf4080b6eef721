"""Pieces of a page in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Cell = str | float | int | None


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[str]:
    """A table; what is not there is an empty cell."""
    lines = [[*head], ["---"] * len(head), *([cell(each) for each in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def cell(value: Cell) -> str:
    """A value as text: large numbers with commas, and no bar that would end the cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("|", "\\|").replace("\n", " ")
    return f"{value:,.10g}" if isinstance(value, float) else f"{value:,}"


def missing(what: str, command: str) -> list[str]:
    """The line that stands where a result is not there."""
    return [f"No result of {what} yet; `{command}` makes it."]


def joined(parts: Iterable[Sequence[str]]) -> str:
    """Parts of lines as one text, an empty line between two of them."""
    return "\n\n".join("\n".join(each) for each in parts if each) + "\n"
