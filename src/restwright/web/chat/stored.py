"""The records of a run that the journal has, for a page that shows it after its process."""

from __future__ import annotations

from restwright.agents.journal.conversations import list_steps
from restwright.agents.journal.store import Journal
from restwright.agents.memory.turn import Turn
from restwright.agents.runtime.budget import find_price
from restwright.agents.steps import Call, Say
from restwright.errors import UnusableSession
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.web.chat.records import RecordKind, RecordMaker, RunImage, RunRecord


def read_records(journal: Journal, turn: Turn, catalog: Catalog) -> tuple[RunRecord, ...]:
    """Return what is kept of a turn; nothing where it is damaged."""
    records: list[RunRecord] = []

    def add(kind: RecordKind, text: str, data: JsonObject) -> None:
        records.append(RunRecord(len(records) + 1, kind, text, data, 0.0, 0))

    maker = RecordMaker(add, _no_image, find_price(turn.model))
    try:
        steps = list_steps(journal, turn.session)
    except UnusableSession:
        return ()
    for step, outcome in steps:
        tool = catalog.find(step.tool) if isinstance(step, Call) else None
        if isinstance(step, Say):
            maker.record_event(step.event)
        elif isinstance(step, Call) and tool is not None:
            maker.record_stored_call(step, tool, outcome)
        else:
            maker.record_stored_step(step, outcome)
    if turn.has_ended and turn.answer is not None:
        add("end", turn.answer.stopped, {})
    return tuple(records)


def _no_image(image: RunImage) -> int | None:
    del image
    return None
