"""What a model says that is asked about the pages of a book."""

from __future__ import annotations

from tests.support.planned import code, filled, planned, select, worded


def said(seed: int) -> tuple[object, ...]:
    """What a model says to the first question in the world of a seed."""
    wanted = {"title": "Persuasion", "ratio": None, "is_lent": None, "tags": None}
    return (
        planned("find the pages of Persuasion"),
        select("search_books"),
        # Of a list that is too long to be read whole, and then of what is narrowed.
        code("data[0]['pages']"),
        filled(**wanted),
        code("data[0]['pages']"),
        worded(f"It has {202 + seed} pages."),
    )
