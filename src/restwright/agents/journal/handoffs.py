"""The hand-overs of a journal: which session an agent handed over to when it ended its own."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.agents.journal.rows import SessionHeader
from restwright.agents.journal.store import Journal


def first_session(before: Mapping[str, str], session: str) -> str:
    """
    Return the session that a run began with.

    Args:
        before: What `Journal.handoffs()` returned.
        session: Any of those that the run consists of.
    """
    seen = {session}
    while (first := before.get(session, session)) not in seen:
        seen.add(first)
        session = first
    return session


def start_handoff(journal: Journal, before: str, opening: SessionHeader) -> str:
    """
    Return the session that another one hands over to; it is begun where that is still to be done.

    Args:
        opening: Of the session, where it is begun.

    Raises:
        UnusableSession: Another process is at the one that hands over.
    """
    # Who has that one is alone here: else two processes would begin one each.
    handing = journal.resume(before)
    try:
        for session, by in journal.handoffs(before).items():
            if by == before:
                return session
        begun = journal.start(opening, before=before)
        begun.release()
        return begun.id
    finally:
        handing.release()
