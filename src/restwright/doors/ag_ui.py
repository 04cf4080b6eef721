"""
`/ag-ui` and `/ag-ui/NAME`: agents for interfaces that speak AG-UI 1.0.

A run ends where its user is asked, with an interrupt; the next run of the thread brings the answer,
and the same run goes on with the request that was shown. Where it waits no longer, as after a
restart of the server, the journal has it: it goes on from there, and asks again.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from restwright.agents.journal.store import Journal
from restwright.agents.runtime.stream_events import ApprovalEvent, AskingEvent, QuestionEvent
from restwright.doors.access import find_user
from restwright.doors.ag_ui_events import APPROVED, AGUIWriter, read_answer
from restwright.doors.agents import DoorAgent, Turn, has_turns, name_thread
from restwright.doors.chat_messages import MAX_MESSAGES, UnusableRequest, read_question
from restwright.doors.open_questions import COMMAND, OpenQuestions
from restwright.doors.refusals import refuse_request, refuse_when_full
from restwright.doors.runs import ActiveRun, RunTable, TooManyRuns
from restwright.doors.streaming import (
    EventStreamResponse,
    UnreadableBody,
    explain_failure,
    format_data,
    read_object,
)
from restwright.errors import UnusableSession
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_MAX_ID = 200
_SPEAKERS = frozenset({"user", "assistant", "system", "developer", "tool"})
EXPIRED = (
    "Nothing was sent: this interrupt was answered before, is too old, or belongs to another thread"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeEntry:
    """The answer to an interrupt."""

    interrupt: str
    status: Literal["resolved", "cancelled"]
    payload: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """
    What a client asks; `RunAgentInput` of AG-UI.

    Args:
        question: Of its user; empty where an interrupt is answered.
        history: The messages before it.
        ignored: What else it offers that is not used.
    """

    thread: str
    run: str
    question: str = ""
    history: tuple[JsonObject, ...] = ()
    resume: ResumeEntry | None = None
    ignored: tuple[str, ...] = ()


def parse_run_input(body: JsonObject) -> RunInput:
    """
    Read the body of a request.

    Raises:
        UnusableRequest: It is none.
    """
    thread, run = body.get("threadId"), body.get("runId")
    for name, value in (("threadId", thread), ("runId", run)):
        if not isinstance(value, str) or not 0 < len(value) <= _MAX_ID:
            raise UnusableRequest(f"`{name}` must be a text of 1 to {_MAX_ID} characters", name)
    messages = body.get("messages")
    if not is_array(messages) or not all(map(is_object, messages)):
        raise UnusableRequest("`messages` must be a list of messages", "messages")
    if len(messages) > MAX_MESSAGES:
        raise UnusableRequest(f"a thread may have {MAX_MESSAGES:,} messages", "messages")
    ignored = tuple(name for name in ("tools", "context") if body.get(name))
    resume = _parse_resume(body.get("resume"))
    base = RunInput(thread=str(thread), run=str(run), resume=resume, ignored=ignored)
    if resume is not None:
        return base
    spoken = [message for message in messages if message.get("role") in _SPEAKERS]
    if not spoken or spoken[-1].get("role") != "user":
        raise UnusableRequest("the last message must be one of the user", "messages")
    return replace(base, question=read_question(spoken[-1]), history=tuple(spoken[:-1]))


def _parse_resume(given: Json) -> ResumeEntry | None:
    if not given:
        return None
    entry = given[0] if is_array(given) and len(given) == 1 else None
    if not is_object(entry) or not isinstance(entry.get("interruptId"), str):
        why = "`resume` must be a list of one answer, since there is one interrupt at a time"
        raise UnusableRequest(why, "resume")
    status = "resolved" if entry.get("status") == "resolved" else "cancelled"
    interrupt = str(entry["interruptId"])
    return ResumeEntry(interrupt=interrupt, status=status, payload=entry.get("payload"))


class _Expired(Exception):
    """There is nothing that an answer could be for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AGUIDoor:
    """
    The routes of AG-UI.

    Args:
        agents: `{name: agent}` right now.
        journal: Keeps the threads; None for nowhere, so that clients have to bring them along.
        questions: Of runs that wait; None where they are not answered here.
    """

    agents: Callable[[], Mapping[str, DoorAgent]]
    runs: RunTable
    journal: Journal | None = None
    questions: OpenQuestions | None = None

    def routes(self) -> list[BaseRoute]:
        """Where clients ask."""
        return [
            Route("/ag-ui", self.run_agent, methods=["POST"]),
            Route("/ag-ui/{name:path}", self.run_agent, methods=["POST"]),
        ]

    async def run_agent(self, request: Request) -> Response | EventStreamResponse:
        """Run an agent; without a name the only one."""
        agents = self.agents()
        name = request.path_params.get("name") or (next(iter(agents)) if len(agents) == 1 else "")
        agent = agents.get(name)
        if agent is None:
            known = ", ".join(f"/ag-ui/{each}" for each in agents)
            return refuse_request(404, f"there is no such agent; there are {known}")
        try:
            asked = parse_run_input(await read_object(request))
        except UnreadableBody as error:
            return refuse_request(400, str(error))
        except UnusableRequest as error:
            return refuse_request(400, error.why, param=error.param)
        if self.runs.is_full:
            return refuse_when_full()
        return EventStreamResponse(self._stream(agent, asked, find_user(request)))

    async def _stream(self, agent: DoorAgent, asked: RunInput, user: str) -> AsyncGenerator[bytes]:
        writer = AGUIWriter(asked.thread, asked.run, self.runs.expiry())
        try:
            async with aclosing(self._events(agent, asked, user, writer)) as events:
                async for event in events:
                    yield format_data(event)
        except Exception as error:  # noqa: BLE001 - its words may hold anything
            for event in writer.fail(*_explain_end(error, asked)):
                yield format_data(event)

    async def _events(
        self, agent: DoorAgent, asked: RunInput, user: str, writer: AGUIWriter
    ) -> AsyncGenerator[JsonObject]:
        key = name_thread(user, agent.name, asked.thread)
        yield writer.begin()
        if asked.ignored:
            yield writer.note(f"not used: {', '.join(asked.ignored)}")
        async with (
            self.runs.attend(lambda: self._begin(agent, asked, user, key)) as run,
            aclosing(run.go_on()) as events,
        ):
            async for event in events:
                if isinstance(event, AskingEvent):
                    run.asked = event
                    self.runs.wait(key, run)
                for written in writer.write(event):
                    yield written

    def _begin(self, agent: DoorAgent, asked: RunInput, user: str, key: str) -> ActiveRun:
        """The run that waits for this answer, one of the journal that does, or a new one."""
        if asked.resume is not None:
            return self._resume(agent, asked.resume, user, key)
        self.runs.drop(key)
        if self.questions is not None and asked.question == COMMAND:
            return ActiveRun(self.questions.stream(user))
        return ActiveRun(agent.stream(self._turn(asked, user, key)))

    def _resume(self, agent: DoorAgent, resume: ResumeEntry, user: str, key: str) -> ActiveRun:
        waiting = self.runs.find(key)
        if waiting is None:
            if self.journal is None or not has_turns(self.journal, key):
                raise _Expired
            turn = Turn(user=user, journal=self.journal, thread=key)
            return ActiveRun(agent.stream(turn))
        event = waiting.asked
        if event is None or event.id != resume.interrupt:
            raise _Expired
        _apply_answer(event, resume)
        run = self.runs.take(key)
        assert run is not None  # noqa: S101  (it was found)
        return run

    def _turn(self, asked: RunInput, user: str, key: str) -> Turn:
        """A turn of a thread that the journal has from its beginning; else one with a history."""
        journal = self.journal
        if journal is not None and (not asked.history or has_turns(journal, key)):
            return Turn(user=user, question=asked.question, journal=journal, thread=key)
        return Turn(user=user, question=asked.question, history=asked.history)


def _apply_answer(event: AskingEvent, resume: ResumeEntry) -> None:
    """
    Give an answer to what asks for it.

    Raises:
        UsageError: It is not what is asked for; the run goes on waiting.
    """
    payload = resume.payload if resume.status == "resolved" else None
    if isinstance(event, ApprovalEvent):
        is_yes = is_object(payload) and payload.get(APPROVED) is True
        event.allow() if is_yes else event.refuse()
    elif isinstance(event, QuestionEvent) and resume.status == "resolved":
        event.answer(read_answer(event, payload))
    else:
        event.refuse()


def _explain_end(error: Exception, asked: RunInput) -> tuple[str, str]:
    """Say what ended a run, and by which code a client knows it."""
    if isinstance(error, TooManyRuns):
        return "too many runs are under way", "too_many_runs"
    if isinstance(error, _Expired | UnusableSession) and asked.resume is not None:
        return EXPIRED, "interrupt_expired"
    return explain_failure(error), "error"
