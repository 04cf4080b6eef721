"""The board and BFCL from a shell: `python -m restwright_bench.calling.command --help`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from restwright.agents.models.registry import model_named
from restwright.errors import RestwrightError
from restwright_bench.calling import bfcl, bfcl_model
from restwright_bench.calling.board import Options, Style, Trial, current, read_trials, run_board
from restwright_bench.calling.kinds import KINDS, Kind, kind_named
from restwright_bench.calling.rehearsed import REHEARSED, RehearsedModel
from restwright_bench.calling.table import board_table

RESULTS = Path(__file__).parents[2] / "results"
BFCL = Path(__file__).parents[3].parent / "shared" / "data" / "bench" / "bfcl"


def results_file(folder: Path, model: str, style: Style, what: str = "board") -> Path:
    """Where the trials of a model in a style are kept."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", model)
    return folder / f"{what}-{name}{'' if style == 'constrained' else f'-{style}'}.jsonl"


def board(
    model: str = "local",
    *,
    url: str | None = None,
    only: Sequence[str] = (),
    trials: int = 10,
    attempts: int = 6,
    style: Style = "constrained",
    results: Path = RESULTS,
) -> str:
    """
    Run the board and return its table.

    Args:
        model: As `model_named()` takes it, or one of those rehearsed: right, mutated, mute.
        only: Names of kinds; all where there is none.
        results: The folder of the file that trials are kept in.

    Raises:
        KeyError: There is no such kind.
        ModelUnavailable, MissingExtra: There is no such model.
    """
    kinds: Sequence[Kind] = [kind_named(each) for each in only] or KINDS
    options = Options(trials=trials, attempts=attempts, style=style)
    with _opened(model, url, trials) as opened:
        file = results_file(results, opened.name, style)
        return board_table(run_board(opened, file, kinds=kinds, options=options, say=_say), kinds)


def boards(results: Path = RESULTS) -> str:
    """Return a table for every model and style whose trials are kept in `results`."""
    tables: list[str] = []
    for file in sorted(results.glob("board-*.jsonl")):
        found = current(read_trials(file))
        last = found[-1] if found else None
        if last is not None and last.model not in REHEARSED:
            tables.append(f"**{last.model}**, replies {last.style}\n\n{board_table(found)}")
    return "\n".join(tables)


def faults(data: Path = BFCL, results: Path = RESULTS) -> str:
    """Measure BFCL's right calls with faults in them, keep the counts, and return their table."""
    found = bfcl.accuracies(data)
    bfcl.write(results / "bfcl.json", found)
    return bfcl.accuracy_table([*bfcl.in_all(found), *found])


def answers(
    model: str,
    data: Path = BFCL,
    *,
    url: str | None = None,
    each: int = 20,
    results: Path = RESULTS,
) -> str:
    """
    Let a model answer `each` questions of every category of BFCL, and return the table.

    Raises:
        ModelUnavailable, MissingExtra: There is no such model.
    """
    with closing(model_named(model, url=url)) as opened:  # pyright: ignore[reportArgumentType]
        file = results_file(results, opened.name, "constrained", "bfcl")
        return bfcl_model.answers_table(bfcl_model.run(opened, data, file, each=each))


def _opened(name: str, url: str | None, trials: int) -> Any:
    if name in REHEARSED:
        return nullcontext(RehearsedModel(name, trials=trials))
    return closing(model_named(name, url=url))  # pyright: ignore[reportArgumentType]


def _say(trial: Trial) -> None:
    meant = "" if trial.is_meant else " (not what was asked)" if trial.is_right else ""
    words = f"{trial.kind} {trial.trial}: {trial.mark}{meant}, {trial.seconds:.0f} s"
    print(words, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the two from a shell."""
    given = _parser().parse_args(arguments)
    try:
        sys.stdout.write(given.run(given))
    except RestwrightError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _board(given: argparse.Namespace) -> str:
    return board(
        given.model,
        url=given.url,
        only=given.only,
        trials=given.trials,
        attempts=given.attempts,
        style="free" if given.free else "constrained",
        results=given.results,
    )


def _bfcl(given: argparse.Namespace) -> str:
    if not given.data.is_dir():
        raise SystemExit(f"{given.data} is not there; name the folder of BFCL with --data")
    if given.model is None:
        return faults(given.data, given.results)
    return answers(
        given.model, given.data, url=given.url, each=given.questions, results=given.results
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="How well a model fills in arguments.")
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("board", help="twelve kinds of calls")
    one.add_argument("--model", default="local", help="or right, mutated, mute: without a model")
    one.add_argument("--only", action="append", default=[], metavar="KIND")
    one.add_argument("--trials", type=int, default=10)
    one.add_argument("--attempts", type=int, default=6, help="in one trial")
    one.add_argument("--free", action="store_true", help="do not hold replies to the schema")
    one.set_defaults(run=_board)
    two = commands.add_parser("bfcl", help="the right calls of BFCL with faults in them")
    two.add_argument("--data", type=Path, default=BFCL)
    two.add_argument("--model", help="let it answer the questions")
    two.add_argument("--questions", type=int, default=20, help="of each category")
    two.set_defaults(run=_bfcl)
    for each in (one, two):
        each.add_argument("--url", help="of a server for `--model openai:NAME`")
        each.add_argument("--results", type=Path, default=RESULTS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
