"""The section that compares kinds of agents, pair by pair, with each other and the published."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from restwright.jsontypes import JsonObject
from restwright_bench.intervals import Interval, mean, share
from restwright_bench.page.anchors import LIVE, PLANNED, Planned
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import Cell, missing, table
from restwright_bench.policies.causes import counted
from restwright_bench.queries.sets import NEVER_READ, READ, QuerySet, set_of_line

Part = list[str]
Pair = tuple[str, int, int]
"""API, index of the query, seed."""
Query = tuple[str, int]

APIS = {"tmdb": "TMDB", "spotify": "Spotify"}
BOTH = "both"
KINDS = ("rest", "react", "plan", "dfsdt", "calling")
AS_PUBLISHED: Mapping[str, str] = {"rest": "RestGPT", "react": "ReAct", "plan": "Offline planning"}
COMMAND = "restwright-bench run agent --agent rest,react,plan,dfsdt --set never-read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """
    One column.

    Args:
        value: Of a run; None where it does not count.
        digits: Behind the point.
    """

    name: str
    value: Callable[[JsonObject], float | None]
    digits: int = 1
    is_share: bool = False


def _field(name: str) -> Callable[[JsonObject], float | None]:
    return lambda line: line["score"][name]


def _extra(line: JsonObject) -> float | None:
    return line["score"]["extra"] if line["score"]["success"] else None


MEASURES = (
    Measure(name="success, %", value=_field("success"), is_share=True),
    Measure(name="path, %", value=_field("path_strict"), is_share=True),
    Measure(name="extra calls", value=_extra, digits=2),
    Measure(name="model calls", value=_field("model_calls")),
    Measure(name="prompt tokens", value=_field("input_tokens"), digits=0),
    Measure(name="reply tokens", value=_field("output_tokens"), digits=0),
    Measure(name="seconds", value=_field("seconds")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """
    The runs of one model that can be compared.

    Args:
        queries: Whether these were read while prompts were made.
        runs: `{kind: {pair: line}}`, every kind with the same pairs.
        begun: Pairs that at least one kind has finished.
    """

    model: str
    queries: QuerySet
    runs: Mapping[str, Mapping[Pair, JsonObject]]
    begun: int

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What all kinds have finished."""
        return tuple(next(iter(self.runs.values()), ()))

    @property
    def apis(self) -> tuple[str, ...]:
        """The APIs, and `both` of them where there are two."""
        there = {api for api, _, _ in self.pairs}
        return (*(each for each in APIS if each in there), *((BOTH,) if len(there) > 1 else ()))

    def of(self, kind: str, api: str) -> list[JsonObject]:
        """The lines of one kind over one API, or over both."""
        return [each for pair, each in self.runs[kind].items() if api in (pair[0], BOTH)]


def comparing(found: Found) -> list[Part]:
    """Kinds of agents, with the same model over the same queries."""
    several = [each for each in compared(found) if len(each.runs) > 1]
    parts = [part for each in several for part in _of_model(each)]
    if not parts:
        return [missing("kinds of agents compared", COMMAND)]
    return [_how(), *parts]


def compared(found: Found) -> list[Compared]:
    """What can be compared, model by model and set by set."""
    by_model: dict[tuple[str, QuerySet], dict[str, dict[Pair, JsonObject]]] = {}
    for _, lines in found.agents():
        for line in lines:
            kinds = by_model.setdefault((line.get("model", ""), set_of_line(line)), {})
            pair = (line["api"], line["index"], line["seed"])
            kinds.setdefault(line.get("kind", "rest"), {})[pair] = line
    return [_paired(model, queries, kinds) for (model, queries), kinds in sorted(by_model.items())]


def _paired(
    model: str, queries: QuerySet, kinds: Mapping[str, Mapping[Pair, JsonObject]]
) -> Compared:
    begun = set[Pair]().union(*kinds.values())
    common = sorted(begun.intersection(*kinds.values()))
    order = sorted(kinds, key=lambda kind: ((*KINDS, kind).index(kind), kind))
    return Compared(
        model=model,
        queries=queries,
        runs={kind: {pair: kinds[kind][pair] for pair in common} for kind in order},
        begun=len(begun),
    )


def _how() -> Part:
    return [
        "Kinds of agents that were asked the same queries, in the same worlds, of the same model."
        " `path`: the published path is a subsequence of the calls that succeeded; `extra calls`:"
        " calls more than that path has, over runs that were met. In brackets: 95 % intervals, of"
        " shares by Wilson, of all others by a bootstrap over queries (2,000 draws). Differences"
        " are of pairs: the same query with the same seed.",
    ]


def _of_model(one: Compared) -> Iterable[Part]:
    pairs = len(one.pairs)
    kinds = ", ".join(one.runs)
    yield [
        f"**{one.model}**, queries {_TOLD[one.queries]}: {pairs} of {one.begun} pairs of query"
        f" and seed were finished by all of {kinds}, and are compared{_settings(one)}."
    ]
    if not pairs:
        return
    head = ("kind", "API", "runs", *(each.name for each in MEASURES))
    yield table(head, _figures(one))
    if "rest" in one.runs:
        less = ("`rest` less", "API", "pairs", *(each.name for each in MEASURES))
        yield ["Differences, in points or as they are:", "", *table(less, _differences(one))]
    yield _published(one)
    yield _causes(one)
    yield _roles(one)


_TOLD: Mapping[QuerySet, str] = {
    READ: "that were read while prompts were made",
    NEVER_READ: "that were never read",
}


def _settings(one: Compared) -> str:
    lines = [each for of in one.runs.values() for each in of.values()]
    told = {(each["limits"]["seconds"], each["limits"]["model_calls"]) for each in lines}
    if len(told) != 1:
        return ""
    ((seconds, calls),) = told
    return f" (at most {seconds:g} s and {calls} requests to the model for a query)"


def _figures(one: Compared) -> Iterable[Sequence[Cell]]:
    for api in one.apis:
        for kind in one.runs:
            if lines := one.of(kind, api):
                cells = [_said(measured(each, lines), each.digits) for each in MEASURES]
                yield (kind, api, len(lines), *cells)


def measured(measure: Measure, lines: Sequence[JsonObject]) -> Interval | None:
    """A measure over some runs."""
    values = [(_query(each), measure.value(each)) for each in lines]
    if measure.is_share:
        known = [bool(value) for _, value in values if value is not None]
        return share(sum(known), len(known))
    return mean(_by_query(values))


def differences(measure: Measure, one: Compared, kind: str, api: str) -> Interval | None:
    """`rest` less `kind`, over the pairs of one API that count for both."""
    factor = 100.0 if measure.is_share else 1.0
    values: list[tuple[Query, float | None]] = []
    for ours, theirs in zip(one.of("rest", api), one.of(kind, api), strict=True):
        a, b = measure.value(ours), measure.value(theirs)
        difference = None if a is None or b is None else factor * (a - b)
        values.append((_query(ours), difference))
    return mean(_by_query(values))


def _differences(one: Compared) -> Iterable[Sequence[Cell]]:
    for api in one.apis:
        for kind in one.runs:
            if kind != "rest" and (lines := one.of(kind, api)):
                found = [(differences(each, one, kind, api), each) for each in MEASURES]
                yield (kind, api, len(lines), *(_said(each, m.digits) for each, m in found))


def _query(line: JsonObject) -> Query:
    return line["api"], line["index"]


def _by_query(values: Iterable[tuple[Query, float | None]]) -> list[list[float]]:
    groups: dict[Query, list[float]] = {}
    for query, value in values:
        groups.setdefault(query, []).extend(() if value is None else [float(value)])
    return [*groups.values()]


def _said(found: Interval | None, digits: int) -> str:
    return "" if found is None else found.said(digits)


def _published(one: Compared) -> Part:
    """Ours beside the same methods of the paper, each with its model."""
    rows: list[Sequence[Cell]] = []
    for kind in one.runs:
        cells = [_plain(one.of(kind, api)) for api in APIS]
        like = AS_PUBLISHED.get(kind, "")
        rows.append(
            (
                f"`{kind}`",
                like,
                one.model,
                *cells,
                f"this world, judged by its oracle; {one.queries}",
            )
        )
    for each in PLANNED:
        if not each.apart and each.method in AS_PUBLISHED.values():
            cells = [_anchor(each, api) for api in APIS]
            rows.append(("", each.method, each.model, *cells, LIVE))
    head = ("kind", "method", "model", *APIS.values(), "setting")
    return [
        "Beside the figures of RestGPT's authors (2306.06624v2, table 4), success / path / extra"
        " calls; other worlds, other judges and other models, so that only the order of the"
        " methods can be compared:",
        "",
        *table(head, rows),
    ]


def _anchor(each: Planned, api: str) -> str:
    success, path = getattr(each, api)
    extra = each.extra[list(APIS).index(api)]
    told = "-" if extra is None else f"{extra:+g}"
    return f"{success:g} / {path:g} / {told}"


def _plain(lines: Sequence[JsonObject]) -> str:
    if not lines:
        return ""
    success, path, extra = (measured(each, lines) for each in MEASURES[:3])
    told = "-" if extra is None else f"{extra.value:+.3g}"
    shares = (f"{each.value:.3g}" if each else "-" for each in (success, path))
    return " / ".join((*shares, told))


def _causes(one: Compared) -> Part:
    """Where runs went wrong first."""
    counts = {
        kind: counted(each["cause"] for each in of.values() if each.get("cause"))
        for kind, of in one.runs.items()
    }
    keys = counted(
        each["cause"] for of in one.runs.values() for each in of.values() if each.get("cause")
    )
    rows = [(role, why, *(of.get((role, why), 0) for of in counts.values())) for role, why in keys]
    if not rows:
        return []
    return [
        "Where runs that were not met went wrong first, by rules over what was chosen, called and"
        " answered (`policies/causes.py`):",
        "",
        *table(("part", "what went wrong", *counts), rows),
    ]


def _roles(one: Compared) -> Part:
    """What each part of an agent takes of the model, for one query."""
    rows: list[Sequence[Cell]] = []
    for kind, of in one.runs.items():
        names = dict.fromkeys(name for each in of.values() for name in each.get("roles", {}))
        rows += [_role(kind, name, [*of.values()]) for name in sorted(names)]
    if not rows:
        return []
    head = ("kind", "part", "requests", "prompt tokens", "reply tokens", "seconds")
    return ["What each part asks of the model, mean of a query:", "", *table(head, rows)]


def _role(kind: str, name: str, lines: Sequence[JsonObject]) -> Sequence[Cell]:
    used = [each.get("roles", {}).get(name, {}) for each in lines]

    def of(key: str) -> float:
        return sum(each.get(key, 0) for each in used) / len(lines)

    tokens = (round(of("input_tokens")), round(of("output_tokens")))
    return (kind, name, round(of("model_calls"), 1), *tokens, round(of("elapsed_s"), 1))
