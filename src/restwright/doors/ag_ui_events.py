"""
The events of a run as those of AG-UI 1.0, one Server-Sent Event each.

Source: https://docs.ag-ui.com/concepts/events
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from secrets import token_hex

from restwright.agents.events import Event
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
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import escape_unprintable
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_object

PROTOCOL_VERSION = "1.0"
APPROVED, ANSWER = "approved", "answer"
APPROVAL_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {APPROVED: {"type": "boolean"}},
    "required": [APPROVED],
}
_MAX_STEP_NAME = 200


@dataclass(slots=True)
class AGUIWriter:
    """
    Writes the events of one request.

    Args:
        thread: The id of the conversation, as the client says it.
        run: The id of the request, as the client says it.
        expires_at: Until when an interrupt can be answered, as ISO 8601.
    """

    thread: str
    run: str
    expires_at: str
    _step: str = ""
    _message: str = ""
    _told: str = ""
    _wording: int = 0
    _calls: dict[str, str] = field(default_factory=dict[str, str])

    def begin(self) -> JsonObject:
        """The run begins."""
        return {"type": "RUN_STARTED", **self._ids(), "protocolVersion": PROTOCOL_VERSION}

    def write(self, event: Event) -> Iterator[JsonObject]:
        """One event."""
        match event:
            case PlanEvent():
                yield from self._plan(event)
            case CallEvent() if event.id not in self._calls:
                yield from self._call(event)
            case ResponseEvent() if event.id in self._calls:
                yield self._result(event)
            case WordsEvent():
                yield from self._words(event)
            case AnswerEvent():
                yield from self._answer(event.answer)
            case AskingEvent():
                yield from self._interrupt(event)
            case _:
                yield self._activity(event)

    def note(self, text: str) -> JsonObject:
        """What a client should know of its own request."""
        return self._activity(Event("note", text))

    def fail(self, message: str, code: str) -> Iterator[JsonObject]:
        """The run ends by an error."""
        yield from self._end_open()
        yield {"type": "RUN_ERROR", "message": message, "code": code}

    def _ids(self) -> JsonObject:
        return {"threadId": self.thread, "runId": self.run}

    def _plan(self, event: PlanEvent) -> Iterator[JsonObject]:
        yield from self._end_step()
        self._step = shorten_line(event.text, _MAX_STEP_NAME) or "step"
        yield {"type": "STEP_STARTED", "stepName": self._step}
        yield self._activity(event)

    def _end_step(self) -> Iterator[JsonObject]:
        if self._step:
            yield {"type": "STEP_FINISHED", "stepName": self._step}
            self._step = ""

    def _activity(self, event: Event) -> JsonObject:
        """What AG-UI has no event for: a client shows it that knows its type."""
        return {
            "type": "ACTIVITY_SNAPSHOT",
            "messageId": _new_id(),
            "activityType": f"restwright.{event.kind}",
            "content": {"text": event.text, "data": event.data},
        }

    def _call(self, event: CallEvent) -> Iterator[JsonObject]:
        # Agents that hand over to each other count their calls anew, and so does the next turn.
        self._calls[event.id] = _new_id()
        call = {"toolCallId": self._calls[event.id]}
        shown = {name: event.data[name] for name in ("method", "url", "body") if name in event.data}
        yield {"type": "TOOL_CALL_START", **call, "toolCallName": event.tool}
        yield {"type": "TOOL_CALL_ARGS", **call, "delta": json.dumps(shown, ensure_ascii=False)}
        yield {"type": "TOOL_CALL_END", **call}

    def _result(self, event: ResponseEvent) -> JsonObject:
        return {
            "type": "TOOL_CALL_RESULT",
            "messageId": _new_id(),
            "toolCallId": self._calls.pop(event.id),
            "content": event.text,
            "role": "tool",
        }

    def _words(self, event: WordsEvent) -> Iterator[JsonObject]:
        if not self._message or event.reply != self._wording:
            yield from self._end_message()
            yield self._start_message()
            self._wording = event.reply
        yield from self._say(event.text)

    def _start_message(self) -> JsonObject:
        self._message, self._told = _new_id(), ""
        return {"type": "TEXT_MESSAGE_START", "messageId": self._message, "role": "assistant"}

    def _say(self, text: str) -> Iterator[JsonObject]:
        if text:
            self._told += text
            yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": self._message, "delta": text}

    def _end_message(self) -> Iterator[JsonObject]:
        if self._message:
            yield {"type": "TEXT_MESSAGE_END", "messageId": self._message}
            self._message = ""

    def _answer(self, answer: Answer) -> Iterator[JsonObject]:
        text = answer.text or answer.reason
        if not (self._message and text.startswith(self._told)):
            yield from self._end_message()
            yield self._start_message()
        yield from self._say(text[len(self._told) :])
        if answer.stopped == "error":
            yield from self.fail(answer.reason, "error")
            return
        yield from self._end_open()
        result = {"stopped": answer.stopped, "reason": answer.reason, "session": answer.session}
        outcome = {"type": "success"}
        usage = [_usage_json(answer)]
        ended = {"outcome": outcome, "result": result, "usage": usage}
        yield {"type": "RUN_FINISHED", **self._ids(), **ended}

    def _end_open(self) -> Iterator[JsonObject]:
        yield from self._end_message()
        yield from self._end_step()

    def _interrupt(self, event: AskingEvent) -> Iterator[JsonObject]:
        yield from self._end_open()
        asked: JsonObject = {
            "id": event.id,
            "message": escape_unprintable(event.text),
            "expiresAt": self.expires_at,
            **_describe_asking(event),
        }
        outcome = {"type": "interrupt", "interrupts": [asked]}
        yield {"type": "RUN_FINISHED", **self._ids(), "outcome": outcome}


def _new_id() -> str:
    return token_hex(8)


def _describe_asking(event: AskingEvent) -> JsonObject:
    """Why a run asks, and what it takes for an answer."""
    if isinstance(event, ApprovalEvent):
        metadata = {
            "tool": event.tool,
            "hash": event.hash,
            "request": event.request,
            "isDestructive": event.is_destructive,
        }
        return {"reason": "confirmation", "responseSchema": APPROVAL_SCHEMA, "metadata": metadata}
    assert isinstance(event, QuestionEvent)  # noqa: S101  (there is no other)
    metadata = {"tool": event.tool, "name": event.name}
    form = _answer_form(event.schema)
    return {"reason": "input_required", "responseSchema": form, "metadata": metadata}


def _answer_form(schema: JsonObject | None) -> JsonObject:
    if schema is not None and is_object(schema.get("properties")):
        return schema
    answer = {ANSWER: schema or {"type": "string"}}
    return {"type": "object", "properties": answer, "required": [ANSWER]}


def read_answer(event: QuestionEvent, payload: Json) -> Json:
    """What a payload says to a question: itself for a form, else its one member."""
    if event.schema is not None and is_object(event.schema.get("properties")):
        return payload
    return payload.get(ANSWER) if is_object(payload) else payload


def _usage_json(answer: Answer) -> JsonObject:
    used = answer.usage
    return {
        "inputTokens": used.input_tokens,
        "outputTokens": used.output_tokens,
        "totalTokens": used.input_tokens + used.output_tokens,
        "reasoningTokens": used.reasoning_tokens,
        "cachedInputTokens": used.cache_read_tokens,
        "cacheWriteInputTokens": used.cache_write_tokens,
    }
