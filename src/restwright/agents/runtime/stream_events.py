"""
The events of a stream, each of a type of its own where a program has a use for it.

All of them are an `Event`: `kind`, `text`, `data` and `record()` are there whatever the type. Two
of them ask: only what is said on the event itself, before the stream goes on, is an answer.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from restwright.agents.events import Event
from restwright.agents.runtime.human_input import is_fitting_answer
from restwright.agents.runtime.streaming import TextDelta
from restwright.agents.steps import Answer, NoAnswer, Question, UserAnswer
from restwright.calls.approval.approval import format_approval_question, hash_request
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import mask_request
from restwright.errors import RefusedRequest, UsageError
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.messages import Request
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class PlanEvent(Event):
    """A part of the task, in words."""


@dataclass(frozen=True, slots=True)
class _CallPart(Event):
    @property
    def tool(self) -> str:
        """The full name of the tool."""
        return self.data["tool"]

    @property
    def id(self) -> str:
        """Of the call: its request and what comes of it have the same."""
        return self.data["id"]


@dataclass(frozen=True, slots=True)
class CallEvent(_CallPart):
    """A request is about to be sent. It is not where the stream is left here."""

    @property
    def method(self) -> str:
        """Of the request."""
        return self.data["method"]

    @property
    def url(self) -> str:
        """Of the request, secrets masked."""
        return self.data["url"]


@dataclass(frozen=True, slots=True)
class ResponseEvent(_CallPart):
    """What came back of a call, or that nothing did."""

    @property
    def outcome(self) -> str:
        """As `Result.kind`."""
        return self.data["outcome"]

    @property
    def status(self) -> int | None:
        """The HTTP status; None where no response came."""
        return self.data.get("status")


@dataclass(frozen=True, slots=True)
class WordsEvent(Event):
    """A piece of the answer, in `text`, while the model writes it; `AnswerEvent` is what holds."""

    @property
    def reply(self) -> int:
        """Which wording it belongs to, from 1 on; a higher one takes the place of the others."""
        return self.data["reply"]


class _Unanswered:
    """Stands for the answer to an event that nobody answered."""


@dataclass(frozen=True, slots=True)
class AskingEvent(Event):
    """An event that the run waits for, until it is answered or the next one is asked for."""

    _word: Future[Any] = field(default_factory=Future[Any], init=False, compare=False, repr=False)

    @property
    def id(self) -> str:
        """By which a web page may name it; nobody can guess it."""
        return self.data["id"]

    @property
    def tool(self) -> str:
        """The full name of the tool; empty where a question is about none."""
        return self.data["tool"]

    def refuse(self) -> None:
        """Say no; the same as going on without an answer."""
        self._give(word=_Unanswered)

    async def wait(self, timeout_s: float | None = None) -> bool:
        """
        Wait until somebody else has answered, such as another request of a web server.

        Args:
            timeout_s: Seconds; None for as long as the run waits.

        Returns:
            Whether it is answered.
        """
        await asyncio.wait([asyncio.wrap_future(self._word)], timeout=timeout_s)
        return self._word.done()

    def close(self) -> None:
        """Take no answer any more: one that was not given is a no."""
        self._put(_Unanswered)

    def _give(self, *, word: object) -> None:
        """Keep the answer, which may come from any thread; the same one twice is one."""
        if not self._put(word) and self._word.result() != word:
            raise self._too_late("it was answered before, or the run went on without an answer")

    def _put(self, word: object) -> bool:
        try:
            self._word.set_result(word)
        except InvalidStateError:
            return False
        return True

    def _too_late(self, why: str) -> Exception:
        return UsageError(why, self.kind, "answer an event before you ask for the next one")


@dataclass(frozen=True, slots=True)
class ApprovalEvent(AskingEvent):
    """
    A write, and whatever else the policy asks about: it is sent only where `allow()` is called.

    `text` is the question to show: the tool, the method, the URL and the body, secrets masked. The
    answer is for the request of this `hash` alone, for ten minutes, once.
    """

    @property
    def request(self) -> JsonObject:
        """`{"method", "url", "headers", "body"}`, secrets masked."""
        return self.data["request"]

    @property
    def hash(self) -> str:
        """SHA-256 of the request, as hexadecimal digits."""
        return self.data["hash"]

    @property
    def is_destructive(self) -> bool:
        """Whether it destroys something."""
        return self.data["is_destructive"]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the agent says of it, such as which values nobody said and no response has."""
        return tuple(self.data["notes"])

    @property
    def batch(self) -> tuple[str, ...]:
        """All changes that it is one of, in words; empty for a single one."""
        return tuple(self.data["batch"])

    @property
    def is_allowed(self) -> bool:
        """Whether `allow()` was called in time."""
        return self._word.done() and self._word.result() is True

    def allow(self) -> None:
        """
        Have the request sent, once the next event is asked for.

        Raises:
            RefusedRequest: It was refused before, or the run went on without an answer.
        """
        self._give(word=True)

    def _too_late(self, why: str) -> Exception:
        return RefusedRequest(str(self.request["url"]), why)


@dataclass(frozen=True, slots=True)
class QuestionEvent(AskingEvent):
    """What only the user knows. `text` is the question; what is answered is in no event."""

    @property
    def name(self) -> str:
        """What it is asked for, such as the name of an input; empty where it has none."""
        return self.data["name"]

    @property
    def schema(self) -> JsonObject | None:
        """Of the answer, as JSON Schema; None for free text."""
        return self.data["schema"]

    def answer(self, value: Json) -> None:
        """
        Answer, with text or with what the schema asks for.

        Raises:
            UsageError: It is not what is asked for, or comes too late.
        """
        question = Question(self.text, self.tool, self.schema, self.name)
        # A form is read leniently by who asked, and asked for again where it does not fit.
        is_form = "properties" in (self.schema or {})
        if not (is_object(value) if is_form else is_fitting_answer(question, value)):
            move = "give what `schema` allows" if self.schema else "give a text"
            raise UsageError("the answer is not what is asked for", "question", move)
        self._give(word=UserAnswer(value))

    def reply(self) -> UserAnswer | NoAnswer:
        """Return what was answered."""
        said = self._word.result() if self._word.done() else _Unanswered
        return said if isinstance(said, UserAnswer) else NoAnswer(f"not answered: {self.text}")


@dataclass(frozen=True, slots=True)
class AnswerEvent(Event):
    """The end of a run, always the last event; `text` is that of the answer."""

    answer: Answer = field(kw_only=True, compare=False)


_TYPES: dict[str, type[Event]] = {
    "plan": PlanEvent,
    "call": CallEvent,
    "response": ResponseEvent,
}


def typed_event(event: Event) -> Event:
    """Give an event the type that a stream has for it."""
    kind = _TYPES.get(event.kind)
    return event if kind is None else kind(event.kind, event.text, event.data)


def words_event(piece: TextDelta) -> WordsEvent:
    """Make an event of a piece of the answer."""
    return WordsEvent("words", piece.text, {"reply": piece.reply})


def approval_event(tool: Tool, request: Request, policy: Policy) -> ApprovalEvent:
    """Ask about one request; the event holds no credential."""
    return ApprovalEvent(
        "approval",
        format_approval_question(tool, request, policy=policy),
        {
            "id": token_urlsafe(18),
            "tool": tool.name,
            "hash": hash_request(request),
            "is_destructive": policy.class_of(tool) == "destructive",
            "request": mask_request(request),
            "notes": list(request.notes),
            "batch": list(request.batch),
        },
    )


def question_event(question: Question) -> QuestionEvent:
    """Ask what nobody else can know."""
    data: JsonObject = {"tool": question.tool, "name": question.name, "schema": question.schema}
    return QuestionEvent("question", question.text, {"id": token_urlsafe(18), **data})


def answer_event(answer: Answer) -> AnswerEvent:
    """End a stream."""
    data: JsonObject = {"stopped": answer.stopped, "reason": answer.reason}
    return AnswerEvent("answer", answer.text, data, answer=answer)
