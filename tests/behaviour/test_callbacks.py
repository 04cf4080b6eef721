"""What users bring to be called back: only `True` is a yes, and asynchronous ones are awaited."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event, combine_listeners
from restwright.agents.runtime.streaming import TextDelta
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Completion,
    Conclusion,
    Gather,
    Message,
    NoAnswer,
    Question,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, call_async
from restwright.calls.response.result import Result
from restwright.jsontypes import Json
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import AgentTurn
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog, filter_operations
from restwright.tools.human_inputs import Separation
from restwright.tools.search.search import search
from restwright.tools.tool import Tool

ROWS = json.loads((Path(__file__).parents[1] / "adversarial/approvals.json").read_text())
PATHS = {
    "/films": {
        "get": {"operationId": "list_films"},
        "delete": {"operationId": "remove_films"},
    }
}
TOOLS = catalog(load(document(PATHS), alias="tv"))
REMOVE = TOOLS["tv__remove_films"]
READ, WRITE = Call(tool="tv__list_films", arguments={}), Call(tool=REMOVE.name, arguments={})
PROMPT = Complete(role="answer", messages=(Message("user", "Well?"),))
SOON_S = 10
"""Longer than anything here takes that does not wait for itself."""


def loop_of(*steps: Any) -> Callable[[Agent, str], Steps[Conclusion]]:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        outcome: Any = None
        for step in steps:
            outcome = yield step
        return Conclusion(text=getattr(outcome, "kind", "") or str(outcome))

    return loop


@dataclass
class Wire:
    """A `send` that keeps what it was given."""

    sent: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        self.sent.append(request)
        return reply(200, {})

    async def later(self, request: Request) -> Response:
        return self(request)


def by_call(wire: Wire, approve: Any) -> None:
    call(REMOVE, {}, connection=Connection(), send=wire, approve=approve)


def by_call_async(wire: Wire, approve: Any) -> None:
    made = call_async(REMOVE, {}, connection=Connection(), send=wire.later, approve=approve)
    asyncio.run(made)


def by_ask(wire: Wire, approve: Any) -> Answer:
    return agent_of(WRITE, send=wire, approve=approve).ask("?")


def by_ask_async(wire: Wire, approve: Any) -> None:
    asyncio.run(agent_of(WRITE, send=wire, approve=approve).ask_async("?"))


def by_conversation(wire: Wire, approve: Any) -> Answer:
    return Conversation(agent_of(WRITE, send=wire, approve=approve)).ask("?")


def by_conversation_async(wire: Wire, approve: Any) -> None:
    conversation = Conversation(agent_of(WRITE, send=wire, approve=approve))
    asyncio.run(conversation.ask_async("?"))


def by_manifest(wire: Wire, approve: Any) -> None:
    driving = SessionDriver(model=ScriptedModel([]), send=wire, approve=approve)
    driving(Speaking(), turn_of(WRITE))


ASYNC = [by_call_async, by_ask_async, by_conversation_async]


@dataclass
class Speaking:
    name: str = "it"
    title: str = "It"
    samples: tuple[()] = ()
    catalog: Any = TOOLS

    def turn(self, text: str, context: object) -> Steps[AgentTurn]:
        raise NotImplementedError


def turn_of(step: Any) -> Steps[AgentTurn]:
    yield step
    return AgentTurn(text="done")


def agent_of(*steps: Any, **settings: Any) -> Agent:
    given = {"model": ScriptedModel([]), "send": Wire(), "kind": loop_of(*steps), **settings}
    return Agent(TOOLS, **given)


async def yes(tool: Tool, request: Request) -> bool:
    return True


async def no(tool: Tool, request: Request) -> bool:
    return False


class Asynchronous:
    """Called as a coroutine function, and none itself."""

    def __init__(self, answer: bool) -> None:
        self.answer = answer

    async def __call__(self, tool: Tool, request: Request) -> bool:
        return self.answer


@dataclass
class Promise:
    """An awaitable that is no coroutine."""

    answer: bool

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return self.answer


def later(says: bool, *given: Any) -> Coroutine[Any, Any, bool]:
    return Asynchronous(says)(*given)


FORMS: dict[str, Callable[[bool], Any]] = {
    "a coroutine function": lambda says: yes if says else no,
    "an object": Asynchronous,
    "a part of one": lambda says: partial(Asynchronous(says)),
    "a function that gives a coroutine": lambda says: lambda *given: later(says, *given),
    "a function that gives an awaitable": lambda says: lambda *_: Promise(says),
}
FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
# What can be seen before it is called, and what only shows by what it gives.
OPEN = ("a coroutine function", "an object")
OPEN_FORM = pytest.mark.parametrize("form", [FORMS[each] for each in OPEN], ids=OPEN)
DISGUISED = [each for each in FORMS if each not in OPEN]
DISGUISED_FORM = pytest.mark.parametrize("form", [FORMS[each] for each in DISGUISED], ids=DISGUISED)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
@pytest.mark.parametrize("entry", [by_call, by_ask, by_call_async, by_ask_async])
def test_only_the_value_true_approves(entry: Callable[..., None], row: Json) -> None:
    wire = Wire()
    entry(wire, lambda *_: row["says"])
    assert bool(wire.sent) is row["is_sent"]


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
@pytest.mark.parametrize("entry", ASYNC)
def test_only_the_value_true_approves_asynchronously(entry: Callable[..., None], row: Json) -> None:
    async def approve(*_: object) -> Any:
        return row["says"]

    wire = Wire()
    entry(wire, approve)
    assert bool(wire.sent) is row["is_sent"]


@FORM
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("entry", ASYNC)
def test_an_async_approve_is_awaited(
    entry: Callable[..., None], says: bool, form: Callable[[bool], Any]
) -> None:
    wire = Wire()
    entry(wire, form(says))
    assert bool(wire.sent) is says


@FORM
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("entry", [by_call, by_manifest])
def test_an_async_approve_is_refused_where_nothing_awaits_it_and_nothing_is_sent(
    entry: Callable[..., Answer | None], says: bool, form: Callable[[bool], Any]
) -> None:
    wire = Wire()
    with pytest.raises(TypeError, match=r"`approve` is asynchronous.*`ask_async`"):
        entry(wire, form(says))
    assert wire.sent == []


@OPEN_FORM
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("entry", [by_ask, by_conversation])
def test_an_agent_refuses_an_async_approve_before_its_first_step(
    entry: Callable[..., Answer], says: bool, form: Callable[[bool], Any]
) -> None:
    wire = Wire()
    with pytest.raises(TypeError, match=r"`approve` is asynchronous.*`ask_async`"):
        entry(wire, form(says))
    assert wire.sent == []


@DISGUISED_FORM
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("entry", [by_ask, by_conversation])
def test_a_run_ends_at_an_async_approve_in_disguise_and_says_what_to_do(
    entry: Callable[..., Answer], says: bool, form: Callable[[bool], Any]
) -> None:
    """It may have written before: what it did must not be lost by an exception."""
    wire = Wire()
    answer = entry(wire, form(says))
    assert answer.stopped == "error"
    assert re.search(r"`approve` is asynchronous.*`ask_async`", answer.text)
    assert (wire.sent, answer.calls) == ([], ())


async def nothing(*_: object) -> None:
    return None


class LaterModel:
    """A model that is awaited; it tells its reply in two pieces."""

    name = "later"
    is_small = True
    calls_tools = False

    async def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        await asyncio.sleep(0)
        return Completion(text=request.role)

    async def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        tell("in two ")
        await asyncio.sleep(0)
        tell("pieces")
        return Completion(text="in two pieces")


@pytest.mark.parametrize(
    ("setting", "value", "steps"),
    [
        ("human", nothing, (Question("Which?"),)),
        ("human", lambda *_: nothing(), (Question("Which?"),)),
        ("on_event", nothing, (READ,)),
        ("on_words", nothing, (PROMPT,)),
        ("model", LaterModel(), (PROMPT,)),
        ("send", Wire().later, (READ,)),
    ],
    ids=["human", "human in disguise", "on_event", "on_words", "model", "send"],
)
def test_what_is_asynchronous_is_refused_by_its_name_in_a_blocking_run(
    setting: str, value: Any, steps: tuple[Any, ...]
) -> None:
    with pytest.raises(TypeError, match=f"`{setting}` is asynchronous"):
        agent_of(*steps, **{setting: value}).ask("?")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("on_event", combine_listeners(nothing)),
        ("on_event", lambda *_: nothing()),
        ("send", lambda *_: nothing()),
    ],
    ids=["one of several listeners", "on_event", "send"],
)
def test_what_is_asynchronous_in_disguise_ends_a_run_that_has_begun_and_is_told_by_its_name(
    setting: str, value: Any
) -> None:
    wire = Wire()
    answer = agent_of(READ, **{"send": wire, setting: value}).ask("?")
    assert answer.stopped == "error"
    assert f"`{setting}` is asynchronous" in answer.text
    assert "`ask_async`" in answer.text
    assert wire.sent == []


def test_it_is_refused_before_anything_is_sent() -> None:
    wire = Wire()
    with pytest.raises(TypeError):
        agent_of(READ, send=wire, on_event=nothing).ask("?")
    assert wire.sent == []


def test_an_async_human_is_awaited() -> None:
    async def human(question: Question) -> UserAnswer | NoAnswer:
        await asyncio.sleep(0)
        return UserAnswer(question.text)

    agent = agent_of(Question("Which?"), human=human)
    assert asyncio.run(agent.ask_async("?")).text == str(UserAnswer("Which?"))


def test_an_async_listener_is_told_of_each_event_in_order_and_one_at_a_time() -> None:
    told: list[str] = []

    async def listen(event: Event) -> None:
        told.append(f"{event.kind} begins")
        await asyncio.sleep(0.001)
        told.append(f"{event.kind} ends")

    asyncio.run(
        agent_of(Gather((READ,) * 4), on_event=combine_listeners(None, listen)).ask_async("?")
    )
    assert len(told) == 16
    assert all(
        begins.removesuffix(" begins") == ends.removesuffix(" ends")
        for begins, ends in zip(told[::2], told[1::2], strict=True)
    )


def test_an_async_model_is_awaited_and_its_pieces_are_told() -> None:
    heard: list[str] = []

    async def hear(piece: TextDelta) -> None:
        await asyncio.sleep(0)
        heard.append(piece.text)

    agent = agent_of(PROMPT, model=LaterModel(), on_words=hear)
    assert "in two pieces" in asyncio.run(agent.ask_async("?")).text
    assert heard == ["in two ", "pieces"]


def test_an_async_model_without_a_stream_is_awaited() -> None:
    planned = Complete(role="planner", messages=PROMPT.messages)
    answer = asyncio.run(agent_of(planned, model=LaterModel()).ask_async("?"))
    assert "planner" in answer.text


def test_an_async_send_is_awaited() -> None:
    wire = Wire()
    assert asyncio.run(agent_of(READ, send=wire.later).ask_async("?")).text == "ok"
    assert len(wire.sent) == 1


def test_what_a_blocking_send_gave_an_async_call_counts() -> None:
    """It was sent: an error about how it was called would lose that."""
    wire = Wire()
    send: Any = wire
    made = call_async(REMOVE, {}, connection=Connection(), send=send, approve=approve_all)
    assert asyncio.run(made).kind == "ok"
    assert len(wire.sent) == 1


@pytest.mark.parametrize("disguise", [False, True], ids=["open", "in disguise"])
def test_an_async_send_is_refused_in_a_blocking_call(disguise: bool) -> None:
    wire = Wire()
    send: Any = (lambda given: wire.later(request=given)) if disguise else wire.later
    with pytest.raises(TypeError, match="`send` is asynchronous"):
        call(REMOVE, {}, connection=Connection(), send=send, approve=approve_all)
    assert wire.sent == []


@dataclass
class Meeting:
    """A blocking callback that waits for what only a free event loop can do meanwhile."""

    answer: Any
    is_free: threading.Event = field(default_factory=threading.Event)
    loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, *_: object) -> Any:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.is_free.set)
        assert self.is_free.wait(SOON_S), "the loop is blocked"
        return self.answer

    async def run(self, made: Coroutine[Any, Any, Any]) -> Any:
        self.loop = asyncio.get_running_loop()
        return await made


class WaitingModel:
    name = "waiting"

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        return self.meeting()


@pytest.mark.parametrize(
    ("setting", "answer", "steps", "text"),
    [
        ("approve", True, (WRITE,), "ok"),
        ("human", UserAnswer("this"), (Question("?"),), str(UserAnswer("this"))),
        ("on_event", None, (READ,), "ok"),
        ("model", Completion(text="so"), (PROMPT,), str(Completion(text="so"))),
    ],
)
def test_a_blocking_callback_of_a_run_does_not_block_the_loop(
    setting: str, answer: Any, steps: tuple[Any, ...], text: str
) -> None:
    meeting = Meeting(answer)
    given = WaitingModel(meeting) if setting == "model" else meeting
    agent = agent_of(*steps, **{setting: given})
    assert asyncio.run(meeting.run(agent.ask_async("?"))).text == text


def test_a_blocking_approve_of_a_call_does_not_block_the_loop() -> None:
    meeting, wire = Meeting(answer=True), Wire()
    made = call_async(REMOVE, {}, connection=Connection(), send=wire.later, approve=meeting)
    assert asyncio.run(meeting.run(made)).kind == "ok"


def started(begun: Callable[[asyncio.Event], Coroutine[Any, Any, Any]]) -> None:
    """Run until the event is set, then cancel."""

    async def cancelled() -> None:
        is_begun = asyncio.Event()
        task = asyncio.create_task(begun(is_begun))
        await asyncio.wait_for(is_begun.wait(), SOON_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.05)

    asyncio.run(cancelled())


@pytest.mark.parametrize("entry", ["call", "ask"])
def test_who_is_cancelled_while_an_approve_is_awaited_sends_nothing(entry: str) -> None:
    ended: list[str] = []
    wire = Wire()

    def begun(is_begun: asyncio.Event) -> Coroutine[Any, Any, Any]:
        async def approve(tool: Tool, request: Request) -> bool:
            is_begun.set()
            try:
                await asyncio.sleep(SOON_S)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return True

        if entry == "ask":
            return agent_of(WRITE, send=wire, approve=approve).ask_async("?")
        given = {"connection": Connection(), "send": wire.later, "approve": approve}
        return call_async(REMOVE, {}, **given)  # type: ignore[arg-type]

    started(begun)
    assert (ended, wire.sent) == (["cancelled"], [])


def test_a_blocking_call_inside_a_callback_on_the_loop_is_refused_and_does_not_hang() -> None:
    seen: list[Result | TypeError] = []

    async def approve(tool: Tool, request: Request) -> bool:
        try:
            seen.append(call(REMOVE, {}, connection=Connection(), send=Wire(), approve=yes))
        except TypeError as error:
            seen.append(error)
        return False

    asyncio.run(agent_of(WRITE, approve=approve).ask_async("?"))
    (refusal,) = seen
    assert isinstance(refusal, TypeError)


def test_what_an_async_callback_raises_is_raised_as_by_another() -> None:
    async def human(question: Question) -> UserAnswer | NoAnswer:
        raise LookupError(question.text)

    with pytest.raises(LookupError):
        asyncio.run(agent_of(Question("Which?"), human=human).ask_async("?"))


def _load_from(retrieve: Any) -> object:
    return load("https://api.example.test/openapi.json", retrieve=retrieve)


DECIDING: dict[str, tuple[str, Callable[[Any], object]]] = {
    "documents": ("retrieve", _load_from),
    "filters": ("keep", lambda given: filter_operations(TOOLS, given)),
    "scores": ("scorer", lambda given: search("films", TOOLS, k=1, scorer=given)),
    "phrases": ("expand", lambda given: search("films", TOOLS, k=1, expand=given)),
    "inputs of humans": ("is_human", lambda given: Separation(is_human=given)),
    "operations of humans": (
        "is_human_operation",
        lambda given: Separation(is_human=lambda _: False, is_human_operation=given),
    ),
}


@pytest.mark.parametrize(("name", "use"), DECIDING.values(), ids=DECIDING)
def test_every_callback_that_decides_something_is_refused_where_it_is_asynchronous(
    name: str, use: Callable[[Any], object]
) -> None:
    with pytest.raises(TypeError, match=f"`{name}` is asynchronous"):
        use(nothing)
