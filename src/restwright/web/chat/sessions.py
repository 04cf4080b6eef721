"""The chats and runs that are kept, as a page lists them."""

from __future__ import annotations

from dataclasses import dataclass

from restwright.agents.journal.conversations import StoredConversation, load_conversations
from restwright.web.chat.chats import Chats
from restwright.web.chat.runs import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """
    A chat in a list.

    Args:
        question: Of its first turn.
        started: Seconds since the epoch, of its latest turn; None where it is in memory alone.
        stopped: How its latest turn ended; `running` while it goes on.
    """

    id: str
    question: str
    turns: int
    model: str
    stopped: str
    started: float | None = None
    is_kept: bool = True


def list_sessions(chats: Chats, query: str, owner: str = "") -> list[SessionLine]:
    """
    Return the chats that have all words of a query in what was asked, the latest first.

    Args:
        query: Compared without regard to case; empty for all.
    """
    running = {chat.id: chat.running for chat in chats.in_memory(owner)}
    kept = load_conversations(chats.journal) if chats.journal is not None else ()
    words = query.casefold().split()
    lines = [_stored_line(each, running.get(each.id)) for each in kept if _has_words(each, words)]
    known = {line.id for line in lines} | {each.id for each in kept}
    unkept = [
        SessionLine(
            id=chat.id,
            question=chat.turns[0].question,
            turns=len(chat.turns),
            model=chat.model,
            stopped="running" if chat.running else "",
            is_kept=False,
        )
        for chat in chats.in_memory(owner)
        if chat.id not in known
        and all(word in " ".join(t.question for t in chat.turns).casefold() for word in words)
    ]
    return [*unkept, *lines]


def _has_words(stored: StoredConversation, words: list[str]) -> bool:
    said = " ".join(turn.session.header.question for turn in stored.turns)
    text = f"{said} {stored.id}".casefold()
    return all(word in text for word in words)


def _stored_line(stored: StoredConversation, running: Run | None) -> SessionLine:
    turns = stored.active_turns
    last = turns[-1].session
    stopped = "damaged" if last.is_damaged else last.stopped or "interrupted"
    return SessionLine(
        id=stored.id,
        question=turns[0].session.header.question,
        turns=len({turn.number for turn in turns}),
        model=last.header.model,
        stopped="running" if running is not None else stopped,
        started=last.started,
    )
