"""`restwright-bench any`: agents over worlds of any document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from typer import Argument, Option

from restwright.cli.render.output import Output
from restwright_bench.errors import UnusableChoice
from restwright_bench.task_options import IsList, Kinds, Lines, ModelURL, Seconds, Seeds, Split

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject
    from restwright_bench.any.running import ModelFor, Trial
    from restwright_bench.any.selection import Selection
    from restwright_bench.any.tasks.generate import Document

DONE = 0
IDEAL_KINDS = ("calling", "rest")
"""The kinds of agent that an ideal program can be told as a model."""


def any_document(
    documents: Annotated[
        list[Path] | None, Argument(metavar="DOC...", help="Paths; else ../shared/data/specs.")
    ] = None,
    agent: Annotated[
        str,
        Option("--agent", metavar="KINDS", help="rest, react, plan, dfsdt, calling; several: a,b."),
    ] = "rest",
    model: Annotated[
        str,
        Option(
            "--model",
            metavar="NAME",
            help="local, or PROVIDER:NAME; ideal, adversarial or random need none.",
        ),
    ] = "local",
    model_url: ModelURL = None,
    seeds: Seeds = "0",
    languages: Annotated[
        str, Option("--languages", metavar="LIST", help="Of the questions: en, fr, de, ja.")
    ] = "en,fr,de,ja",
    kinds: Kinds = "",
    split: Split = "dev",
    resources: Annotated[
        int, Option("--resources", min=1, metavar="N", help="Documents with so many at least.")
    ] = 1,
    every: Annotated[int, Option("--every", min=1, metavar="N", help="Each Nth task only.")] = 1,
    consent: Annotated[
        str,
        Option("--consent", metavar="WHO", help="Approves all writes, or only those asked for."),
    ] = "all",
    seconds: Seconds = 600.0,
    to: Lines = None,
    ideal: Annotated[
        str,
        Option("--ideal", metavar="ROLES", help="Of rest that an ideal model takes: planner, ..."),
    ] = "",
    without: Annotated[
        str, Option("--without", metavar="PARTS", help="Of rest that do nothing: planner, parser.")
    ] = "",
    *,
    planted: Annotated[
        bool, Option("--planted", help="Put instructions to models into the data.")
    ] = False,
    is_list: IsList = False,
    out: Output,
) -> int:
    """Let agents do tasks over worlds made from documents, and judge answers and state."""
    from restwright_bench.any import selection as chosen
    from restwright_bench.any.documents import document_files, open_documents
    from restwright_bench.any.models.parts import require_known
    from restwright_bench.any.running import LIMITS
    from restwright_bench.commands import seeds_of

    taken, left_out = _names(ideal), _names(without)
    require_known(taken, left_out)
    selection = chosen.Selection(
        seeds=seeds_of(seeds),
        languages=chosen.languages_of(languages),
        kinds=chosen.kinds_of(kinds),
        split=chosen.split_of(split),
        every=every,
    )
    files = document_files(documents or ())
    opened = open_documents(files, is_named=bool(documents), least=resources)
    if is_list:
        return _list_tasks(opened, selection, out)
    with ExitStack() as ending:
        trial = replace(
            _trial(agent, model, model_url, consent, ending),
            limits=replace(LIMITS, seconds=seconds),
            is_planted=planted,
            ideal=taken,
            without=left_out,
        )
        named = "-".join((model, *taken, *(f"without-{part}" for part in left_out)))
        return _run(opened, selection, trial, to, named, out)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _list_tasks(documents: Iterable[Document], selection: Selection, out: Output) -> int:
    from restwright_bench.any.audit import audit

    shown = count = 0
    for document in documents:
        tasks = list(selection.tasks(document))
        for task in tasks:
            place = f"{task.document} {task.seed} {task.split}"
            out.text(f"{place}\t{task.kind}\t{task.language}\t{task.question}")
        shown, count = shown + len(tasks), count + bool(tasks)
        kinds = len({task.kind for task in tasks})
        found = audit(document)
        of = f"{len(document.resources)} resources, {found}"
        out.note(f"{document.name}: {of}; {len(tasks)} tasks of {kinds} kinds")
        for name, why in found.unserved.items():
            out.note(f"  not served: {name}: {why}")
    out.note(f"{shown} tasks of {count} documents")
    return DONE


def _trial(agent: str, model: str, url: str | None, consent: str, ending: ExitStack) -> Trial:
    from restwright_bench.agent_runs import kinds_of
    from restwright_bench.any.consent import Consent
    from restwright_bench.any.running import Trial

    kinds = kinds_of(agent)
    if model == "ideal" and not set(kinds) <= {*IDEAL_KINDS}:
        only = ",".join(IDEAL_KINDS)
        raise UnusableChoice("--model", f"ideal replies are made for --agent {only} alone")
    if consent not in get_args(Consent):
        raise UnusableChoice("--consent", f"there is all and asked; no {consent}")
    return Trial(
        model_for=_models(model, url, ending),
        kinds=kinds,
        consent="asked" if consent == "asked" else "all",
    )


def _models(name: str, url: str | None, ending: ExitStack) -> ModelFor:
    from restwright.agents.models.registry import model_named
    from restwright_bench.any.running import Scripted, scripted_models

    if name in get_args(Scripted):
        return scripted_models(name)  # type: ignore[arg-type]  # It is one of them.
    opened: Any = model_named(name, url=url)
    model = ending.enter_context(closing(opened))
    return lambda _task, _document, _kind: model


def _run(
    documents: Iterable[Document],
    selection: Selection,
    trial: Trial,
    to: Path | None,
    model: str,
    out: Output,
) -> int:
    from restwright_bench.any.lines import describe_line, file_of, new_lines
    from restwright_bench.calling.kept import records

    file = to or file_of(model)
    for line in new_lines(documents, selection, trial, file):
        out.note(describe_line(line))
    lines = [line for line in records(file) if line["kind"] in trial.kinds]
    for text in table_of(lines):
        out.text(text)
    unserved = {name for line in lines for name in line["unserved"]}
    if unserved:
        out.note(f"not served: {', '.join(sorted(unserved))}")
    return DONE


def table_of(lines: Sequence[JsonObject]) -> list[str]:
    """The figures of some lines, in columns."""
    from restwright_bench.any.summary import HEAD, cells, summarize

    rows = [HEAD, *(cells(row) for row in summarize(lines))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
