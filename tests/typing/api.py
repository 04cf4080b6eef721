"""Static checks of the public types."""

from __future__ import annotations

from restwright.agents.agent import Agent
from restwright.agents.calling.loop import Calling
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event, Listener
from restwright.agents.runtime.human_input import Human
from restwright.agents.runtime.streaming import DeltaListener, TextDelta
from restwright.agents.steps import AnyModel, Complete, Completion, NoAnswer, Question, UserAnswer
from restwright.calls.approval.approval import Approve
from restwright.events import AnswerEvent, ApprovalEvent, QuestionEvent
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool


class Blocking:
    """A model that answers at once."""

    @property
    def name(self) -> str:
        return "blocking"

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        return Completion(text=request.role)


class Later:
    """A model that is awaited."""

    @property
    def name(self) -> str:
        return "later"

    async def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        return Completion(text=request.role)


def approve(tool: Tool, request: Request) -> bool:
    return (tool.name, request.url) == ("", "")


async def approve_later(tool: Tool, request: Request) -> bool:
    return approve(tool, request)


def answer(question: Question) -> UserAnswer | NoAnswer:
    return UserAnswer(question.text)


async def answer_later(question: Question) -> UserAnswer | NoAnswer:
    return answer(question)


def hear(told: Event | TextDelta) -> None:
    del told


async def hear_later(told: Event | TextDelta) -> None:
    hear(told)


models: tuple[AnyModel, ...] = (Blocking(), Later())
approves: tuple[Approve, ...] = (approve, approve_later)
humans: tuple[Human, ...] = (answer, answer_later)
listeners: tuple[Listener, ...] = (hear, hear_later, list[Event]().append)
hearers: tuple[DeltaListener, ...] = (hear, hear_later)


def agents_of(catalog: Catalog) -> tuple[Agent, ...]:
    """Both forms of each callback are taken, whatever the others are."""
    return (
        Agent(
            catalog,
            model=Blocking(),
            approve=approve,
            human=answer,
            on_event=hear,
            on_words=hear,
            send=Transport(),
        ),
        Agent(
            catalog,
            model=Later(),
            approve=approve_later,
            human=answer_later,
            on_event=hear_later,
            on_words=hear_later,
            send=AsyncTransport(),
        ),
    )


async def stream_of(agent: Agent, talk: Conversation) -> list[str]:
    """Events are told from each other by their types, and answered on the event."""
    told: list[str] = []
    async for event in agent.stream("?", history=[{"role": "user", "content": "Hello."}]):
        if isinstance(event, ApprovalEvent):
            event.allow()
        elif isinstance(event, QuestionEvent):
            event.answer("this one")
        elif isinstance(event, AnswerEvent):
            told += [event.answer.text, *map(str, event.answer.messages("anthropic"))]
    async for event in talk.stream("?"):
        told.append(event.text)
    return told


def calling_of(catalog: Catalog) -> Agent:
    """The settings of a kind are its arguments."""
    return Agent(catalog, model=Blocking(), kind=Calling(capacity=50, native=False))
