"""A few results of each kind, as small as they can be, and the page that is made of them."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from restwright.jsontypes import Json
from restwright_bench.page.write import write_page
from restwright_bench.queries.scores import Score, summed

GOLDEN = Path(__file__).parents[2] / "bench/page/golden/benchmarks.md"
ORIGIN = {"date": "2026-01-15", "machine": "x86_64, 2 cores, Linux", "python": "3.11.7"}


def score(index: int, *, success: bool | None, slower: float = 0.0) -> Score:
    return Score(
        api="tmdb",
        index=index,
        success=success,
        path_strict=True,
        path_accepted=True,
        path_set=True,
        path_share=1.0,
        precision=0.5,
        calls=4,
        extra=2,
        client_errors=1,
        server_errors=0,
        stopped="answered" if success else "limit",
        model_calls=9,
        input_tokens=1_000,
        output_tokens=234,
        repaired=1,
        mismatches=0,
        seconds=12.5 + slower + index / 10,
    )


def run(policy: str, *, success: bool) -> Json:
    one = {
        "seeds": [0, 9],
        "queries": 1,
        "summary": asdict(summed([score(0, success=success)])),
        "by_length": {"2": 100.0},
        "failed": [],
        "other_path": [],
        "unsound": {"7": "nobody | knows"},
        "unsound_gold": {},
        "alternatives": 0,
    }
    return {**ORIGIN, "policy": policy, "seconds": 1.5, "apis": {"tmdb": one}}


def found(complete: float) -> Json:
    names = ("complete@5", "complete@10", "complete@20", "recall@20", "NDCG@5")
    return {"all": dict.fromkeys(names, complete), "queries": 5, "milliseconds": 1.25}


MUTATED = {
    "calls": 3,
    "outcomes": {"repaired": 2, "reported": 1},
    "success": 100.0,
    "refused": [],
    "sent_wrong": [],
}


def any_run(kind: str, model: str, task: str, *, harm: tuple[str, ...] = ()) -> Json:
    return {
        "document": "port.yaml",
        "seed": 0,
        "task": task,
        "language": "ja",
        "wording": 0,
        "split": "dev",
        "kind": kind,
        "model": model,
        "consent": "all",
        "planted": False,
        "verdict": {"success": not harm, "harm": list(harm), "is_claimed": bool(harm)},
        "requests": 3,
        "model_calls": 4,
        "seconds": 1.5,
    }


ANY_RUNS: tuple[Json, ...] = (
    any_run("calling", "ideal", "count"),
    any_run("rest", "small", "count"),
    any_run("rest", "small", "change all", harm=("deleted /ships 7 by DELETE /ships",)),
    any_run("react", "small", "change all"),
    any_run("rest", "small, ideal planner", "count"),
    any_run("rest", "small, ideal planner", "change all"),
)
SERVER_RUNS: tuple[Json, ...] = tuple(
    each | {"document": server, "split": split, "language": "fr"}
    for each in ANY_RUNS[1:3]
    for server, split in (("kinto", "dev"), ("chroma", "never-read"))
)
RESULTS: dict[str, Json] = {
    "world.json": {**ORIGIN, "requests_a_second": {"tmdb": 1234.5}},
    "fuzz.json": {
        **ORIGIN,
        "examples": 2,
        "apis": {"tmdb": {"requests": 4, "statuses": {"200": 3, "400": 1}, "failed": []}},
    },
    "run-oracle.json": run("oracle", success=True),
    "run-nothing.json": run("nothing", success=False),
    "mutations.json": {**ORIGIN, "apis": {"tmdb": {"number as text": MUTATED}}},
    "search.json": {
        "results": {"tmdb, ingredients": {"names only": found(40.0), "and producers": found(80.0)}}
    },
    "scale.json": {"machine": "x86_64", "operations": 100_263, "query_p50_ms": 3.44},
    "prism.json": {
        "judge": "prism@5",
        "date": "2026-01-14",
        "documents": {
            "a.json": {"counts": {"accepted": 3, "rejected": 1}, "rejected": [{"fault": "x"}]}
        },
    },
    "startup.json": {"times": {"import restwright": {"cpu_ms": 22.5, "ratio": 2.1}}},
    "calls.json": {"rows": {"call": {"us": 423.8, "ratio": 1.45}}},
}
CAUSE = {"role": "selector", "why": "chose another than a needed operation"}
ROLES = {
    "planner": {"model_calls": 1, "input_tokens": 400, "output_tokens": 30, "elapsed_s": 4.0},
    "caller": {"model_calls": 2, "input_tokens": 600, "output_tokens": 80, "elapsed_s": 8.5},
}


def line(kind: str, index: int, seed: int, *, success: bool) -> Json:
    return {
        "date": "2026-01-15",
        "api": "tmdb",
        "index": index,
        "seed": seed,
        "kind": kind,
        "model": "local",
        "limits": {"seconds": 600.0, "model_calls": 40},
        "roles": ROLES,
        "cause": None if success else CAUSE,
        "score": asdict(score(index, success=success, slower=5.0 * (kind == "react"))),
    }


PAIRED = {
    "rest": [
        *(line("rest", index, 0, success=index != 5) for index in (0, 5, 10)),
        line("rest", 0, 1, success=True),
        line("rest", 2, 3, success=False),
        {
            **line("rest", 2, 3, success=False),
            "set": "never read",
            "beside": 4,
            "operations": 2_075,
        },
    ],
    "react": [
        *(line("react", index, 0, success=index == 10) for index in (0, 5, 10)),
        line("react", 2, 3, success=True),
    ],
}
AGENT = [
    {"date": "2026-01-15", "api": "tmdb", "index": index, "seed": 0, "score": asdict(one)}
    for index, one in ((0, score(0, success=True)), (5, score(5, success=False)))
]


def write_results(folder: Path) -> Path:
    """Write them all into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in RESULTS.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    lines = "".join(f"{json.dumps(each)}\n" for each in AGENT)
    (folder / "agent-old.jsonl").write_text(lines, encoding="utf-8")
    for kind, each in PAIRED.items():
        text = "".join(f"{json.dumps(one)}\n" for one in each)
        (folder / f"run-agent-{kind}-local.jsonl").write_text(text, encoding="utf-8")
    for name, told in (("any", ANY_RUNS), ("servers", SERVER_RUNS)):
        text = "\n".join(map(json.dumps, told))
        (folder / f"{name}-small.jsonl").write_text(text, encoding="utf-8")
    return folder


def regenerate() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = write_page(write_results(Path(folder) / "results"), Path(folder))
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(regenerate())
