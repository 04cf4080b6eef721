"""The sections of the page, each made of the results that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.page.anchors import LIVE, PLANNED, Planned
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import Cell, missing, table
from restwright_bench.queries.scores import Score, Summary, score_from, summed
from restwright_bench.queries.sets import NEVER_READ, READ, QuerySet, set_of_line

Part = list[str]
Section = Callable[[Found], list[Part]]

APIS = ("tmdb", "spotify")
POLICIES = ("oracle", "lexical", "wrong", "nothing")
MADE_BY = {
    "oracle": "restwright-bench run oracle --seeds 0-9",
    "lexical": "restwright-bench run lexical --seeds 0-9",
}
WHAT = {
    "oracle": "makes the right calls, written by hand for each query",
    "lexical": "no model: word search picks a read, rules fill in its arguments",
    "wrong": "goes the right path with arguments that mean something else",
    "nothing": "makes no call and says nothing",
}


def world(found: Found) -> list[Part]:
    """What serves the queries, and whether it can be trusted."""
    return [
        [
            "The APIs of RestBench are served on this machine from their own documents, over"
            " invented data that a seed draws. An oracle for each query works out the expected"
            " answer, or the expected change of the state, from the world; a checker decides.",
        ],
        _speed(found),
        _fuzzed(found),
        _policies(found),
        *_unsound(found),
    ]


def _speed(found: Found) -> Part:
    told = found.one("world")
    if told is None:
        return missing("the speed of the world", "restwright-bench world")
    rates = [f"{name} {rate:,.0f}" for name, rate in told["requests_a_second"].items()]
    return [
        "Requests a second of one core, over one kept connection, the client's time included:"
        f" {', '.join(rates)}."
    ]


def _fuzzed(found: Found) -> Part:
    told = found.one("fuzz")
    if told is None:
        return missing("requests made by schemathesis", "restwright-bench fuzz")
    rows = [
        (name, each["requests"], _counts(each["statuses"]), len(each["failed"]))
        for name, each in told["apis"].items()
    ]
    return [
        "Requests that schemathesis makes of the documents, right and wrong ones:",
        "",
        *table(("API", "requests", "answers by status", "of 500 and above"), rows),
    ]


def _policies(found: Found) -> Part:
    rows: list[Sequence[Cell]] = []
    for name in POLICIES:
        told = found.one(f"run-{name}")
        for api, each in (told["apis"] if told else {}).items():
            one = each["summary"]
            seeds = f"{each['seeds'][0]}-{each['seeds'][-1]}"
            shares = [one[key] for key in ("success", "path_strict", "path_accepted", "path_set")]
            rows.append((name, api, one["runs"], seeds, *shares, one["precision"], WHAT[name]))
    if not rows:
        return missing("policies without a model", MADE_BY["oracle"])
    head = ("policy", "API", "runs", "seeds", "success", "path", "accepted", "any order")
    return [
        "Policies that need no model, shares in percent. `path`: the published path is a"
        " subsequence of the calls that succeeded; `accepted`: that, or another path that leads"
        " there too; `any order`: every call of the published path was made. The oracle took"
        f" {_seconds(found)} for all of its runs.",
        "",
        *table((*head, "precision", "what it does"), rows),
    ]


def _seconds(found: Found) -> str:
    told = found.one("run-oracle")
    return f"{told['seconds']:g} s" if told else "no time yet"


def _unsound(found: Found) -> list[Part]:
    told = found.one("run-oracle")
    if told is None:
        return []
    parts: list[Part] = []
    for key, title in (
        ("unsound", "Queries of which success cannot be judged"),
        ("unsound_gold", "Published paths that are not those of a right agent"),
    ):
        rows = [
            (f"{api} {index}", why)
            for api, each in told["apis"].items()
            for index, why in each[key].items()
        ]
        none = [f"{title}: none."]
        parts.append([f"{title}:", "", *table(("query", "why"), rows)] if rows else none)
    return parts


def planning(found: Found) -> list[Part]:
    """Agents with models, and what others have published."""
    rows = [row for name, lines in found.agents() for row in _agent_rows(name, lines)]
    head = (
        "model",
        "API",
        "queries",
        "runs",
        "success",
        "path",
        "accepted",
        "any order",
        "precision",
    )
    more = ("calls", "4xx", "calls of the model", "tokens", "median s")
    ours = (
        [
            "Agents of restwright, which are given the whole document and no hint. `queries` says"
            " whether these were read while prompts and rules were made: queries 2, 7, 12, ..."
            " never are; all others count as read.",
            "",
            *table((*head, *more), rows),
        ]
        if rows
        else missing("an agent", "restwright-bench run agent --every 5")
    )
    theirs = table(
        ("method", "model", "TMDB", "Spotify", "source"),
        [_published(each) for each in PLANNED if not each.apart],
    )
    apart = table(
        ("method", "model", "TMDB", "Spotify", "source", "why it is apart"),
        [(*_published(each), each.apart) for each in PLANNED if each.apart],
    )
    return [
        ours,
        _stops(found),
        _lengths(found),
        ["![Success on RestBench](benchmarks/planning.svg)"],
        [
            f"Published (success / correct path, percent); {LIVE}, those without a model by the"
            " executor of RestGPT:",
            "",
            *theirs,
        ],
        ["Published, and not to be set beside any of these:", "", *apart],
    ]


def _agent_rows(name: str, lines: Sequence[JsonObject]) -> Iterable[Sequence[Cell]]:
    for api, queries, scores in scores_by_set(lines):
        yield _agent_row(name, api, queries, summed(scores))


def scores_by_set(lines: Sequence[JsonObject]) -> Iterable[tuple[str, QuerySet, list[Score]]]:
    """Yield `(API, whether its queries were read, scores)` of what there is."""
    for api in APIS:
        for queries in (READ, NEVER_READ):
            if scores := scores_of(lines, api, queries):
                yield api, queries, scores


def scores_of(lines: Iterable[JsonObject], api: str, queries: QuerySet) -> list[Score]:
    """The scores of one API and set of queries; of two for one query and seed the later one."""
    kept = {
        (line["index"], line["seed"]): line
        for line in lines
        if line["api"] == api and set_of_line(line) == queries
    }
    return [score_from(line["score"]) for line in kept.values()]


def _agent_row(name: str, api: str, queries: QuerySet, one: Summary) -> Sequence[Cell]:
    paths = (one.path_strict, one.path_accepted, one.path_set, one.precision)
    used = (one.calls, one.client_errors, one.model_calls, round(one.tokens), one.seconds)
    return (name, api, queries, one.runs, one.success, *paths, *used)


def _stops(found: Found) -> Part:
    rows = [
        (name, api, queries, _counts(summed(scores).stopped))
        for name, lines in found.agents()
        for api, queries, scores in scores_by_set(lines)
    ]
    head = ("model", "API", "queries", "ended by")
    return ["Why runs ended:", "", *table(head, rows)] if rows else []


def _lengths(found: Found) -> Part:
    """Success by the length of the published path, which is the calls less those that are extra."""
    rows: list[Sequence[Cell]] = []
    for name, lines in found.agents():
        for api, queries, scores in scores_by_set(lines):
            by_length: dict[int, list[bool]] = {}
            for each in scores:
                if each.success is not None:
                    by_length.setdefault(each.calls - each.extra, []).append(each.success)
            rows += [
                (name, api, queries, length, len(met), round(100 * sum(met) / len(met), 1))
                for length, met in sorted(by_length.items())
            ]
    head = ("model", "API", "queries", "calls of the path", "runs", "success")
    return ["Success by the length of the published path:", "", *table(head, rows)] if rows else []


def _published(each: Planned) -> Sequence[Cell]:
    return (each.method, each.model, _two(each.tmdb), _two(each.spotify), each.source)


def _two(shares: tuple[float | None, float | None]) -> str:
    if shares == (None, None):
        return ""
    return " / ".join("-" if each is None else f"{each:g}" for each in shares)


def repairing(found: Found) -> list[Part]:
    """What becomes of wrong arguments, without a model."""
    told = found.one("mutations")
    if told is None:
        return [missing("wrong arguments", "restwright-bench mutations")]
    rows = [
        (
            *(api, kind, each["calls"]),
            *(each["outcomes"].get(name) for name in OUTCOMES),
            *(each["success"], len(each["refused"])),
        )
        for api, kinds in told["apis"].items()
        for kind, each in kinds.items()
        if each["calls"] or kind == "none"
    ]
    head = ("API", "what is wrong", "calls", *OUTCOMES.values(), "met at last", "right refused")
    return [
        [
            "The right calls of each query with one thing wrong in each, by restwright's own"
            " `call` over HTTP. A driver mends what feedback names, and nothing else; `met at last`"
            " is the share of queries, in percent, that it answers so.",
            "",
            *table(head, rows),
        ]
    ]


OUTCOMES: Mapping[str, str] = {
    "repaired": "repaired",
    "reported": "reported by name",
    "reported without its name": "reported otherwise",
    "rejected by the API": "sent, rejected",
    "sent wrong": "sent, accepted",
}


def calling(found: Found) -> list[Part]:
    """Function calls: twelve kinds, and BFCL."""
    from restwright_bench.calling.anchors import anchors_table
    from restwright_bench.calling.command import boards

    ours = boards(found.folder).rstrip()
    return [
        [ours] if ours else missing("the board of function calls", "restwright-bench board"),
        ["![Function calls](benchmarks/calling.svg)"],
        [
            "Published (github.com/wrtnlabs/leaderboard): other operations of the same kinds, no"
            " repair, up to 6 attempts.",
            "",
            anchors_table().rstrip(),
        ],
        _bfcl(found),
        *_bfcl_models(found),
    ]


def _bfcl(found: Found) -> Part:
    from restwright_bench.calling.bfcl import Accuracy, accuracy_table, in_all

    told = found.one("bfcl")
    if told is None:
        return missing("BFCL", "restwright-bench bfcl")
    every = [Accuracy(**each) for each in told]
    return [
        "The right calls of BFCL with faults in them, through check, repair and feedback (percent"
        " of the faulty ones):",
        "",
        accuracy_table(in_all(every)).rstrip(),
    ]


def _bfcl_models(found: Found) -> list[Part]:
    from restwright_bench.calling.bfcl_model import answer_from, answers_table

    return [
        [f"**{name}** on questions of BFCL:", "", answers_table(map(answer_from, lines)).rstrip()]
        for name, lines in found.lines("bfcl")
    ]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in sorted(counts.items()))


def spaces(found: Found) -> list[Part]:
    """Three APIs at once, in several ways of offering their tools."""
    from restwright_bench.spaces.table import aimed, latest, spaces_table

    lines = [line for _, several in found.lines("spaces") for line in latest(several)]
    if not lines:
        return [missing("the experiment on namespaces", "restwright-bench spaces")]
    how = [
        "Tasks over three APIs whose operations have names in common, some over two of them."
        " `flat`: bare names in one list; `namespaced`: the APIs that a task takes are chosen"
        " first, one or several, then full names of those alone; `search`: what a search of the"
        " task's words finds, and tools to search with; `meta`: these alone. Choosing APIs and"
        " searching count as calls; a call that a model makes once more ends its task, and is not"
        " made. `too long`: tasks whose prompt does not fit into the model's context.",
    ]
    plot = ["![Tasks over three APIs](benchmarks/namespaces.svg)"]
    return [how, [spaces_table(lines).rstrip()], [aimed(lines)], plot]
