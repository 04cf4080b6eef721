"""Runs outlive their workers and their database: what was sent is not sent again, and is told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.support.kills.crew import TAKERS
from tests.support.kills.storm import Storm, run_storm, seed
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.properties import IS_LARGE

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.usefixtures("postgres"),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9"),
]

RUNS = int(os.environ.get("KILLED_RUNS") or (400 if IS_LARGE else 24))
KILLS = int(os.environ.get("KILLS") or (200 if IS_LARGE else 12))
FEW = 12 if IS_LARGE else 2
# A worker of the queue is what there is; what a journal alone makes of it takes its own time.
ALSO = TAKERS if IS_LARGE else ("queue",)


@pytest.mark.parametrize("takes", TAKERS)
def test_runs_outlive_their_workers(takes: str, postgres: PostgresServer, tmp_path: Path) -> None:
    storm = Storm(runs=RUNS, kills=KILLS)
    report, line = run_storm(storm, takes, postgres, tmp_path, seed())
    print(line)  # noqa: T201
    assert report.ends["answered"]


@pytest.mark.parametrize("takes", ALSO)
def test_runs_outlive_restarts_of_their_database(takes: str, tmp_path: Path) -> None:
    storm = Storm(runs=RUNS // 2, kills=FEW, restarts=FEW)
    with running_postgres() as server:
        report, line = run_storm(storm, takes, server, tmp_path, seed())
    print(line)  # noqa: T201
    assert report.ends["answered"]


@pytest.mark.parametrize("takes", ALSO)
def test_workers_that_are_stopped_past_their_leases_send_nothing_more(
    takes: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    storm = Storm(runs=RUNS // 2, kills=FEW, stops=FEW)
    report, line = run_storm(storm, takes, postgres, tmp_path, seed())
    print(line)  # noqa: T201
    assert report.ends["answered"]
