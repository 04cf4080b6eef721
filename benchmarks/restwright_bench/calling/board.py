"""
The board: a model fills in the arguments of one call, trial by trial, kind by kind.

Each trial is kept in a file as soon as it has ended; a run that was interrupted goes on after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from restwright.agents.steps import Complete, Completion, Model
from restwright.calls.mismatch import Mismatch
from restwright.errors import LimitReached, UnusableReply
from restwright.jsontypes import JsonObject
from restwright_bench.calling.judging import Judged, judged
from restwright_bench.calling.kept import append, records
from restwright_bench.calling.kinds import KINDS, Kind
from restwright_bench.calling.prompt import again, request_for, told
from restwright_bench.calling.task import Task

Mark = int | Literal["failure", "nothing", "error"]
Style = Literal["constrained", "free"]
MAX_REPLY = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """
    How a board is run.

    Args:
        attempts: In one trial: the first, and those after feedback.
        style: `constrained`: the reply's schema is handed over with the request, and a model that
            can is held to it; `free`: the schema stands in the prompt alone.
        deadline_s: Of one reply; generous, since `max_tokens` bounds it and a machine may be busy.
    """

    trials: int = 10
    attempts: int = 6
    style: Style = "constrained"
    deadline_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One reply, shortened, and what was found in it."""

    reply: str
    is_readable: bool
    as_written: bool
    repairs: tuple[str, ...]
    mismatches: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    One trial of one kind.

    Args:
        task: The digest of tool and task.
        mark: The attempt that was right; else `failure`, `nothing` where no reply held arguments,
            `error` where a reply could not be had.
        is_meant: Whether the right call also was what was asked for.
        amiss: Why not.
    """

    model: str
    style: Style
    kind: str
    trial: int
    task: str
    mark: Mark
    is_meant: bool = False
    amiss: tuple[str, ...] = ()
    error: str = ""
    attempts: tuple[Attempt, ...] = field(default=())

    @property
    def is_first(self) -> bool:
        """Whether the first reply was right, perhaps after a repair."""
        return self.mark == 1

    @property
    def is_first_as_written(self) -> bool:
        """Whether the first reply was right without any repair."""
        return self.mark == 1 and self.attempts[0].as_written

    @property
    def is_right(self) -> bool:
        """Whether some reply was right."""
        return isinstance(self.mark, int)

    @property
    def seconds(self) -> float:
        """Seconds that the model took."""
        return sum(each.seconds for each in self.attempts)


def run_trial(kind: Kind, number: int, model: Model, options: Options) -> Trial:
    """
    Ask until a reply is right, or no attempt is left.

    Raises:
        ModelUnavailable: The model cannot be had at all; the other trials would end likewise.
    """
    task, attempts, error = kind.task(number), list[Attempt](), ""
    right: JsonObject | None = None
    try:
        for found, attempt in _attempts(kind, task, model, options):
            attempts.append(attempt)
            right = None if found.mismatches else found.arguments
    except (LimitReached, UnusableReply) as raised:
        error = str(raised)
    amiss = () if right is None else tuple(task.means(right))
    return Trial(
        model=model.name,
        style=options.style,
        kind=kind.name,
        trial=number,
        task=kind.digest(number),
        mark="error" if error else _mark(attempts, is_right=right is not None),
        is_meant=right is not None and not amiss,
        amiss=tuple(map(str, amiss[:5])),
        error=error,
        attempts=tuple(attempts),
    )


def _attempts(
    kind: Kind, task: Task, model: Model, options: Options
) -> Iterator[tuple[Judged, Attempt]]:
    """Yield one reply after the other, the last one right or the last that is allowed."""
    first = request_for(
        kind.tool, task, kind.max_tokens, constrained=options.style == "constrained"
    )
    request: Complete = first
    before: tuple[Mismatch, ...] = ()
    for _ in range(options.attempts):
        completion = model.complete(request, deadline_s=options.deadline_s)
        found = judged(kind.tool, completion, task.fits)
        yield found, _attempt(completion, found)
        if not found.mismatches:
            return
        request = again(first, completion.text, told(kind.tool, found.mismatches, before))
        before = found.mismatches


def _attempt(completion: Completion, found: Judged) -> Attempt:
    return Attempt(
        reply=completion.text[:MAX_REPLY],
        is_readable=found.arguments is not None,
        as_written=found.as_written,
        repairs=found.repairs[:10],
        mismatches=tuple(map(str, found.mismatches[:10])),
        input_tokens=completion.input_tokens,
        output_tokens=completion.output_tokens,
        seconds=round(completion.elapsed_s, 2),
    )


def _mark(attempts: Sequence[Attempt], *, is_right: bool) -> Mark:
    if is_right:
        return len(attempts)
    return "failure" if any(each.is_readable for each in attempts) else "nothing"


def run_board(
    model: Model,
    file: Path,
    *,
    kinds: Iterable[Kind] = KINDS,
    options: Options | None = None,
    say: Callable[[Trial], None] = lambda _: None,
) -> tuple[Trial, ...]:
    """
    Run the trials that are not in `file` yet, appending each; return all that were asked for.

    Trials of kinds that are too long to be shown are left out.

    Args:
        say: Is told each new trial.
    """
    options = options or Options()
    done = {_key(each): each for each in read_trials(file)}
    found: list[Trial] = []
    for kind in (each for each in kinds if each.is_held):
        for number in range(1, options.trials + 1):
            key = (model.name, options.style, kind.name, number, kind.digest(number))
            if key not in done:
                done[key] = run_trial(kind, number, model, options)
                append(file, asdict(done[key]))
                say(done[key])
            found.append(done[key])
    return tuple(found)


def _key(trial: Trial) -> tuple[str, str, str, int, str]:
    return trial.model, trial.style, trial.kind, trial.trial, trial.task


def read_trials(file: Path) -> tuple[Trial, ...]:
    """Read the trials of a file; none where there is no file."""
    return tuple(map(trial_from, records(file)))


def current(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """Leave out the trials of tasks that are asked otherwise by now."""
    kinds = {each.name: each for each in KINDS}
    return tuple(
        each
        for each in trials
        if each.kind in kinds and each.task == kinds[each.kind].digest(each.trial)
    )


def trial_from(record: JsonObject) -> Trial:
    """A trial as it is kept."""
    attempts = tuple(
        Attempt(
            **{
                **each,
                "repairs": tuple(each["repairs"]),
                "mismatches": tuple(each["mismatches"]),
            }
        )
        for each in record["attempts"]
    )
    return Trial(**{**record, "amiss": tuple(record["amiss"]), "attempts": attempts})
