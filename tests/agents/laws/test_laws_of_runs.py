"""
The laws of the agents, in runs over APIs, models and users that are drawn at random.

`make test-laws` tries 10,000 runs, `make test-large` 300; few are tried by default.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from tests.support.agents.law_runs import KINDS, Scenario, run_scenario, scenarios
from tests.support.agents.laws import LAWS, find_broken
from tests.support.properties import examples

RUNS = int(os.environ.get("LAW_RUNS", "300"))


@pytest.mark.parametrize("kind", KINDS)
@settings(
    max_examples=examples(RUNS // len(KINDS)),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
@given(scenario=scenarios())
def test_the_laws_hold_in_every_run(kind: str, scenario: Scenario) -> None:
    broken = dict(find_broken(run_scenario(kind, scenario)))
    assert not broken


def test_runs_are_of_some_worth() -> None:
    """Models that may do anything do write, and are refused: else laws would say nothing."""
    counts: Counter[str] = Counter()

    @settings(max_examples=20, database=None, suppress_health_check=list(HealthCheck))
    @given(scenario=scenarios())
    def count(scenario: Scenario) -> None:
        run = run_scenario("calling", scenario)
        counts["writes"] += sum(sent.is_write for sent in run.server.log)
        counts["not sent"] += run.answer.stopped == "refused"

    count()
    assert counts["writes"] >= 1


def test_each_kind_has_laws() -> None:
    assert {*LAWS} == {*KINDS}
    assert all(len({law.__name__ for law in laws}) == len(laws) >= 5 for laws in LAWS.values())
