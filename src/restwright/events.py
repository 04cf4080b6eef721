"""What `Agent.stream` and `Conversation.stream` give: what happens in a run, as it happens."""

from __future__ import annotations

from restwright.agents.events import EVENT_MEANINGS, Event, EventKind, EventRecord
from restwright.agents.runtime.stream_events import (
    AnswerEvent,
    ApprovalEvent,
    AskingEvent,
    CallEvent,
    PlanEvent,
    QuestionEvent,
    ResponseEvent,
    WordsEvent,
)

__all__ = [
    "EVENT_MEANINGS",
    "AnswerEvent",
    "ApprovalEvent",
    "AskingEvent",
    "CallEvent",
    "Event",
    "EventKind",
    "EventRecord",
    "PlanEvent",
    "QuestionEvent",
    "ResponseEvent",
    "WordsEvent",
]
