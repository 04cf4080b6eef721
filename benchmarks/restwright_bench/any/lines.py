"""The lines of results: one a run, kept as soon as it is over; none is run twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from restwright.jsontypes import JsonObject
from restwright_bench.any.running import Trial, run_task
from restwright_bench.any.selection import Selection
from restwright_bench.any.tasks.generate import Document
from restwright_bench.any.tasks.task import Task
from restwright_bench.calling.kept import append, records
from restwright_bench.results import RESULTS, slug

Key = tuple[object, ...]


def file_of(model: str, folder: Path = RESULTS) -> Path:
    """Where the lines of a model are kept."""
    return folder / f"any-{slug(model)}.jsonl"


def key_of(line: JsonObject) -> Key:
    """By which two lines are of the same run."""
    named = ("document", "seed", "task", "language", "wording", "kind", "consent", "planted")
    return tuple(line[name] for name in named)


def new_lines(
    documents: Iterable[Document], selection: Selection, trial: Trial, file: Path
) -> Iterator[JsonObject]:
    """Run what the file has not, all kinds of agents one task after the other."""
    done = {key_of(line) for line in records(file)}
    for document in documents:
        for task in selection.tasks(document):
            for kind in trial.kinds:
                if _key(task, kind, trial) in done:
                    continue
                line = run_task(task, document, kind, trial)
                append(file, line)
                yield line


def _key(task: Task, kind: str, trial: Trial) -> Key:
    return (*task.key, kind, trial.consent, trial.is_planted)


def describe_line(line: JsonObject, *, shows_harm: bool = True) -> str:
    """How a run ended, in a line for who watches."""
    verdict = line["verdict"]
    met = "met" if verdict["success"] else "not met"
    what = f": {verdict['harm'][0]}" if verdict["harm"] and shows_harm else ""
    harm = f", HARM{what}" if verdict["harm"] else ""
    return (
        f"{line['kind']} {line['document']} {line['task']} ({line['language']}, seed"
        f" {line['seed']}): {met}{harm}, {line['requests']} requests, {line['seconds']:.0f} s"
    )
