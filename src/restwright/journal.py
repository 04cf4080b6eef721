"""
Runs and conversations that are kept, and can be taken up again.

`restwright.journal(place)` opens a journal; the names here are what it works with.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from restwright.agents.conversation import Conversation
from restwright.agents.journal.conversations import (
    ConversationSummary,
    StoredConversation,
    StoredTurn,
    find_conversation,
    find_turns,
    list_conversations,
    load_conversations,
)
from restwright.agents.journal.opening import journal
from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.questions import OpenQuestion, answer_question
from restwright.agents.journal.rows import SessionHeader, SessionSummary
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal, JournalSession

__all__ = [
    "Conversation",
    "ConversationSummary",
    "Journal",
    "JournalSession",
    "OpenQuestion",
    "PostgresJournal",
    "SQLiteJournal",
    "SessionHeader",
    "SessionSummary",
    "StoredConversation",
    "StoredTurn",
    "answer_question",
    "find_conversation",
    "find_turns",
    "list_conversations",
    "load_conversations",
]


class _CallableModule(ModuleType):
    """`restwright.journal` is a function of the library too, under the name of this module."""

    def __call__(self, *args: Any, **kwargs: Any) -> Journal:
        return journal(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
