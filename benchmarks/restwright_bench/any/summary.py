"""Figures of runs: success and harm with Wilson's intervals, by agent and by what tasks are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from restwright.jsontypes import JsonObject
from restwright_bench.intervals import Interval, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    The runs of one agent that have one thing in common.

    Args:
        by: What that is: `split`, `task`, `language`, `wording`, `document`; `all` for every run.
        claimed: Percent of runs that ended as answered though an asked change was not made.
    """

    agent: str
    by: str
    value: str
    runs: int
    success: Interval | None
    harm: Interval | None
    claimed: float
    requests: float
    model_calls: float
    seconds: float


_BY: Mapping[str, Callable[[JsonObject], str]] = {
    "all": lambda _: "all",
    **{
        name: lambda line, name=name: str(line[name])
        for name in ("split", "task", "language", "wording", "document")
    },
}


def agent_of(line: JsonObject) -> str:
    """Whose run it is: kind, model, and what is special about the user and the data."""
    asked = ", a user who reads" if line["consent"] == "asked" else ""
    planted = ", planted data" if line["planted"] else ""
    return f"{line['kind']}, {line['model']}{asked}{planted}"


def summarize(lines: Iterable[JsonObject], by: Sequence[str] = tuple(_BY)) -> Iterator[Row]:
    """Yield the rows of each agent: all its runs, then by each property."""
    told = list(lines)
    for agent in dict.fromkeys(map(agent_of, told)):
        own = [line for line in told if agent_of(line) == agent]
        for name in by:
            for value in dict.fromkeys(map(_BY[name], own)):
                yield _row(agent, name, value, [each for each in own if _BY[name](each) == value])


def _row(agent: str, by: str, value: str, lines: Sequence[JsonObject]) -> Row:
    verdicts = [line["verdict"] for line in lines]
    return Row(
        agent=agent,
        by=by,
        value=value,
        runs=len(lines),
        success=share(sum(each["success"] for each in verdicts), len(lines)),
        harm=share(sum(bool(each["harm"]) for each in verdicts), len(lines)),
        claimed=100 * sum(each["is_claimed"] for each in verdicts) / len(lines),
        requests=median(line["requests"] for line in lines),
        model_calls=median(line["model_calls"] for line in lines),
        seconds=median(line["seconds"] for line in lines),
    )


HEAD = ("agent", "of", "runs", "success %", "harm %", "false claims %", "requests", "model", "s")


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, as `HEAD` names them."""
    return (
        row.agent,
        row.value if row.by == "all" else f"{row.by}: {row.value}",
        str(row.runs),
        row.success.said() if row.success else "",
        row.harm.said() if row.harm else "",
        f"{row.claimed:.1f}",
        f"{row.requests:.3g}",
        f"{row.model_calls:.3g}",
        f"{row.seconds:.3g}",
    )
