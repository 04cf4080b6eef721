"""Which queries are run, and which of them nobody has read."""

from __future__ import annotations

import pytest

from restwright_bench.errors import UnusableChoice
from restwright_bench.queries.sets import SETS, Selection, selection_of, set_of, set_of_line


def indexes(of: Selection, count: int = 30) -> list[int]:
    return [*range(count)][of.first :: of.every]


def test_the_two_sets_have_no_query_and_no_seed_in_common() -> None:
    read, never_read = SETS["read"], SETS["never-read"]
    assert indexes(never_read)[:3] == [2, 7, 12]
    assert not {*indexes(read)} & {*indexes(never_read)}
    assert not {*read.seeds} & {*never_read.seeds}
    assert {set_of(index) for index in indexes(never_read)} == {"never read"}
    assert {set_of(index) for index in indexes(read)} == {"read"}


def test_what_belongs_to_neither_set_counts_as_read() -> None:
    assert [set_of(index) for index in (1, 3, 4)] == ["read"] * 3


def test_a_line_of_before_there_were_sets_is_told_by_its_query() -> None:
    assert set_of_line({"index": 7}) == "never read"
    assert set_of_line({"index": 7, "set": "read"}) == "read"


def test_a_set_or_each_so_manieth_query_is_selected() -> None:
    assert selection_of("never-read") == Selection(first=2, every=5, seeds=(3, 4))
    assert selection_of(None, 3) == Selection(every=3)
    with pytest.raises(UnusableChoice, match="--set: there is read and never-read; no new"):
        selection_of("new")
    with pytest.raises(UnusableChoice, match="--every"):
        selection_of("read", 5)
