"""The page about scale shows what was measured and played, and what is played is plausible."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def fleet() -> Any:
    spec = importlib.util.spec_from_file_location("fleet", ROOT / "benchmarks" / "fleet.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["fleet"] = made
    spec.loader.exec_module(made)
    return made


def test_the_page_has_the_tables_of_the_results(fleet: Any) -> None:
    journal = json.loads(fleet.JOURNAL.read_text("utf-8"))
    played = json.loads(fleet.RESULTS.read_text("utf-8"))
    page = fleet.PAGE.read_text("utf-8")
    assert fleet.write_tables(page, fleet.page_tables(journal, played)) == page
    assert [*played] == [*fleet.SCENARIOS]


def test_a_fleet_of_one_hundredth_does_one_hundredth(fleet: Any) -> None:
    small = replace(fleet.USUAL, runs_a_day=100_000, workers=10, model_at_once=40, api_at_once=10)
    found = fleet.simulate(small, 0.0005, 6)
    assert 2.2 < found["end_a_second"] < found["arrive_a_second"] < 3.7
    assert 7 < found["median_s"] < 11
    assert found["waiting"] == {}


def test_a_model_that_takes_too_few_is_what_runs_wait_for(fleet: Any) -> None:
    small = replace(fleet.USUAL, runs_a_day=100_000, workers=10, model_at_once=5, api_at_once=10)
    found = fleet.simulate(small, 0.0005, 6)
    assert found["model"] > 90
    assert "model" in found["waiting"]
