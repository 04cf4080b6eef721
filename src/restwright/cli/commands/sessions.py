"""`sessions list`, `show`, `export`, `delete`, `prune`: runs that are kept, alone or as chats."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.chat.views import print_table
from restwright.cli.inputs.options import Described
from restwright.cli.inputs.run_options import JournalPlace
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted, one_line
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject
from restwright.workspace.documents import load_catalog
from restwright.workspace.output_files import named_from, write_new

if TYPE_CHECKING:
    from restwright.agents.journal.conversations import StoredConversation, StoredTurn
    from restwright.agents.journal.rows import SessionSummary
    from restwright.agents.journal.store import Journal

SessionId = Annotated[
    str,
    Argument(
        metavar="ID",
        help="As `sessions list` prints it; or of one turn, as `sessions show` does.",
    ),
]
OneTurn = Annotated[
    int | None,
    Option("--turn", min=1, metavar="N", help="Only this turn, as `sessions show` counts them."),
]
_COLUMNS = ("id", "started", "stopped", "question", "turns")
_TURN_COLUMNS = ("turn", "id", "started", "stopped", "question")
_INTERRUPTED, _UNDONE, _DAMAGED = "-", "undone", "damaged"
_LONGEST = 100
_WAITING, _QUEUED = "waiting", "queued"
_UNITS_S = {"d": 86_400.0, "h": 3_600.0, "m": 60.0}


def list_sessions(*, place: JournalPlace, out: Output) -> int:
    """List the runs that are kept, those of one chat in one line, the latest first."""
    from restwright.agents.journal.conversations import load_conversations

    with place.open() as journal:
        kept = load_conversations(journal)
        waiting = {question.session for question in journal.questions()}
    turns = [(conversation, turn) for conversation in kept for turn in conversation.turns]
    if out.json:
        latest = sorted(turns, key=lambda each: (-each[1].session.started, each[1].session.id))
        sessions = [_record(*pair, waiting) for pair in latest]
        out.value(
            {
                "sessions": sessions,
                "conversations": [_conversation(conversation) for conversation in kept],
            }
        )
        return DONE
    print_table(_COLUMNS, [_row(conversation, waiting) for conversation in kept], out)
    held = counted(len(turns), "session")
    out.note(f"{counted(len(kept), 'conversation')}, {held} in {journal.where}")
    return DONE


def show(session: SessionId, *, place: JournalPlace, out: Output) -> int:
    """List the turns of a chat, in the order in which they were asked."""
    from restwright.agents.journal.conversations import find_conversation

    with place.open() as journal:
        kept = find_conversation(journal, session)
        waiting = {question.session for question in journal.questions()}
    if out.json:
        turns = [_record(kept, turn, waiting) for turn in kept.turns]
        out.value({"conversation": kept.id, "turns": turns})
    else:
        print_table(_TURN_COLUMNS, [_turn_row(turn, waiting) for turn in kept.turns], out)
    return DONE


@dataclass(frozen=True, kw_only=True)
class WorkflowOptions:
    """Options of an export as a workflow."""

    arazzo: Annotated[
        bool, Option("--arazzo", help="Write one finished run as a workflow; needs --api.")
    ] = False
    apis: Annotated[
        list[str] | None,
        Option("-a", "--api", metavar="DOC", help="With --arazzo: a document that the run had."),
    ] = None
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="FILE", help="With --arazzo: write it there."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored."""
        if not self.arazzo and (self.apis or self.output):
            raise BadParameter("--api and --output need --arazzo")
        if self.arazzo and not self.apis:
            raise BadParameter("--arazzo needs the documents that the run had: -a DOC")
        if self.output is not None and self.output.exists():
            raise BadParameter(f"--output: {self.output} is there already")


def export(
    session: SessionId,
    turn: OneTurn = None,
    *,
    workflow: WorkflowOptions,
    place: JournalPlace,
    described: Described,
    out: Output,
) -> int:
    """Print runs as lines of JSON: what each was about, then its steps, sendings and outcomes."""
    if workflow.arazzo:
        return _export_workflow(session, turn, workflow, place, described, out)
    with place.open() as journal:
        turns = _exported(journal, session, turn)
    if out.json:
        runs: list[JsonObject] = [{**head, "events": events} for head, *events in turns]
        out.value({**runs[0], "turns": runs} if len(runs) > 1 else runs[0])
        return DONE
    for item in (line for lines in turns for line in lines):
        out.text(json.dumps(item, ensure_ascii=False))
    return DONE


def _export_workflow(
    name: str,
    turn: int | None,
    options: WorkflowOptions,
    place: JournalPlace,
    described: Described,
    out: Output,
) -> int:
    """Write one run as a workflow, and say how it is replayed."""
    from restwright.agents.journal.conversations import find_conversation, list_calls
    from restwright.agents.workflow_draft import draft_workflow
    from restwright.openapi.syntax.yaml_writer import to_yaml

    catalog = load_catalog(options.apis or (), described.catalog_settings(), out.warn)
    with place.open() as journal:
        kept = find_conversation(journal, name)
        first, *others = _meant(kept, name, turn)
        if others:
            raise BadParameter("a workflow is of one run; name its turn with --turn")
        one = first.session
        known = {namespace: api.sha256 for namespace, api in catalog.apis.items()}
        if {**one.header.apis} != known:
            why = "it is of other documents, or they have changed since"
            raise UnusableSession(one.id, why)
        calls = list_calls(journal, one.id)
    urls = {
        namespace: named_from(api.source, options.output) for namespace, api in catalog.apis.items()
    }
    draft = draft_workflow(one.id, one.header.question, calls, catalog, urls=urls)
    text = to_yaml(draft.document)
    for note in draft.notes:
        out.note(f"note: {note}")
    if options.output is not None:
        write_new(options.output, text)
        inputs = json.dumps(draft.inputs, ensure_ascii=False)
        apart = [
            f"--source={name}={os.path.relpath(catalog.apis[name].source)}"
            for name, url in urls.items()
            if url.startswith("../")
        ]
        replay = ["restwright", "call", str(options.output), draft.workflow_id, inputs, *apart]
        out.note(f"replay it: {shlex.join(replay)}")
    if out.json:
        written = str(options.output) if options.output else None
        out.value({"workflow": draft.document, "inputs": draft.inputs, "file": written})
    elif options.output is None:
        out.text(text.rstrip("\n"))
    return DONE


def delete(
    sessions: Annotated[
        list[str] | None, Argument(metavar="ID", help="As of `sessions export`.")
    ] = None,
    every: Annotated[bool, Option("--every", help="All that are kept.")] = False,
    turn: OneTurn = None,
    *,
    place: JournalPlace,
    out: Output,
) -> int:
    """Delete runs, those of a chat all together, with all that is kept of them."""
    if bool(sessions) == every:
        raise BadParameter("name the sessions to delete, or give --every")
    if turn is not None and len(sessions or ()) != 1:
        raise BadParameter("--turn is of one chat; name that alone")
    with place.open() as journal:
        kept = [session.id for session in journal.sessions()]
        named = [text for name in sessions or () for text in _deleted(journal, name, turn)]
        deleted = journal.delete(kept if every else dict.fromkeys(named))
    if out.json:
        out.value({"sessions": deleted})
    else:
        out.text(f"{counted(deleted, 'session')} deleted")
    return DONE


def prune(
    keep: Annotated[
        str,
        Option(
            "--keep",
            metavar="AGE",
            help="How old the youngest part of what is deleted is at least: 30d, 12h, 90m.",
        ),
    ],
    *,
    place: JournalPlace,
    out: Output,
) -> int:
    """Delete runs that ended longer ago, and none that goes on, waits or was interrupted."""
    with place.open() as journal:
        deleted = journal.prune(_seconds(keep))
    if out.json:
        out.value({"sessions": deleted})
    else:
        out.text(f"{counted(deleted, 'session')} deleted")
    return DONE


def _seconds(age: str) -> float:
    number, unit = age[:-1], _UNITS_S.get(age[-1:])
    if unit is None or not number.isascii() or not number.isdigit():
        raise BadParameter("--keep takes a number and d, h or m, as 30d")
    return float(number) * unit


def _exported(journal: Journal, name: str, turn: int | None) -> list[list[JsonObject]]:
    """What each turn was about, and then its events."""
    from restwright.agents.journal.conversations import find_conversation

    kept = find_conversation(journal, name)
    found: list[list[JsonObject]] = []
    for stored_turn in _meant(kept, name, turn):
        head, *events = journal.export(stored_turn.session.id)
        found.append([{**head, **_place(kept, stored_turn)}, *events])
    return found


def _deleted(journal: Journal, name: str, turn: int | None) -> list[str]:
    """The sessions that go with a name; none for one that is not there."""
    from restwright.agents.journal.conversations import find_conversation

    try:
        kept = find_conversation(journal, name)
    except UnusableSession:
        return []
    return [stored_turn.session.id for stored_turn in _meant(kept, name, turn)]


def _meant(kept: StoredConversation, name: str, turn: int | None) -> tuple[StoredTurn, ...]:
    """
    The turns that are named: all by the id of the conversation, which its first turn has too.

    Raises:
        UnusableSession: There is no such turn.
    """
    found = tuple(
        stored_turn
        for stored_turn in kept.turns
        if name in {kept.id, stored_turn.session.id} and turn in {None, stored_turn.number}
    )
    if not found:
        raise UnusableSession(name, f"it has no turn {turn}")
    return found


def _place(kept: StoredConversation, turn: StoredTurn) -> JsonObject:
    return {
        "conversation": kept.id,
        "turn": turn.number,
        "is_undone": turn.is_undone,
        "handed_over_by": turn.handed_over_by,
    }


def _record(kept: StoredConversation, turn: StoredTurn, waiting: set[str]) -> JsonObject:
    listed = turn.session
    return {
        "id": listed.id,
        "started": _time(listed),
        "stopped": listed.stopped or None,
        "events": listed.events,
        **asdict(listed.header),
        **({"is_damaged": True} if listed.is_damaged else {}),
        **({"is_waiting": True} if listed.id in waiting else {}),
        **({"is_sealed": True} if listed.is_sealed else {}),
        **_place(kept, turn),
    }


def _conversation(kept: StoredConversation) -> JsonObject:
    first, last = kept.active_turns[0].session, kept.active_turns[-1].session
    return {
        "id": kept.id,
        "started": _time(last),
        "stopped": last.stopped or None,
        "question": first.header.question,
        "turns": [stored_turn.session.id for stored_turn in kept.active_turns],
    }


def _row(kept: StoredConversation, waiting: set[str]) -> tuple[str, ...]:
    first, last = kept.active_turns[0].session, kept.active_turns[-1]
    question = one_line(first.header.question)
    if len(question) > _LONGEST:
        question = f"{question[:_LONGEST]}..."
    turns = {stored_turn.number for stored_turn in kept.active_turns}
    return kept.id, _time(last.session), _stopped(last, waiting), question, str(len(turns))


def _turn_row(turn: StoredTurn, waiting: set[str]) -> tuple[str, ...]:
    listed = turn.session
    question = one_line(listed.header.question)
    return str(turn.number), listed.id, _time(listed), _stopped(turn, waiting), question


def _stopped(turn: StoredTurn, waiting: set[str]) -> str:
    if turn.session.is_damaged:
        return _DAMAGED
    if turn.session.id in waiting:
        return _WAITING
    if not (turn.session.header.is_begun or turn.session.stopped):
        return _QUEUED
    return _UNDONE if turn.is_undone else turn.session.stopped or _INTERRUPTED


def _time(listed: SessionSummary) -> str:
    return datetime.fromtimestamp(listed.started, UTC).isoformat(timespec="seconds")
