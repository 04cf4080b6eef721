"""The section on how success falls where there are more operations to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.intervals import share
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import Cell, missing, table
from restwright_bench.queries.sets import set_of_line

COMMAND = "restwright-bench run agent --set never-read --beside 4"
_Group = tuple[str, str, str, str]
"""Kind, model, API, set of queries."""
_Runs = dict[tuple[int, int], JsonObject]
"""`{(index of the query, seed): line}`."""


def offering(found: Found) -> list[list[str]]:
    """Success by the number of APIs and operations, over queries that were run with each."""
    lines = [line for _, told in found.all_agents() for line in told]
    rows = list(_rows(lines))
    if not rows:
        return [missing("agents beside further APIs", COMMAND)]
    head = ("kind", "model", "API", "queries", "APIs", "operations", "runs", "success, %")
    return [
        [
            "Success against the number of operations that an agent may choose from: those of the"
            " query's API alone, and beside further APIs, of which nothing is needed. Only queries"
            " and seeds that were run with every number are counted. Intervals are Wilson's.",
            "",
            *table(head, rows),
        ]
    ]


def _rows(lines: Sequence[JsonObject]) -> Iterable[Sequence[Cell]]:
    for group in dict.fromkeys(map(_group_of, lines)):
        by_beside: dict[int, _Runs] = {}
        for line in lines:
            if _group_of(line) == group:
                runs = by_beside.setdefault(line.get("beside", 0), {})
                runs[line["index"], line["seed"]] = line
        if len(by_beside) > 1:
            yield from _rows_of_group(group, by_beside)


def _rows_of_group(group: _Group, by_beside: dict[int, _Runs]) -> Iterable[Sequence[Cell]]:
    common = set(next(iter(by_beside.values()))).intersection(*by_beside.values())
    for beside, runs in sorted(by_beside.items()):
        judged = [runs[pair]["score"]["success"] for pair in common]
        judged = [success for success in judged if success is not None]
        operations = max((line.get("operations", 0) for line in runs.values()), default=0)
        success = share(sum(judged), len(judged))
        told = success.said() if success else ""
        yield (*group, beside + 1, operations or None, len(common), told)


def _group_of(line: JsonObject) -> _Group:
    return line.get("kind", "rest"), line.get("model", ""), line["api"], set_of_line(line)
