"""The board as a table: a row a kind, a mark a trial."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from restwright_bench.calling.board import Mark, Trial
from restwright_bench.calling.kinds import KINDS, MAX_SHOWN, Kind

SIGNS: dict[Mark, str] = {"failure": "✗", "nothing": "∅", "error": "!"}
LEGEND = (
    "A number is the attempt that was right: 1 for the first, others after feedback. "
    "✗ none was right, ∅ no reply held arguments, ! the model gave an error.\n"
    "Right is what fits the schema, and has the ids of the earlier results. Shares are of all "
    "trials: right in the first reply as it was written, right in the first reply perhaps after "
    "repair, right in the end, and right and just what was asked for. s: seconds a trial."
)
HEAD = ("Kind", "Trials", "as written", "first", "final", "meant", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """
    What some trials amount to; shares in percent of all trials.

    Args:
        first_as_written: The first reply was right without a repair.
        first: It was, perhaps after a repair.
        final: Some reply was.
        meant: Some reply was, and it was what was asked for.
        attempts: Mean of the marks of the trials that were right.
        seconds: Mean of what the model took for a trial.
    """

    trials: int
    first_as_written: float
    first: float
    final: float
    meant: float
    attempts: float
    seconds: float


def summed(trials: Sequence[Trial]) -> Summary:
    """What the trials amount to; all zero for none."""
    marks = [each.mark for each in trials if isinstance(each.mark, int)]
    return Summary(
        trials=len(trials),
        first_as_written=_percent([each.is_first_as_written for each in trials]),
        first=_percent([each.is_first for each in trials]),
        final=_percent([each.is_right for each in trials]),
        meant=_percent([each.is_meant for each in trials]),
        attempts=round(statistics.fmean(marks), 3) if marks else 0.0,
        seconds=round(statistics.fmean([each.seconds for each in trials]), 1) if trials else 0.0,
    )


def board_table(trials: Iterable[Trial], kinds: Sequence[Kind] = KINDS) -> str:
    """
    The trials of one model in one style as Markdown: a row a kind, and the totals.

    Of two trials with one number the later counts.
    """
    by_kind = {kind.name: dict[int, Trial]() for kind in kinds}
    for each in trials:
        if each.kind in by_kind:
            by_kind[each.kind][each.trial] = each
    rows = [_row(kind, list(by_kind[kind.name].values())) for kind in kinds]
    every = summed([trial for found in by_kind.values() for trial in found.values()])
    lines = [HEAD, ("---",) * len(HEAD), *rows, ("all", str(every.trials), *_shares(every))]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\nMean attempts of those that were right: {every.attempts}. {LEGEND}\n"


def _row(kind: Kind, trials: list[Trial]) -> tuple[str, ...]:
    if not kind.is_held:
        return kind.name, f"shows {kind.shown} characters, over {MAX_SHOWN}", *[""] * 5
    marks = " ".join(
        SIGNS.get(each.mark, str(each.mark)) for each in sorted(trials, key=lambda t: t.trial)
    )
    return kind.name, marks or "none yet", *(_shares(summed(trials)) if trials else [""] * 5)


def _shares(found: Summary) -> tuple[str, ...]:
    shares = (found.first_as_written, found.first, found.final, found.meant)
    return *(f"{share:.0f} %" for share in shares), f"{found.seconds:.1f}"


def _percent(values: Sequence[bool]) -> float:
    return round(100 * statistics.fmean(values), 1) if values else 0.0
