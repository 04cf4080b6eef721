"""
Measures whether a search finds all operations that a question needs; writes results/search.json.

RestBench alone and inside all real documents, StableToolBench, BFCL, NESTFUL, and documents that
are asked for by their hidden summaries. Rules and weights may be made by the queries of `dev`;
those of `unread` only say whether they hold elsewhere (`search_sets.py` says which they are).

    python benchmarks/search.py [DATA] [--quick] [--expand MODEL] [--only NAME] [--before]
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.producers.closure import add_producers
from restwright.tools.search.catalog_index import CatalogIndex, open_catalog_index
from restwright.tools.search.query import has_proper_name, parse_query
from restwright.tools.search.search import EXPANSION_WEIGHT
from restwright.tools.search.weights import DEFAULT_WEIGHTS, FIELD_WEIGHTS, SearchWeights
from search_sets import (
    Gold,
    Query,
    among_all,
    bfcl,
    described_operations,
    nestful,
    restbench,
    restbench_api,
    stabletoolbench,
)

RESULTS = Path(__file__).parent / "results" / "search.json"
DATA = Path(__file__).parents[1].parent / "shared" / "data"
K = 20
POOL = 60
QUICK = 5
MANY = 200
EXPANSIONS = RESULTS.with_name("expansions.json")

Expander = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What of the search is used."""

    name: str
    weights: SearchWeights = DEFAULT_WEIGHTS
    is_weighed: bool = True
    is_closed: bool = True
    expander: Expander | None = None


@dataclass(slots=True)
class World:
    """The operations that are searched."""

    tools: Catalog
    index: CatalogIndex = field(init=False)
    routes: dict[str, tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.index = open_catalog_index(self.tools)
        self.routes = {
            name: (entry.namespace, f"{entry.operation.method.upper()} {entry.operation.path}")
            for name, entry in self.tools.entries.items()
        }

    def ranked(self, query: Query, setting: Setting) -> list[tuple[str, str]]:
        """What is found for a query, best first."""
        terms = (
            parse_query(query.text, setting.weights) if setting.is_weighed else [(query.text, 1.0)]
        )
        terms += [(each, EXPANSION_WEIGHT) for each in (setting.expander or _nothing)(query.text)]
        hits = self.index.search_terms(terms, POOL, weights=setting.weights)
        scores = [(each.name, each.score) for each in hits]
        if not setting.is_closed:
            return [self.routes[name] for name, _ in scores[:K]]
        found = add_producers(scores, self.tools, K, is_named=has_proper_name(query.text))
        return [self.routes[each.name] for each in found]


def _nothing(_: str) -> Sequence[str]:
    return ()


def measures(ranked: Sequence[tuple[str, str]], needed: Gold) -> dict[str, float]:
    """What one ranking is worth."""
    gains = [1 / math.log2(rank + 2) for rank, each in enumerate(ranked[:5]) if each in needed]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(5, len(needed))))
    first = {namespace for namespace, _ in ranked[:1]}
    return {
        "complete@5": 100.0 * (needed <= set(ranked[:5])),
        "complete@10": 100.0 * (needed <= set(ranked[:10])),
        "complete@20": 100.0 * (needed <= set(ranked[:20])),
        "recall@20": 100.0 * len(needed & set(ranked[:20])) / len(needed),
        "NDCG@5": 100.0 * sum(gains) / ideal,
        "API first": 100.0 * bool(first & {namespace for namespace, _ in needed}),
    }


def measured(world: World, queries: Iterable[Query], setting: Setting) -> dict[str, Any]:
    """`{half or split or "all": {measure: mean}}` and the time that a query takes."""
    found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    taken: list[float] = []
    for query in queries:
        started = time.perf_counter()
        ranked = world.ranked(query, setting)
        taken.append((time.perf_counter() - started) * 1e3)
        for name, value in measures(ranked, query.needed).items():
            for part in {"all", query.half, query.split} - {""}:
                found[part][name].append(value)
    means = {
        part: {name: round(statistics.fmean(values), 1) for name, values in several.items()}
        for part, several in sorted(found.items())
    }
    return {**means, "queries": len(taken), "milliseconds": round(statistics.median(taken), 2)}


_NO_RANKING = replace(DEFAULT_WEIGHTS, synonym=0.0, question=0.0, api_first=0.0)
INGREDIENTS = (
    Setting(
        "names only", replace(_NO_RANKING, fields={"name": 1.5}), is_weighed=False, is_closed=False
    ),
    Setting(
        "and paths, summaries",
        replace(
            _NO_RANKING,
            fields={name: FIELD_WEIGHTS[name] for name in ("name", "path", "summary")},
        ),
        is_weighed=False,
        is_closed=False,
    ),
    Setting("all fields", _NO_RANKING, is_weighed=False, is_closed=False),
    Setting(
        "and synonyms", replace(DEFAULT_WEIGHTS, api_first=0.0), is_weighed=False, is_closed=False
    ),
    Setting("and names weighed", replace(DEFAULT_WEIGHTS, api_first=0.0), is_closed=False),
    Setting("and the API first", is_closed=False),
    Setting("and producers"),
    Setting("without synonyms", replace(DEFAULT_WEIGHTS, synonym=0.0, question=0.0)),
    Setting("without names weighed", is_weighed=False),
    Setting("without the API first", replace(DEFAULT_WEIGHTS, api_first=0.0)),
)
WHOLE = INGREDIENTS[6]


def worlds(
    data: Path, *, is_quick: bool, only: str = ""
) -> Iterable[tuple[str, World, list[Query]]]:
    """What is measured, where its name contains `only`: name, operations, queries."""
    every = {name: restbench(data / "restbench", name) for name in ("tmdb", "spotify")}
    for name, queries in every.items():
        if only in f"{name} alone":
            yield f"{name} alone", World(catalog(restbench_api(data / "restbench", name))), queries
    if any(only in f"{name} in all" for name in every):
        whole = World(among_all(data))
        for name, queries in every.items():
            yield f"{name} in all", whole, queries
    others: Mapping[str, Callable[[], tuple[Catalog, list[Query]]]] = {
        "StableToolBench": lambda: stabletoolbench(data / "bench" / "stabletoolbench"),
        "BFCL": lambda: bfcl(data / "bench" / "bfcl"),
        "NESTFUL": lambda: nestful(data / "bench" / "nestful"),
        "hidden summaries": lambda: described_operations(data),
    }
    for name, read_set in others.items():
        if only in name:
            tools, queries = read_set()
            yield name, World(tools), queries[:: QUICK if is_quick else 1]


def expander_of(name: str, kept: Path = EXPANSIONS) -> Expander:
    """
    What the model of that name says to search for as well.

    A reply takes seconds, so that it is written down: a run that was stopped goes on.
    """
    from restwright.agents.models.registry import model_named
    from restwright.agents.prompting.query_expansion import expander

    known: dict[str, list[str]] = json.loads(kept.read_text()) if kept.is_file() else {}
    made: list[Expander] = []

    def expanded(query: str) -> Sequence[str]:
        if query not in known:
            if not made:
                made.append(expander(model_named(name)))
            known[query] = list(made[0](query))
            kept.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
        return known[query]

    return expanded


def table(name: str, settings: Sequence[Setting], world: World, queries: list[Query]) -> Any:
    """Measure and print the rows of one world."""
    print(f"\n{name} ({len(queries)} queries, {len(world.tools)} operations)")
    print(f"  {'':24}  C@5  C@10  C@20   dev unread  R@20  NDCG@5  API   ms")
    rows: dict[str, Any] = {}
    for setting in settings:
        row = rows[setting.name] = measured(world, queries, setting)
        every = row["all"]
        print(
            f"  {setting.name:24} {every['complete@5']:5.1f} {every['complete@10']:5.1f} "
            f"{every['complete@20']:5.1f} {row['dev']['complete@20']:5.1f} "
            f"{row['unread']['complete@20']:6.1f} {every['recall@20']:6.1f} "
            f"{every['NDCG@5']:6.1f} {every['API first']:5.1f} {row['milliseconds']:5.1f}",
            flush=True,
        )
        if setting is WHOLE:
            for part in ("dev", "unread", "G1", "G2", "G3"):
                if part in row:
                    print(f"    {part}: " + ", ".join(f"{n} {v:.1f}" for n, v in row[part].items()))
    return rows


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true", help="the whole search, fewer queries")
    parser.add_argument("--expand", metavar="MODEL", help="every fifth query, with a model's help")
    parser.add_argument("--only", default="", help="worlds whose names contain this")
    parser.add_argument(
        "--before", action="store_true", help="keep the figures as those of before a change"
    )
    return parser.parse_args()


def compared(data: Path, model: str) -> dict[str, Any]:
    """Every fifth query of RestBench without and with a model's help."""
    helped = replace(WHOLE, name=f"and {model} model", expander=expander_of(model))
    return {
        name: table(f"{name}, every fifth", [WHOLE, helped], world, queries[::QUICK])
        for name, world, queries in worlds(data, is_quick=True)
        if name.startswith(("tmdb", "spotify"))
    }


def main() -> None:
    """Print the tables and write the results."""
    asked = arguments()
    if not (asked.data / "restbench").is_dir():
        sys.exit(f"skipped: the shared data set {asked.data} is not there")
    if asked.expand:
        written("expansion", compared(asked.data, asked.expand))
        return
    results: dict[str, Any] = {}
    for name, world, queries in worlds(asked.data, is_quick=asked.quick, only=asked.only):
        if not asked.quick and not asked.before:
            # So many queries: each ingredient is tried on some, the whole on all.
            few = queries if len(queries) < MANY else queries[::QUICK]
            results[f"{name}, ingredients"] = table(name, INGREDIENTS, world, few)
        results[name] = table(name, [WHOLE], world, queries)
    if asked.before:
        written("before", {name: rows[WHOLE.name] for name, rows in results.items()})
    elif not asked.quick and not asked.only:
        written("results", results)


def written(key: str, results: Any) -> None:
    """Keep results beside those of other runs."""
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    made = {
        **known,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()} {platform.system()}",
        "python": platform.python_version(),
        "tantivy": version("tantivy"),
        key: results,
    }
    RESULTS.write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
