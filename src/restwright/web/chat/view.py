"""A turn of a chat as its page shows it, whole and while it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from markupsafe import Markup

from restwright.agents.memory.turn import Turn
from restwright.agents.runtime.stream_events import ApprovalEvent, AskingEvent
from restwright.jsontypes import JsonObject
from restwright.web.chat.chats import Chat, Chats, ChatTurn
from restwright.web.chat.markdown import GrowingMarkdown, render_markdown
from restwright.web.chat.records import RunRecord
from restwright.web.chat.runs import Run
from restwright.web.chat.trace import (
    PlanLine,
    Totals,
    TraceLine,
    ValueOrigin,
    list_lines,
    read_plan,
    sum_up,
    trace_origins,
)
from restwright.web.rendering import render_text

_STATES = {
    "running": "Working",
    "answered": "Answered",
    "limit": "Stopped at a limit",
    "question": "Needs an answer",
    "refused": "Not allowed",
    "error": "Failed",
    "failed": "Failed",
    "stopped": "Stopped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """
    All that is shown of a turn.

    Args:
        key: Of its elements in the page.
        number: Its place in the chat, from 1.
        state: In words.
        reason: One line more about a turn without an answer.
        writes: What it sent, `(tool, what came of it)`.
    """

    key: str
    number: int
    question: str
    speaker: str
    state: str
    is_running: bool
    is_answered: bool
    can_resume: bool
    session: str
    answer: Markup
    reason: str
    plan: tuple[PlanLine, ...] = ()
    lines: tuple[TraceLine, ...] = ()
    totals: Totals = field(default_factory=Totals)
    images: tuple[str, ...] = ()
    writes: tuple[tuple[str, str], ...] = ()
    run: Run | None = None
    last: int = 0
    asked: AskingEvent | None = None
    origins: tuple[ValueOrigin, ...] = ()


def show_turn(chats: Chats, chat: Chat, turn: ChatTurn) -> TurnView:
    """Return what is shown of a turn of a chat."""
    number, run = _number_of(chat, turn), turn.run
    records = run.records() if run is not None else _records_of(chats, chat, turn)
    stopped = _stopped(turn)
    return TurnView(
        key=f"t{number}",
        number=number,
        question=turn.question,
        speaker=chats.speakers[turn.speaker].title,
        state=_STATES.get(stopped, "Interrupted"),
        is_running=turn.is_running,
        is_answered=stopped == "answered",
        can_resume=turn.can_resume,
        session=turn.session,
        answer=render_markdown(_answer_text(turn, records), image_addresses(run)),
        reason=_reason(turn, records),
        plan=read_plan(records),
        lines=list_lines(records),
        totals=sum_up(records),
        images=tuple(image_addresses(run).values()),
        writes=tuple((write.tool, write.effect) for write in turn.turn.writes)
        if turn.turn is not None
        else (),
        run=run,
        last=run.last if run is not None else 0,
        asked=run.pending if run is not None else None,
        origins=_origins(chats, chat, run),
    )


@dataclass(slots=True)
class RunUpdates:
    """What becomes of a page by new records of a run; one for each page that watches."""

    chats: Chats
    chat: Chat
    run: Run
    _words: GrowingMarkdown = field(default_factory=GrowingMarkdown)
    _turn: ChatTurn = field(init=False)

    def __post_init__(self) -> None:
        self._turn = next(own for own in self.chat.turns if own.run is self.run)

    def render(self, records: Sequence[RunRecord]) -> str:
        """Return it as HTML. Words are many, and nothing but the answer becomes another by them."""
        turn = self._turn
        if all(record.kind == "words" for record in records):
            answer = self._words.render(_answer_text(turn, self.run.records()))
            key = f"t{_number_of(self.chat, turn)}"
            return render_text("chat_words.html", key=key, answer=answer)
        return _render_update(self.chats, self.chat, turn, records)


def _render_update(chats: Chats, chat: Chat, turn: ChatTurn, records: Sequence[RunRecord]) -> str:
    shown = show_turn(chats, chat, turn)
    kinds = {record.kind for record in records}
    new = list_lines(records)
    return render_text(
        "chat_update.html",
        chat=chat,
        turn=shown,
        new=new,
        has_plan=bool(shown.plan),
        has_words=bool(kinds & {"words", "answer", "end"}),
        has_asked=bool(kinds & {"approval", "question", "decision", "end"}),
        has_ended="end" in kinds,
    )


def _number_of(chat: Chat, turn: ChatTurn) -> int:
    return next(place for place, own in enumerate(chat.turns, 1) if own is turn)


def image_addresses(run: Run | None) -> dict[str, str]:
    """`{address that an API knows an image by: address of it here}`."""
    if run is None:
        return {}
    return {
        image.url: f"/chat/runs/{run.id}/images/{number}"
        for number, image in enumerate(run.images, 1)
    }


def turn_to_json(turn: ChatTurn) -> JsonObject:
    """Return a turn for programs."""
    ended = turn.turn
    answer = ended.answer if ended is not None else None
    return {
        "question": turn.question,
        "agent": turn.speaker or None,
        "answer": answer.text if answer is not None else "",
        "stopped": _stopped(turn),
        "reason": answer.reason if answer is not None else "",
        "session": turn.session or None,
        "run": turn.run.id if turn.run is not None else None,
        "calls": [asdict(call) for call in ended.calls] if ended is not None else [],
        "usage": asdict(ended.usage) if ended is not None else None,
    }


def _stopped(turn: ChatTurn) -> str:
    if turn.is_running:
        return "running"
    if turn.run is not None and turn.run.state in {"stopped", "failed"}:
        return turn.run.state
    if turn.run is not None and turn.run.answer is not None:
        return turn.run.answer.stopped
    return turn.turn.answer.stopped if turn.turn and turn.turn.answer else "interrupted"


def _answer_text(turn: ChatTurn, records: Sequence[RunRecord]) -> str:
    if turn.run is not None and turn.run.answer is not None:
        return turn.run.answer.text
    if turn.run is None:
        return turn.turn.answer.text if turn.turn and turn.turn.answer else ""
    words = [record for record in records if record.kind == "words"]
    latest = max((record.data.get("reply", 0) for record in words), default=0)
    return "".join(record.text for record in words if record.data.get("reply", 0) == latest)


def _reason(turn: ChatTurn, records: Sequence[RunRecord]) -> str:
    if turn.run is None:
        return turn.turn.answer.reason if turn.turn and turn.turn.answer else ""
    if (answer := turn.run.answer) is not None:
        return "" if answer.reason in answer.text else answer.reason
    return records[-1].text if turn.run.has_ended and turn.run.state == "failed" else ""


def _origins(chats: Chats, chat: Chat, run: Run | None) -> tuple[ValueOrigin, ...]:
    asked = run.pending if run is not None else None
    if run is None or not isinstance(asked, ApprovalEvent):
        return ()
    tool = chats.catalog_agent(chat).catalog.find(asked.tool)
    path, schema = (tool.operation.path, tool.checks) if tool is not None else ("", None)
    said = [turn.question for turn in chat.turns]
    return trace_origins(asked.request, path, said, run.records(), schema)


def _records_of(chats: Chats, chat: Chat, turn: ChatTurn) -> tuple[RunRecord, ...]:
    """What the journal has of a turn whose run is no longer in memory."""
    from restwright.web.chat.stored import read_records

    ended: Turn | None = turn.turn
    if chats.journal is None or ended is None or not ended.session:
        return ()
    return read_records(chats.journal, ended, chats.catalog_agent(chat).catalog)
