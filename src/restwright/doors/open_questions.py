"""
What runs that wait in the journal want of a person, put to the user of a door as a run is.

A user asks for it by a message of their own. What they allow is the request that they were shown;
what they say nothing about stays open.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from secrets import token_urlsafe

from starlette.concurrency import run_in_threadpool

from restwright.agents.events import Event
from restwright.agents.journal.questions import OpenQuestion, answer_question
from restwright.agents.journal.store import Journal
from restwright.agents.runtime.stream_events import (
    ApprovalEvent,
    AskingEvent,
    QuestionEvent,
    answer_event,
)
from restwright.agents.steps import Answer, UserAnswer
from restwright.errors import RestwrightError
from restwright.jsontypes import Json

COMMAND = "/questions"
"""The whole message by which a user asks for them."""
_SEVERAL = "This server has several users; open questions are answered where it runs."
_NOTHING = "No run waits for anybody."


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestions:
    """
    The open questions of a journal.

    Args:
        person: Who answers, by the name that is kept.
    """

    journal: Journal = field(repr=False)
    person: str

    async def stream(self, user: str) -> AsyncGenerator[Event]:
        """
        Give one after another as the events of a run, which are answered on the event.

        Args:
            user: Who asks; empty where nobody had to say who they are.
        """
        if user:
            # The journal does not know which of several users a run is of.
            yield _end(_SEVERAL)
            return
        lines: list[str] = []
        for question in await run_in_threadpool(self.journal.questions):
            if question.is_sealed:
                lines.append(f"{question.id}: open, and sealed with a key that is not given")
                continue
            event = _make_event(question)
            yield event
            lines.append(f"{question.id}: {await self._keep(question, event)}")
        yield _end("\n".join(lines) or _NOTHING)

    async def _keep(self, question: OpenQuestion, event: AskingEvent) -> str:
        """Keep what the user said, and say what becomes of it."""
        value: Json
        if isinstance(event, QuestionEvent):
            said = event.reply()
            if not isinstance(said, UserAnswer):
                return "open"
            value = said.value
        elif await event.wait(0):
            value = isinstance(event, ApprovalEvent) and event.is_allowed
        else:
            return "open"
        try:
            await run_in_threadpool(
                answer_question, self.journal, question.id, value, by=self.person
            )
        except RestwrightError as error:
            return error.message
        return f"answered; session {question.session} goes on where a worker has it"


def _make_event(question: OpenQuestion) -> AskingEvent:
    known = {"id": token_urlsafe(18), "tool": question.tool}
    if question.kind == "question":
        more = {"name": question.name, "schema": question.schema}
        return QuestionEvent("question", question.text, known | more)
    request = {"method": "", "url": "", "headers": {}, "body": question.arguments}
    return ApprovalEvent(
        "approval",
        question.text,
        {
            **known,
            "hash": question.request_hash,
            # The whole request is in the text; what it does was not kept.
            "is_destructive": True,
            "request": request,
            "notes": [],
            "batch": [],
        },
    )


def _end(text: str) -> Event:
    return answer_event(Answer(text=text, stopped="answered"))
