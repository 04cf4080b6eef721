"""`restwright-bench servers` and `servers-setup`: agents over real servers, and installing them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from restwright.cli.render.output import Output
from restwright_bench.task_options import IsList, Kinds, Lines, ModelURL, Seconds, Seeds, Split

if TYPE_CHECKING:
    from restwright_bench.servers.running import Trial
    from restwright_bench.servers.server import Server
    from restwright_bench.servers.tasks import Exam

DONE = 0
Names = Annotated[list[str] | None, Argument(metavar="NAME...", help="Servers; else all.")]
Folder = Annotated[
    Path | None,
    Option(
        "--folder",
        metavar="FOLDER",
        help="Where servers are; else RESTWRIGHT_BENCH_SERVERS, else the cache.",
    ),
]


def servers(
    names: Names = None,
    agent: Annotated[
        str, Option("--agent", metavar="KINDS", help="rest, react, plan, calling; several: a,b.")
    ] = "rest",
    model: Annotated[
        str, Option("--model", metavar="NAME", help="local, or PROVIDER:NAME.")
    ] = "local",
    model_url: ModelURL = None,
    seeds: Seeds = "0",
    languages: Annotated[
        str, Option("--languages", metavar="LIST", help="Of the questions: en, fr, de; else all.")
    ] = "",
    kinds: Kinds = "",
    split: Split = "dev",
    folder: Folder = None,
    seconds: Seconds = 600.0,
    to: Lines = None,
    *,
    is_list: IsList = False,
    out: Output,
) -> int:
    """Let agents do tasks over real servers, and judge answers and the servers' state."""
    from restwright.agents.models.registry import model_named
    from restwright_bench.agent_runs import kinds_of
    from restwright_bench.commands import seeds_of
    from restwright_bench.servers.running import LIMITS, Trial, file_of
    from restwright_bench.servers.setup import default_folder, installed, servers_named
    from restwright_bench.servers.tasks import choose_tasks, exam_of

    chosen = servers_named(names or (), split)
    exams: list[tuple[Server, Exam]] = []
    for server in chosen:
        for seed in seeds_of(seeds):
            exam = exam_of(server, seed)
            tasks = tuple(choose_tasks(exam.tasks, languages, kinds))
            exams.append((server, replace(exam, tasks=tasks)))
    if is_list:
        return _list_tasks(exams, out)
    agents, place = kinds_of(agent), folder or default_folder()
    for server in chosen:
        installed(server, place)
    file = to or file_of(model)
    opened: Any = model_named(model, url=model_url)
    with closing(opened) as asked:
        trial = Trial(model=asked, kinds=agents, limits=replace(LIMITS, seconds=seconds))
        for server, exam in exams:
            _run(server, exam, (place, file), trial, out)
    return _show(file, agents, [server.name for server in chosen], out)


def servers_setup(
    names: Names = None,
    split: Split = "all",
    folder: Folder = None,
    *,
    again: Annotated[bool, Option("--again", help="Also what is installed already.")] = False,
    out: Output,
) -> int:
    """Install real servers from PyPI, npm and Debian into a folder; nothing outside of it."""
    from restwright_bench.servers.setup import default_folder, install, servers_named

    place = folder or default_folder()
    for server in servers_named(names or (), split):
        out.note(f"{server.name}: {', '.join(server.packages)} from {server.registry} ...")
        done = install(server, place, again=again)
        out.text(f"{server.name}: {'installed' if done else 'is there'}: {place / server.name}")
    return DONE


def _list_tasks(exams: Sequence[tuple[Server, Exam]], out: Output) -> int:
    for server, exam in exams:
        for task in exam.tasks:
            place = f"{task.server} {task.seed} {task.split}"
            out.text(f"{place}\t{task.kind}\t{task.language}\t{task.question}")
        out.note(f"{server.name}: {len(exam.tasks)} tasks")
    return DONE


def _run(server: Server, exam: Exam, places: tuple[Path, Path], trial: Trial, out: Output) -> None:
    from restwright_bench.any.lines import describe_line
    from restwright_bench.servers.running import left_tasks, new_lines
    from restwright_bench.servers.setup import installed
    from restwright_bench.servers.stage import staged

    folder, file = places
    left = left_tasks(exam.tasks, trial.kinds, file)
    if not left:
        return
    with staged(server, installed(server, folder), exam) as stage:
        for line in new_lines(left, stage, trial, file):
            # What a never-read server was made to do stays unread on the screen too.
            out.note(describe_line(line, shows_harm=line["split"] == "dev"))


def _show(file: Path, kinds: Sequence[str], names: Sequence[str], out: Output) -> int:
    from restwright_bench.any.command import table_of
    from restwright_bench.calling.kept import records

    lines = [line for line in records(file) if line["kind"] in kinds and line["document"] in names]
    for text in table_of(lines):
        out.text(text)
    return DONE
