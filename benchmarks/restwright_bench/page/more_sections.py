"""The sections on finding operations, on requests, and on what things cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import Cell, missing, table
from restwright_bench.page.sections import Part

# Of the ingredients of a search the least, and all of them.
NAMES, WHOLE = "names only", "and producers"
SHOWN = {NAMES: "names alone", WHOLE: "all"}


def finding(found: Found) -> list[Part]:
    """Whether a search finds all that a question needs."""
    told = found.one("search")
    return [
        _searched(told) if told else missing("search", "python benchmarks/search.py"),
        ["![Finding operations](benchmarks/finding.svg)"] if told else [],
        _scaled(found),
    ]


def searches(told: JsonObject) -> list[tuple[str, str, JsonObject]]:
    """`(collection, ingredients, figures)` of the whole search, and of names alone."""
    return [
        (name.removesuffix(", ingredients"), ingredient, each[ingredient])
        for name, each in told["results"].items()
        for ingredient in SHOWN
        if ingredient in each and name.endswith(", ingredients")
    ]


def _searched(told: JsonObject) -> Part:
    measures = ("complete@5", "complete@10", "complete@20", "recall@20", "NDCG@5")
    rows = [
        (
            *(name, SHOWN[which], each["queries"]),
            *(each["all"].get(one) for one in measures),
            each["milliseconds"],
        )
        for name, which, each in searches(told)
    ]
    return [
        "`complete@k`: all operations that a question needs are among the first k (percent).",
        "",
        *table(("collection", "search by", "questions", *measures, "ms"), rows),
    ]


def _scaled(found: Found) -> Part:
    told = found.one("scale")
    if told is None:
        return missing("search in 100,000 operations", "python benchmarks/scale.py")
    rows = [(name, value) for name, value in told.items() if isinstance(value, (int, float))]
    return [f"Many operations ({told['machine']}):", "", *table(("measure", "value"), rows)]


def demonstrating(_found: Found) -> list[Part]:
    """The two demonstrations, which need no result to be told of."""
    from restwright_bench.demonstrations import DEMONSTRATIONS

    rows = [
        (f"`restwright-bench example {each.name}`", each.question, ", ".join(each.path))
        for each in DEMONSTRATIONS.values()
    ]
    return [
        [
            "What figure 3 of RestGPT shows, in the world: films that are similar to one, and a"
            " playlist that cannot be made before the user's id is known. `--model NAME` and"
            " `--agent KIND` say who does it; each step is shown as it is taken, then the plan, the"
            " calls and the answer, with what the oracle says to that.",
            "",
            *table(("command", "question", "calls that it takes at least"), rows),
        ]
    ]


def judging(found: Found) -> list[Part]:
    """Requests as an independent judge sees them."""
    told = found.one("prism")
    if told is None:
        return [missing("the judge of requests", "make judge")]
    rows = [
        (name, _sum(each["counts"]), each["counts"].get("accepted", 0), *_rejected(each))
        for name, each in told["documents"].items()
    ]
    head = ("document", "requests", "accepted", "rejected", "of them by a fault of the judge")
    return [[f"One request for each operation, judged by {told['judge']}:", "", *table(head, rows)]]


def _sum(counts: JsonObject) -> int:
    return sum(counts.values())


def _rejected(each: JsonObject) -> tuple[int, int]:
    rejected: Sequence[JsonObject] = each["rejected"]
    return len(rejected), sum(bool(one["fault"]) for one in rejected)


def costing(found: Found) -> list[Part]:
    """What calls, checks, documents and the start cost."""
    return [
        _rows(found, "startup", "times", "python benchmarks/startup.py", ("cpu_ms", "ratio")),
        _compiled(found),
        _rows(found, "check", "rows", "python benchmarks/check.py", ("us", "ratio")),
        _rows(found, "calls", "rows", "python benchmarks/calls.py", ("us", "ratio")),
    ]


TITLES = {
    "startup": "Start, against an interpreter that does nothing:",
    "check": "A check, against a validator alone:",
    "calls": "A call, against a bare request on loopback:",
}


def _rows(found: Found, name: str, key: str, command: str, columns: Sequence[str]) -> Part:
    told = found.one(name)
    if told is None:
        return missing(name, command)
    rows = [(row, *(each.get(one) for one in columns)) for row, each in told[key].items()]
    return [TITLES[name], "", *table(("what", *columns), rows)]


def _compiled(found: Found) -> Part:
    told = found.one("compile")
    if told is None:
        return missing("documents", "python benchmarks/compile.py")
    return [
        "From a document to the tools of all its operations; the ratios are to parsing it:",
        "",
        *table(
            ("document", "operations", "parse ms", "names", "all tools", "ms a tool", "cached ms"),
            _documents(told["documents"]),
        ),
    ]


def _documents(told: JsonObject) -> Iterable[Sequence[Cell]]:
    columns = ("operations", "parse_ms", "names_ratio", "tools_ratio")
    last = ("tools_ms_per_operation", "cached_ms")
    return [(name, *(each.get(one) for one in (*columns, *last))) for name, each in told.items()]
