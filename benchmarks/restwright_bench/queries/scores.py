"""How one run of a query is scored, and what many runs amount to."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields

from restwright.jsontypes import JsonObject
from restwright_bench.queries.checker import is_answered, is_changed
from restwright_bench.queries.gold import blind
from restwright_bench.queries.query import Answered, Expected, GoldCall, Oracle, Query
from restwright_bench.world.api import Logged

LEAST_ERROR = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a run took beside calls: of the model, and of the checks before a call."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    repaired: int = 0
    mismatches: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """
    One run of a query when it has ended.

    Args:
        log: What the world saw, in order.
        before: The state before the first call; `after` that behind the last.
    """

    answer: str
    log: tuple[Logged, ...]
    before: JsonObject
    after: JsonObject
    usage: Usage = field(default_factory=Usage)
    stopped: str = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """
    One run, scored. Shares are from 0 to 1.

    Args:
        success: The request was met; None where no oracle can tell.
        path_strict: The published path is a subsequence of the calls that succeeded (the paper's
            correct path).
        path_accepted: That, or one of the accepted alternatives is.
        path_set: Every call of the published path was made, in whatever order (as DRAFT counts).
        path_share: Share of the distinct published calls that were made (as DeepAgent counts).
        precision: Calls of the published path among all calls.
        extra: Calls more than the published path has; negative for fewer.
        client_errors: Answers with a status of 400 to 499.
    """

    api: str
    index: int
    success: bool | None
    path_strict: bool
    path_accepted: bool
    path_set: bool
    path_share: float
    precision: float
    calls: int
    extra: int
    client_errors: int
    server_errors: int
    stopped: str
    model_calls: int
    input_tokens: int
    output_tokens: int
    repaired: int
    mismatches: int
    seconds: float


def scored(query: Query, oracle: Oracle, expected: Expected, ended: Ended) -> Score:
    """Score one run."""
    made = [GoldCall(each.method, each.template) for each in ended.log if each.template]
    done = [
        GoldCall(each.method, each.template)
        for each in ended.log
        if each.template and each.status < LEAST_ERROR
    ]
    paths = (query.gold, *oracle.alternatives)
    wanted = {blind(each) for each in query.gold}
    reached = wanted & {blind(each) for each in done}
    statuses = [each.status for each in ended.log]
    return Score(
        api=query.api,
        index=query.index,
        success=None if oracle.unsound else is_met(expected, ended),
        path_strict=is_subsequence(query.gold, done),
        path_accepted=any(is_subsequence(each, done) for each in paths),
        path_set=reached == wanted,
        path_share=len(reached) / len(wanted),
        precision=precision(query.gold, made),
        calls=len(ended.log),
        extra=len(ended.log) - len(query.gold),
        client_errors=sum(LEAST_ERROR <= each < 500 for each in statuses),
        server_errors=sum(each >= 500 for each in statuses),
        stopped=ended.stopped,
        **asdict(ended.usage),
    )


def is_met(expected: Expected, ended: Ended) -> bool:
    """Whether a run did what its query asks for; one that only reads must have changed nothing."""
    if isinstance(expected, Answered):
        return ended.before == ended.after and is_answered(expected, ended.answer)
    return is_changed(expected, ended.before, ended.after)


def is_subsequence(path: Iterable[GoldCall], made: Iterable[GoldCall]) -> bool:
    """Whether `path` was gone in its order, with other calls between its own or without."""
    left = iter([blind(each) for each in made])
    return all(blind(each) in left for each in path)


def precision(gold: Sequence[GoldCall], made: Sequence[GoldCall]) -> float:
    """The calls of the path, each as often as it stands there, among all that were made."""
    if not made:
        return 0.0
    wanted, found = Counter(map(blind, gold)), Counter(map(blind, made))
    return sum((wanted & found).values()) / len(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """
    Many runs together; shares in percent.

    Args:
        judged: Runs of which success can be told; the share is of those.
        extra: Mean of the calls more than the path has, over runs that were met.
    """

    runs: int
    judged: int
    success: float
    path_strict: float
    path_accepted: float
    path_set: float
    path_share: float
    precision: float
    extra: float
    calls: float
    client_errors: float
    model_calls: float
    tokens: float
    seconds: float
    stopped: Mapping[str, int]


def summed(scores: Sequence[Score]) -> Summary:
    """
    What the scores of several runs amount to.

    Raises:
        ValueError: There is none.
    """
    if not scores:
        raise ValueError("no run to sum up")
    judged = [each for each in scores if each.success is not None]
    met = [each.extra for each in judged if each.success]
    return Summary(
        runs=len(scores),
        judged=len(judged),
        success=_percent([bool(each.success) for each in judged]),
        path_strict=_percent([each.path_strict for each in scores]),
        path_accepted=_percent([each.path_accepted for each in scores]),
        path_set=_percent([each.path_set for each in scores]),
        path_share=_percent([each.path_share for each in scores]),
        precision=_percent([each.precision for each in scores]),
        extra=_mean(met),
        calls=_mean([each.calls for each in scores]),
        client_errors=_mean([each.client_errors for each in scores]),
        model_calls=_mean([each.model_calls for each in scores]),
        tokens=_mean([each.input_tokens + each.output_tokens for each in scores]),
        seconds=round(statistics.median([each.seconds for each in scores]), 3),
        stopped=dict(Counter(each.stopped for each in scores)),
    )


def score_from(record: JsonObject) -> Score:
    """A score as `asdict()` wrote it."""
    return Score(**{each.name: record[each.name] for each in fields(Score)})


def _percent(values: Sequence[float]) -> float:
    return round(100 * statistics.fmean(values), 1) if values else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(statistics.fmean(values), 2) if values else 0.0
