"""`sessions list`, `export` and `delete`: the runs that are kept, to be taken up or looked at."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.failures import DONE
from restwright.cli.output import Output, counted, one_line
from restwright.typing import JsonObject

if TYPE_CHECKING:
    from restwright.agents.journal import Listed

SessionId = Annotated[str, Argument(metavar="ID", help="As `sessions list` prints it.")]
_COLUMNS = ("id", "started", "stopped", "question")
_INTERRUPTED = "-"


def list_sessions(*, out: Output) -> int:
    """List the runs that are kept, the latest first."""
    from restwright.agents.journal import Journal

    with Journal() as journal:
        sessions = journal.sessions()
    if out.json:
        out.value({"sessions": [_record(each) for each in sessions]})
        return DONE
    rows = [_row(each) for each in sessions]
    if sys.stdout.isatty() and rows:
        from restwright.cli.tables import print_table

        print_table(_COLUMNS, rows)
    else:
        for row in rows:
            out.text("\t".join(row))
    out.note(f"{counted(len(rows), 'session')} in {journal.path}")
    return DONE


def export(session: SessionId, *, out: Output) -> int:
    """Print a run as lines of JSON: what it was about, then each step, sending and outcome."""
    from restwright.agents.journal import Journal

    with Journal() as journal:
        head, *events = journal.export(session)
    if out.json:
        out.value({**head, "events": events})
        return DONE
    for each in (head, *events):
        out.text(json.dumps(each, ensure_ascii=False))
    return DONE


def delete(
    sessions: Annotated[
        list[str] | None, Argument(metavar="ID", help="As `sessions list` prints them.")
    ] = None,
    every: Annotated[bool, Option("--every", help="All that are kept.")] = False,
    *,
    out: Output,
) -> int:
    """Delete runs with all that is kept of them."""
    from restwright.agents.journal import Journal

    if bool(sessions) == every:
        raise BadParameter("name the sessions to delete, or give --every")
    with Journal() as journal:
        kept = [each.id for each in journal.sessions()]
        deleted = journal.delete(kept if every else sessions or ())
    if out.json:
        out.value({"sessions": deleted})
    else:
        out.text(f"{counted(deleted, 'session')} deleted")
    return DONE


def _record(listed: Listed) -> JsonObject:
    return {
        "id": listed.id,
        "started": _time(listed),
        "stopped": listed.stopped or None,
        "events": listed.events,
        **asdict(listed.opening),
    }


def _row(listed: Listed) -> tuple[str, ...]:
    stopped = listed.stopped or _INTERRUPTED
    return listed.id, _time(listed), stopped, one_line(listed.opening.question)


def _time(listed: Listed) -> str:
    return datetime.fromtimestamp(listed.started, UTC).isoformat(timespec="seconds")
