"""
Measures whether a search finds all operations that a question needs; writes results/search.json.

RestBench alone and inside all real documents, and the APIs of StableToolBench. Even-numbered
queries are those that weights may be tuned on (`dev`), odd-numbered ones are held out (`held`).

    python benchmarks/search.py [DATA] [--quick] [--expand MODEL] [--only NAME]
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

from restwright.openapi.api import load
from restwright.testing import document, never
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.producers.closure import add_producers
from restwright.tools.search.catalog_index import CatalogIndex, open_catalog_index
from restwright.tools.search.query import has_proper_name, parse_query
from restwright.tools.search.search import EXPANSION_WEIGHT
from restwright.tools.search.weights import DEFAULT_WEIGHTS, FIELD_WEIGHTS, SearchWeights

RESULTS = Path(__file__).parent / "results" / "search.json"
DATA = Path(__file__).parents[1].parent / "shared" / "data"
K = 20
POOL = 60
QUICK = 5
MANY = 200
EXPANSIONS = RESULTS.with_name("expansions.json")

Expander = Callable[[str], Sequence[str]]
Gold = frozenset[tuple[str, str]]

# Gold calls that name no operation of the documents, and what is meant.
CORRECTIONS = {
    "GET /track/{id}": "GET /tracks/{id}",
    "GET /person/{movie_id}/movie_credits": "GET /person/{person_id}/movie_credits",
}


@dataclass(frozen=True, slots=True)
class Query:
    """
    A question with all that it needs.

    Args:
        number: Its place in the data set.
        needed: `(namespace, "METHOD /path")` of each.
    """

    number: int
    text: str
    needed: Gold
    split: str = ""

    @property
    def half(self) -> str:
        """`dev` for even numbers, `held` for odd ones."""
        return "held" if self.number % 2 else "dev"


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
            name: (each.namespace, f"{each.operation.method.upper()} {each.operation.path}")
            for name, each in self.tools.entries.items()
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


def restbench(folder: Path, name: str) -> list[Query]:
    """The queries of one API, with gold calls trimmed and corrected."""
    records = json.loads((folder / "datasets" / f"{name}.json").read_text())
    return [
        Query(
            number,
            each["query"].strip(),
            frozenset(
                (name, CORRECTIONS.get(call.strip(), call.strip())) for call in each["solution"]
            ),
        )
        for number, each in enumerate(records)
    ]


def restbench_api(folder: Path, name: str) -> Any:
    """The document of one of the two APIs."""
    return load(folder / "specs" / f"{name}_oas.json", alias=name, retrieve=never)


def among_all(data: Path) -> Catalog:
    """All real documents and both APIs, those of an API that is there twice left out."""
    own = [restbench_api(data / "restbench", name) for name in ("tmdb", "spotify")]
    files = [each["file"] for each in json.loads((data / "specs" / "index.json").read_text())]
    others = [
        load(data / "specs" / file, alias=file.partition("__")[0].replace("-", ""), retrieve=never)
        for file in files
        if not file.startswith(("spotify", "tmdb"))
    ]
    return catalog(*own, *others)


STABLE_SPLITS = (
    *("G1_instruction", "G1_tool", "G1_category"),
    *("G2_instruction", "G2_category", "G3_instruction"),
)


def stabletoolbench(folder: Path) -> tuple[Catalog, list[Query]]:
    """Its APIs, one document for each tool, and its queries."""
    apis: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    queries: list[Query] = []
    for split in STABLE_SPLITS:
        for number, each in enumerate(json.loads((folder / f"{split}.json").read_text())):
            for api in each["api_list"]:
                apis[api["tool_name"]].setdefault(api["api_name"], api)
            needed = frozenset((tool, name) for tool, name in each["relevant APIs"])
            queries.append(Query(number, each["query"], needed, split[:2]))
    aliases = {tool: f"t{number}" for number, tool in enumerate(apis)}
    paths = {tool: {name: f"/{n}" for n, name in enumerate(own)} for tool, own in apis.items()}
    loaded = [
        load(_stable_document(tool, own, paths[tool]), alias=aliases[tool])
        for tool, own in apis.items()
    ]
    routed = [
        replace(each, needed=frozenset((aliases[t], f"GET {paths[t][n]}") for t, n in each.needed))
        for each in queries
    ]
    return catalog(*loaded), routed


def _stable_document(tool: str, own: Mapping[str, Any], paths: Mapping[str, str]) -> Any:
    operations = {paths[name]: {"get": _stable_operation(api)} for name, api in own.items()}
    return document(operations, info={"title": tool, "version": "1"})


def _stable_operation(api: Mapping[str, Any]) -> dict[str, Any]:
    given = {
        each["name"]: {
            "name": each["name"],
            "in": "query",
            "description": each.get("description") or "",
            "schema": {},
        }
        for each in (*api["required_parameters"], *api["optional_parameters"])
    }
    schema = _stable_schema(api.get("template_response"))
    return {
        "operationId": api["api_name"],
        "description": api.get("api_description") or "",
        "tags": [api["category_name"]],
        "parameters": list(given.values()),
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }


def _stable_schema(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        members = {name: _stable_schema(each) for name, each in value.items()}
        return {"type": "object", "properties": members}
    if isinstance(value, list) and value:
        return {"type": "array", "items": _stable_schema(value[0])}
    return {"type": "string"}


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


def worlds(data: Path, *, is_quick: bool) -> Iterable[tuple[str, World, list[Query]]]:
    """What is measured: name, operations, queries."""
    every = {name: restbench(data / "restbench", name) for name in ("tmdb", "spotify")}
    for name, queries in every.items():
        yield f"{name} alone", World(catalog(restbench_api(data / "restbench", name))), queries
    whole = World(among_all(data))
    for name, queries in every.items():
        yield f"{name} in all", whole, queries
    stable, queries = stabletoolbench(data / "bench" / "stabletoolbench")
    yield "StableToolBench", World(stable), queries[:: QUICK if is_quick else 1]


def expander_of(name: str, kept: Path = EXPANSIONS) -> Expander:
    """
    What the model of that name says to search for as well.

    A reply takes seconds, so that it is written down: a run that was stopped goes on.
    """
    from restwright.agents.models.registry import model_named
    from restwright.agents.rest.expand import expander

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
    print(f"  {'':24}  C@5  C@10  C@20   dev  held   R@20  NDCG@5  API   ms")
    rows: dict[str, Any] = {}
    for setting in settings:
        row = rows[setting.name] = measured(world, queries, setting)
        every = row["all"]
        print(
            f"  {setting.name:24} {every['complete@5']:5.1f} {every['complete@10']:5.1f} "
            f"{every['complete@20']:5.1f} {row['dev']['complete@20']:5.1f} "
            f"{row.get('held', row['dev'])['complete@20']:5.1f} {every['recall@20']:6.1f} "
            f"{every['NDCG@5']:6.1f} {every['API first']:5.1f} {row['milliseconds']:5.1f}",
            flush=True,
        )
        for split in ("G1", "G2", "G3"):
            if split in row and setting is WHOLE:
                print(f"    {split}: {row[split]['complete@20']:.1f}")
    return rows


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true", help="the whole search, fewer queries")
    parser.add_argument("--expand", metavar="MODEL", help="every fifth query, with a model's help")
    parser.add_argument("--only", default="", help="worlds whose names contain this")
    return parser.parse_args()


def compared(data: Path, model: str) -> dict[str, Any]:
    """Every fifth query of RestBench without and with a model's help."""
    helped = replace(WHOLE, name=f"and {model} model", expander=expander_of(model))
    return {
        name: table(f"{name}, every fifth", [WHOLE, helped], world, queries[::QUICK])
        for name, world, queries in worlds(data, is_quick=True)
        if name != "StableToolBench"
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
    for name, world, queries in worlds(asked.data, is_quick=asked.quick):
        if asked.only in name:
            if not asked.quick:
                # So many queries: each ingredient is tried on some, the whole on all.
                few = queries if len(queries) < MANY else queries[::QUICK]
                results[f"{name}, ingredients"] = table(name, INGREDIENTS, world, few)
            results[name] = table(name, [WHOLE], world, queries)
    if not asked.quick and not asked.only:
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
