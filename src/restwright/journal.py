"""Runs and conversations that are kept, and can be taken up again."""

from __future__ import annotations

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
from restwright.agents.journal.rows import SessionHeader, SessionSummary
from restwright.agents.journal.store import Journal, JournalSession

__all__ = [
    "Conversation",
    "ConversationSummary",
    "Journal",
    "JournalSession",
    "SessionHeader",
    "SessionSummary",
    "StoredConversation",
    "StoredTurn",
    "find_conversation",
    "find_turns",
    "list_conversations",
    "load_conversations",
]
