"""Runs tasks in modes; each is kept as soon as it has ended, so that a run can go on later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from restwright.jsontypes import JsonObject
from restwright_bench.calling.kept import append, records
from restwright_bench.results import machine, slug
from restwright_bench.spaces.choosers import PROMPTS
from restwright_bench.spaces.modes import MODES
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.questions import questions
from restwright_bench.spaces.space import Space, apis
from restwright_bench.spaces.trial import Chooser, Trial, tried


def results_file(folder: Path, model: str) -> Path:
    """Where the trials of a model are kept."""
    return folder / f"spaces-{slug(model)}.jsonl"


def run_spaces(
    chooser: Chooser,
    space: Space,
    file: Path | None,
    *,
    modes: Iterable[str] = tuple(MODES),
    asked: Iterable[Question] | None = None,
    seed: int = 0,
    say: Callable[[Trial], None] = lambda _trial: None,
) -> list[JsonObject]:
    """
    Run what is not in `file` yet; the lines of everything that was asked for.

    What was run with other documents, tasks or prompts under the same names counts as not run.

    Args:
        file: Where lines are added; None to keep nothing.
        asked: The tasks; all where None.
        say: Called after each trial that was run.

    Raises:
        ModelUnavailable: There is no model to ask.
    """
    picked, version = [*(asked or questions())], digest()
    wanted = [(mode, each.name) for mode in modes for each in picked]
    kept = {_key(each): each for each in _kept(file, version, seed)}
    by_name = {each.name: each for each in picked}
    for mode, name in wanted:
        if (mode, name) in kept:
            continue
        trial = tried(chooser, by_name[name], mode, space, seed=seed)
        line = {**trial.line(), "digest": version, "machine": machine()}
        if file is not None:
            append(file, line)
        kept[mode, name] = line
        say(trial)
    return [kept[each] for each in wanted]


def digest() -> str:
    """Of the documents, the tasks and the prompts: what makes two runs comparable."""
    tasks = [[each.name, each.text] for each in questions()]
    whole = [[each.document for each in apis()], tasks, PROMPTS]
    return sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]


def _kept(file: Path | None, version: str, seed: int) -> Iterator[JsonObject]:
    for line in records(file) if file is not None else ():
        if line.get("digest") == version and line.get("seed") == seed:
            yield line


def _key(line: JsonObject) -> tuple[str, str]:
    return line["mode"], line["question"]
