"""`queue add`, `list`, `retry`: the runs that workers take up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.chat.views import print_table
from restwright.cli.inputs.run_options import JournalPlace, QueueName
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted
from restwright.workspace.documents import question_from

if TYPE_CHECKING:
    from restwright.workers.queues import QueuedRun, RunQueue

_COLUMNS = ("session", "enqueued", "state", "worker", "priority", "attempts", "agent", "why")


def add(
    question: Annotated[
        str, Argument(metavar="QUESTION", help="In any language; - reads it from standard input.")
    ],
    *,
    queue: QueueName,
    name: Annotated[
        str | None,
        Option(
            "--name",
            metavar="NAME",
            help="Of its session. Added twice under one name, a question is asked once.",
        ),
    ] = None,
    agent: Annotated[
        str,
        Option(
            "--agent",
            metavar="NAME",
            help="Which of a worker's agents is asked: the name of a manifest, or restwright for"
            " that over documents; may be left out where there is one.",
        ),
    ] = "",
    priority: Annotated[
        int, Option("--priority", min=1, metavar="N", help="What is lower goes first.")
    ] = 100,
    place: JournalPlace,
    out: Output,
) -> int:
    """Have a worker answer a question, and print the session by which the run is known."""
    asked = question_from(question)
    with _opened(place, queue) as opened:
        session = opened.add(asked, name=name, agent=agent, priority=priority)
    if out.json:
        out.value({"session": session})
    else:
        out.text(session)
    return DONE


def list_runs(
    *,
    queue: QueueName,
    every: Annotated[bool, Option("--every", help="Those that have ended too.")] = False,
    place: JournalPlace,
    out: Output,
) -> int:
    """List the runs of a queue that are waited for, at work or failed, the oldest first."""
    from restwright.workers.queues import LISTED

    with _opened(place, queue) as opened:
        runs = opened.list(is_all=every)
    if len(runs) == LISTED:
        out.warn(f"only the first {LISTED:,} runs are listed")
    if out.json:
        out.value({"runs": [{**asdict(run), "enqueued": _time(run)} for run in runs]})
        return DONE
    print_table(_COLUMNS, [_row(run) for run in runs], out)
    out.note(counted(len(runs), "run"))
    return DONE


def retry(
    sessions: Annotated[
        list[str] | None, Argument(metavar="SESSION", help="As `queue list` prints it.")
    ] = None,
    *,
    queue: QueueName,
    every: Annotated[bool, Option("--every", help="All that failed, or are dead.")] = False,
    place: JournalPlace,
    out: Output,
) -> int:
    """Put runs back that failed, or that too many workers died with."""
    if bool(sessions) == every:
        raise BadParameter("name the sessions to put back, or give --every")
    with _opened(place, queue) as opened:
        failed = opened.list(is_failed=True, limit=None) if every else ()
        done = opened.retry(sorted({run.session for run in failed}) if every else sessions or ())
    if out.json:
        out.value({"runs": done})
    else:
        out.text(f"{counted(done, 'run')} put back")
    return DONE


@contextmanager
def _opened(place: JournalPlace, queue: str) -> Generator[RunQueue]:
    from restwright.workers.queues import RunQueue

    with place.open() as journal, RunQueue(journal, queue) as opened:
        yield opened


def _row(run: QueuedRun) -> tuple[str, ...]:
    numbers = (str(run.priority), str(run.attempts))
    return run.session, _time(run), run.state, run.worker, *numbers, run.agent, run.why


def _time(run: QueuedRun) -> str:
    return datetime.fromtimestamp(run.enqueued, UTC).isoformat(timespec="seconds")
