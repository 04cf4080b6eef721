"""Intervals, and the section that compares kinds of agents."""

from __future__ import annotations

import json

import pytest
from tests.support.bench.small_results import line

from restwright_bench import intervals
from restwright_bench.intervals import Interval
from restwright_bench.page.compared import MEASURES, compared, comparing, differences
from restwright_bench.page.found import Found
from restwright_bench.page.offered import offering

pytest.importorskip("numpy")
SUCCESS, _, EXTRA, *_, SECONDS = MEASURES


@pytest.mark.parametrize(
    ("met", "of", "ends"),
    [(8, 10, (49.0, 94.3)), (0, 10, (0.0, 27.8)), (10, 10, (72.2, 100.0)), (50, 100, (40.4, 59.6))],
)
def test_a_share_has_wilsons_interval(met, of, ends):
    found = intervals.share(met, of)
    assert found is not None
    assert (found.value, round(found.low, 1), round(found.high, 1)) == (100 * met / of, *ends)


def test_nothing_has_no_interval():
    assert intervals.share(0, 0) is None
    assert intervals.mean([]) is None
    assert intervals.mean([[], []]) is None


def test_a_mean_lies_between_its_ends_which_come_closer_with_more_queries():
    few = intervals.mean([[0.0], [10.0]] * 5)
    many = intervals.mean([[0.0], [10.0]] * 50)
    assert few is not None
    assert many is not None
    assert few.low < many.low < few.value == many.value == 5.0 < many.high < few.high
    assert many.low == pytest.approx(5 - 1.96 * 5 / 10, abs=0.15)
    assert intervals.mean([[0.0], [10.0]] * 5) == few


def test_seeds_of_one_query_are_not_as_good_as_other_queries():
    together = intervals.mean([[0.0] * 10, [10.0] * 10])
    apart = intervals.mean([[0.0], [10.0]] * 10)
    assert together is not None
    assert apart is not None
    assert together.value == apart.value
    assert together.high - together.low > apart.high - apart.low
    assert intervals.mean([[4.0], []]) == Interval(4.0, 4.0, 4.0)


def write(folder, kind, lines):
    text = "".join(f"{json.dumps(each)}\n" for each in lines)
    (folder / f"run-agent-{kind}-local.jsonl").write_text(text)


def test_only_what_all_kinds_have_finished_is_compared(tmp_path):
    write(tmp_path, "rest", [line("rest", 5 * n, 0, success=True) for n in range(6)])
    write(tmp_path, "react", [line("react", 5 * n, 0, success=n > 2) for n in range(4)])
    (one,) = compared(Found(tmp_path))
    assert (one.begun, [pair[1] for pair in one.pairs]) == (6, [0, 5, 10, 15])
    assert list(one.runs) == ["rest", "react"]
    page = "\n".join(text for part in comparing(Found(tmp_path)) for text in part)
    assert "4 of 6 pairs" in page


def test_differences_are_of_pairs(tmp_path):
    write(tmp_path, "rest", [line("rest", 5 * n, 0, success=True) for n in range(4)])
    write(tmp_path, "react", [line("react", 5 * n, 0, success=n == 0) for n in range(4)])
    (one,) = compared(Found(tmp_path))
    success = differences(SUCCESS, one, "react", "tmdb")
    assert success is not None
    assert success.value == 75.0
    # Each pair is five seconds apart, however long its query takes.
    seconds = differences(SECONDS, one, "react", "tmdb")
    assert seconds is not None
    assert seconds.said() == "-5.0 [-5.0, -5.0]"
    # Only the first was met by both.
    assert differences(EXTRA, one, "react", "tmdb") == Interval(0.0, 0.0, 0.0)
    assert differences(SECONDS, one, "react", "spotify") is None


def test_two_apis_are_also_put_together(tmp_path):
    ours = [line("rest", n, 0, success=True) for n in range(2)]
    theirs = [{**line("rest", n, 0, success=False), "api": "spotify"} for n in range(2)]
    for kind in ("rest", "plan"):
        write(tmp_path, kind, [{**each, "kind": kind} for each in (*ours, *theirs)])
    page = "\n".join(text for part in comparing(Found(tmp_path)) for text in part)
    assert "| plan | both | 4 | 50.0 [15.0, 85.0] |" in page
    assert "| plan | both | 4 | 0.0 [0.0, 0.0] |" in page


def test_one_kind_alone_is_not_compared(tmp_path):
    write(tmp_path, "rest", [line("rest", 0, 0, success=True)])
    ((text,),) = comparing(Found(tmp_path))
    assert text.startswith("No result of kinds of agents compared yet")


def test_pairs_that_nobody_shares_are_only_counted(tmp_path):
    write(tmp_path, "rest", [line("rest", 0, 0, success=True)])
    write(tmp_path, "react", [line("react", 1, 0, success=True)])
    parts = comparing(Found(tmp_path))
    assert "0 of 2 pairs" in parts[-1][0]
    assert len(parts) == 2


def test_queries_that_were_never_read_are_compared_by_themselves(tmp_path):
    write(tmp_path, "rest", [line("rest", n, 0, success=True) for n in (0, 2)])
    write(tmp_path, "react", [line("react", n, 0, success=True) for n in (0, 2)])
    found = [(one.queries, [pair[1] for pair in one.pairs]) for one in compared(Found(tmp_path))]
    assert found == [("never read", [2]), ("read", [0])]


def test_success_beside_other_apis_is_compared_over_the_same_runs(tmp_path):
    alone = [line("rest", n, 3, success=True) for n in (2, 7, 12)]
    beside = [{**line("rest", n, 3, success=n == 2), "beside": 4} for n in (2, 7)]
    write(tmp_path, "rest", [*alone, *({**each, "operations": 2_075} for each in beside)])
    (part,) = offering(Found(tmp_path))
    assert part[-2:] == [
        "| rest | local | tmdb | never read | 1 |  | 2 | 100.0 [34.2, 100.0] |",
        "| rest | local | tmdb | never read | 5 | 2,075 | 2 | 50.0 [9.5, 90.5] |",
    ]
    # Other tables count only what was offered the API alone.
    assert [len(told) for _, told in Found(tmp_path).agents()] == [3]
