"""How runs are counted, in the ways that papers do."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright_bench.queries.gold import load_queries
from restwright_bench.queries.query import Answered, Changed, GoldCall, Oracle, Query
from restwright_bench.queries.scores import (
    Ended,
    Usage,
    is_subsequence,
    precision,
    score_from,
    scored,
    summed,
)
from restwright_bench.world.api import Logged

SEARCH, ONE, CAST = (
    GoldCall("GET", each) for each in ("/search", "/film/{film_id}", "/film/{film_id}/cast")
)
QUERY = Query(api="films", index=3, text="Who plays in it?", gold=(SEARCH, CAST))
ORACLE = Oracle(index=3, expected=None, script=None, alternatives=((ONE, CAST),))
FACT = Answered(all_of=(("Ada",),))


def logged(*calls: GoldCall, status: int = 200) -> tuple[Logged, ...]:
    return tuple(
        Logged(
            number=number,
            api="films",
            method=each.method,
            template=each.template,
            path="",
            status=status,
        )
        for number, each in enumerate(calls)
    )


def ended(*log: Logged, answer: str = "Ada", after: object = None) -> Ended:
    return Ended(answer=answer, log=log, before={"n": 1}, after=after or {"n": 1})


def score(*log: Logged, oracle: Oracle = ORACLE, **how: object):
    return scored(QUERY, oracle, FACT, ended(*log, **how))


def test_the_published_path_may_have_other_calls_between():
    found = score(*logged(SEARCH, ONE, CAST))
    assert (found.path_strict, found.path_set, found.path_share) == (True, True, 1.0)
    assert (found.extra, found.calls, found.precision) == (1, 3, 2 / 3)


def test_placeholders_may_have_other_names():
    assert score(*logged(SEARCH, GoldCall("GET", "/film/{id}/cast"))).path_strict


def test_another_order_is_only_right_where_order_does_not_count():
    found = score(*logged(CAST, SEARCH))
    assert (found.path_strict, found.path_accepted, found.path_set) == (False, False, True)


def test_an_alternative_path_is_accepted_and_not_strict():
    found = score(*logged(ONE, CAST))
    assert (found.path_strict, found.path_accepted, found.path_share) == (False, True, 0.5)


def test_a_call_that_failed_is_not_part_of_a_path():
    found = score(*logged(SEARCH), *logged(CAST, status=400))
    assert (found.path_strict, found.client_errors, found.precision) == (False, 1, 1.0)


def test_a_reader_that_changes_something_fails():
    assert score(*logged(SEARCH)).success
    assert not score(*logged(SEARCH), after={"n": 2}).success


def test_a_writer_is_judged_by_the_state_alone():
    expected = Changed(is_met=lambda before, after: after["n"] == before["n"] + 1, what="one more")
    run = ended(answer="", after={"n": 2})
    assert scored(QUERY, ORACLE, expected, run).success
    assert not scored(QUERY, ORACLE, expected, ended()).success


def test_what_cannot_be_judged_has_no_success_and_counts_in_no_share():
    unsound = score(*logged(SEARCH), oracle=replace(ORACLE, unsound="it asks for today's weather"))
    assert unsound.success is None
    summary = summed([unsound, score(*logged(SEARCH))])
    assert (summary.runs, summary.judged, summary.success) == (2, 1, 100.0)


def test_no_calls_score_nothing():
    found = score(answer="")
    assert (found.success, found.path_share, found.precision, found.extra) == (False, 0, 0, -2)


def test_the_extra_calls_are_of_those_runs_that_were_met():
    met, failed = score(*logged(SEARCH, ONE, CAST)), score(*logged(*[ONE] * 9), answer="")
    assert summed([met, failed]).extra == 1


def test_usage_is_kept_and_summed():
    usage = Usage(model_calls=3, input_tokens=100, output_tokens=20, seconds=2.5)
    found = scored(QUERY, ORACLE, FACT, replace(ended(), usage=usage))
    assert (summed([found]).model_calls, summed([found]).tokens) == (3, 120)


def test_a_score_survives_being_written():
    found = score(*logged(SEARCH))
    assert score_from(asdict(found)) == found


def test_nothing_cannot_be_summed():
    with pytest.raises(ValueError, match="no run"):
        summed([])


def test_queries_are_trimmed_and_their_paths_corrected(tmp_path):
    (tmp_path / "datasets").mkdir()
    text = '[{"query": "Q", "solution": [" get /track/{id} ", "GET /me"]}]\r\n'
    (tmp_path / "datasets/spotify.json").write_text(text)
    (query,) = load_queries(tmp_path, "spotify")
    assert query.gold == (GoldCall("GET", "/tracks/{id}"), GoldCall("GET", "/me"))


CALLS = st.lists(st.sampled_from([SEARCH, ONE, CAST]), max_size=6)


@given(CALLS, CALLS)
def test_a_path_with_calls_put_in_is_still_gone(path, others):
    made = [each for pair in zip(path, others, strict=False) for each in pair]
    assert is_subsequence(path[: len(others)], made)


@given(CALLS, CALLS)
def test_precision_is_a_share_and_whole_only_for_calls_of_the_path(gold, made):
    share = precision(gold, made)
    assert 0 <= share <= 1
    if share == 1:
        assert len(made) <= len(gold)


@given(CALLS, CALLS)
def test_a_subsequence_is_no_longer_than_the_whole(path, made):
    if is_subsequence(path, made):
        assert len(path) <= len(made)
