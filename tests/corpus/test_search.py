"""What a search finds of what questions need; figures that may only improve."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from restwright.tools.catalog.catalog import catalog

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not (DATA / "restbench").is_dir(), reason=f"the shared data set {DATA} is not there"
    ),
]


def _benchmark() -> Any:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    spec = spec_from_file_location("search_benchmark", ROOT / "benchmarks" / "search.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Its dataclasses look for it there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    sys.path.remove(str(ROOT / "benchmarks"))
    return module


bench = _benchmark()

# Percent of the queries all of whose operations are among the first 20; of dev, unread ones.
ALONE = {"tmdb": (82.5, 100.0), "spotify": (84.7, 100.0)}
IN_ALL = {"tmdb": (78.7, 95.0), "spotify": (73.9, 90.9)}
API_FIRST = 91.0
STABLE = 78.5


@pytest.mark.parametrize("name", ALONE)
def test_all_that_a_question_needs_is_in_the_first_twenty(name: str) -> None:
    world = bench.World(catalog(bench.restbench_api(DATA / "restbench", name)))
    found = bench.measured(world, bench.restbench(DATA / "restbench", name), bench.WHOLE)
    dev, unread = ALONE[name]

    assert found["dev"]["complete@20"] >= dev
    assert found["unread"]["complete@20"] >= unread


def test_so_it_is_inside_all_documents_and_the_right_api_is_first() -> None:
    world = bench.World(bench.among_all(DATA))
    first = count = 0.0
    for name, (dev, unread) in IN_ALL.items():
        queries = bench.restbench(DATA / "restbench", name)
        found = bench.measured(world, queries, bench.WHOLE)
        first += found["all"]["API first"] * len(queries)
        count += len(queries)

        assert found["dev"]["complete@20"] >= dev
        assert found["unread"]["complete@20"] >= unread
    assert first / count >= API_FIRST


def test_so_it_is_with_the_apis_of_stabletoolbench() -> None:
    stable, queries = bench.stabletoolbench(DATA / "bench" / "stabletoolbench")
    found = bench.measured(bench.World(stable), queries, bench.WHOLE)

    assert found["all"]["complete@20"] >= STABLE


def test_the_gold_names_operations_that_exist() -> None:
    for name in ALONE:
        world = bench.World(catalog(bench.restbench_api(DATA / "restbench", name)))
        needed = {
            each for query in bench.restbench(DATA / "restbench", name) for each in query.needed
        }

        assert needed <= set(world.routes.values())


def test_the_queries_are_the_known_ones() -> None:
    sizes = {
        name: len(json.loads((DATA / "restbench" / "datasets" / f"{name}.json").read_text()))
        for name in ALONE
    }

    assert sizes == {"tmdb": 100, "spotify": 57}
