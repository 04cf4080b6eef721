"""What a model says that is asked about the pages of a book."""

from __future__ import annotations

from collections.abc import Iterable

from tests.support.planned import FittingModel, code, filled, planned, select, worded

from restwright.testing import Reply

READ = (filled(title="Persuasion"), code("data[0]['pages']"))
FOUND = (*READ, *READ)
"""What finds a book: the list is too long to be read without its title."""


def said(seed: int) -> tuple[Reply, ...]:
    """What a model says to the first question in the world of a seed."""
    return (
        planned("find the pages of Persuasion"),
        select("search_books"),
        *FOUND,
        worded(f"It has {202 + seed} pages."),
    )


def saying(replies: Iterable[Reply]) -> FittingModel:
    """A large model that says that."""
    return FittingModel(tuple(replies), is_small=False)
