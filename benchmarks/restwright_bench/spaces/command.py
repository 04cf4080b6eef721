"""The experiment from a shell: `python -m restwright_bench.spaces.command --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from restwright.agents.models.registry import model_named
from restwright.errors import RestwrightError
from restwright_bench.errors import UnusableChoice
from restwright_bench.results import RESULTS
from restwright_bench.spaces.choosers import LexicalChooser, ModelChooser, ScriptedChooser
from restwright_bench.spaces.estimate import estimates, estimates_table
from restwright_bench.spaces.modes import MODES
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.questions import questions
from restwright_bench.spaces.run import results_file, run_spaces
from restwright_bench.spaces.space import space_inside, space_served
from restwright_bench.spaces.table import spaces_table
from restwright_bench.spaces.trial import Chooser, Trial

WITHOUT_MODEL: Mapping[str, Callable[[], Chooser]] = {
    "scripted": ScriptedChooser,
    "lexical": LexicalChooser,
}


LOCAL_CONTEXT = 8192
"""Tokens that the local model reads, and writes, at most."""


def is_local(model: str) -> bool:
    """Whether a model of that name runs in this process."""
    return model.partition(":")[0] == "local"


def spaces(
    model: str = "local",
    *,
    url: str | None = None,
    modes: Sequence[str] = (),
    only: Sequence[str] = (),
    every: int = 1,
    seed: int = 0,
    seconds: float = 900.0,
    results: Path | None = RESULTS,
) -> str:
    """
    Run the experiment and return its table.

    Args:
        model: `scripted`, `lexical`, or as `model_named()` takes it; that one calls over HTTP.
        modes: Of flat, namespaced, search and meta; all where there is none.
        only: Names of tasks; all where there is none.
        every: Only each so manieth of them.
        seconds: Of one task.
        results: The folder of the file that trials are kept in; None to keep nothing.

    Raises:
        UnusableChoice: There is no such mode or task.
        ModelUnavailable, MissingExtra: There is no such model.
    """
    picked = _picked(only)[::every]
    chosen = _modes(modes)
    with _chooser(model, url, seconds) as chooser:
        file = results_file(results, chooser.name) if results is not None else None
        with _space(model, seed) as space:
            lines = run_spaces(
                *(chooser, space, file), modes=chosen, asked=picked, seed=seed, say=_say
            )
    return spaces_table(lines)


def estimated(
    *, modes: Sequence[str] = (), only: Sequence[str] = (), every: int = 1, seed: int = 0
) -> str:
    """
    What the local model would read in each mode, as a table; no model is asked.

    Raises:
        UnusableChoice: There is no such mode or task.
    """
    found = estimates(
        space_inside(seed=seed),
        modes=_modes(modes),
        asked=_picked(only)[::every],
        context=LOCAL_CONTEXT,
    )
    return estimates_table(found)


@contextmanager
def _chooser(name: str, url: str | None, seconds: float) -> Iterator[Chooser]:
    if name in WITHOUT_MODEL:
        yield WITHOUT_MODEL[name]()
        return
    with closing(model_named(name, url=url)) as model:  # pyright: ignore[reportArgumentType]
        context = LOCAL_CONTEXT if is_local(name) else None
        yield ModelChooser(model=model, seconds=seconds, context=context)


@contextmanager
def _space(model: str, seed: int) -> Iterator:
    if model in WITHOUT_MODEL:
        yield space_inside(seed=seed)
        return
    with space_served(seed=seed) as space:
        yield space


def _modes(names: Sequence[str]) -> tuple[str, ...]:
    if unknown := [each for each in names if each not in MODES]:
        raise UnusableChoice("--mode", f"there is {', '.join(MODES)}, no {unknown[0]}")
    return tuple(names) or tuple(MODES)


def _picked(names: Sequence[str]) -> tuple[Question, ...]:
    known = {each.name: each for each in questions()}
    if unknown := [each for each in names if each not in known]:
        raise UnusableChoice("--only", f"there is no task {unknown[0]}")
    return tuple(known[each] for each in names) or questions()


def _say(trial: Trial) -> None:
    if trial.model in WITHOUT_MODEL:
        return
    outcome = "done" if trial.success else f"not done ({trial.stopped})"
    words = f"{trial.mode} {trial.question}: {outcome}, {trial.calls} calls, {trial.seconds:.0f} s"
    print(words, file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment from a shell."""
    given = _parser().parse_args(argv)
    try:
        table = _table(given)
    except RestwrightError as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.write(table)
    return 0


def _table(given: argparse.Namespace) -> str:
    asked = {"modes": given.mode, "only": given.only, "every": given.every, "seed": given.seed}
    if given.estimate:
        return estimated(**asked)
    return spaces(given.model, url=given.url, seconds=given.seconds, results=given.results, **asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Three APIs with names in common, four offers.")
    parser.add_argument("--model", default="local", help="or scripted, lexical: without a model")
    parser.add_argument("--url", help="of a server for `--model openai:NAME`")
    parser.add_argument(
        "--mode", action="append", default=[], metavar="MODE", help=", ".join(MODES)
    )
    parser.add_argument("--only", action="append", default=[], metavar="TASK")
    parser.add_argument("--every", type=int, default=1, help="only each so manieth task")
    parser.add_argument("--estimate", action="store_true", help="of tokens; asks no model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=900.0, help="of one task")
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
