"""A run as a stream of events: in order, answered on the event, and ended with who leaves it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import restwright as rw
from restwright import events as told
from restwright.agents.runtime.stream_events import question_event
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Conclusion,
    Gather,
    Message,
    Question,
    Step,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.errors import ModelUnavailable, RefusedRequest, UsageError
from restwright.testing import RecordingTransport, ScriptedModel, document, reply

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
PIN = {"type": "object", "properties": {"pin": {"type": "integer"}}, "required": ["pin"]}
PATHS: dict[str, Any] = {
    "/films/{id}": {
        "get": {"operationId": "get_film", "parameters": [ID]},
        "delete": {"operationId": "remove_film", "parameters": [ID]},
    },
    "/pay": {
        "post": {
            "operationId": "pay",
            "requestBody": {"required": True, "content": {"application/json": {"schema": PIN}}},
        }
    },
}
TOOLS = rw.catalog(rw.load(document(PATHS), alias="tv"))
SOON_S = 10
ASKED = Complete(role="answer", messages=(Message("user", "?"),))


def film(number: int) -> Call:
    return Call(tool="tv__get_film", arguments={"id": number})


def remove(number: int) -> Call:
    return Call(tool="tv__remove_film", arguments={"id": number})


def loop_of(*steps: Step) -> Callable[[rw.Agent, str], Steps[Conclusion]]:
    def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        outcomes: list[Any] = []
        for step in steps:
            outcome = yield step
            outcomes.append(outcome)
        return Conclusion(text=" ".join(str(getattr(each, "kind", each)) for each in outcomes))

    return loop


def wire() -> RecordingTransport:
    return RecordingTransport(lambda request: reply(200, {"of": request.url}))


def agent_of(*steps: Step, **settings: Any) -> rw.Agent:
    given = {"model": ScriptedModel(["said"] * 9), "send": wire(), "kind": loop_of(*steps)}
    return rw.Agent(TOOLS, **{**given, **settings})


def collect(
    stream: AsyncGenerator[rw.Event],
    on: Callable[[rw.Event], object] = lambda _: None,
) -> list[rw.Event]:
    """All events of a stream, each dealt with before the next one."""

    async def iterate() -> list[rw.Event]:
        events: list[rw.Event] = []
        async with aclosing(stream):
            async for event in stream:
                events.append(event)
                on(event)
        return events

    return asyncio.run(asyncio.wait_for(iterate(), SOON_S))


def sent(agent: rw.Agent) -> list[str]:
    assert isinstance(agent.send, RecordingTransport)
    return [request.method for request in agent.send.sent]


def test_what_happens_is_told_in_order_by_types_and_the_answer_is_last() -> None:
    model = ScriptedModel(
        [
            ("selector", {"tools": [{"reason": "r", "name": "tv__get_film"}], "answer": ""}),
            ("caller", {"calls": [{"tool": "tv__get_film", "arguments": {"id": 7}}]}),
            ("caller", {"calls": []}),
            ("describer", {"answer": "It is a film."}),
        ]
    )
    agent = rw.Agent(TOOLS, model=model, send=wire(), kind=rw.Calling())
    events = collect(agent.stream("What is 7?"))
    called = next(event for event in events if isinstance(event, told.CallEvent))
    answered = next(event for event in events if isinstance(event, told.ResponseEvent))
    assert (called.tool, called.method) == ("tv__get_film", "GET")
    assert called.url == "https://api.example.test/films/7"
    assert (answered.id, answered.outcome, answered.status) == (called.id, "ok", 200)
    words = [event for event in events if isinstance(event, told.WordsEvent)]
    assert "".join(piece.text for piece in words) == "It is a film."
    assert len(words) > 1
    assert {piece.reply for piece in words} == {1}
    *_, last = events
    assert isinstance(last, told.AnswerEvent)
    assert last.answer.text == last.text == "It is a film."
    assert [event.kind for event in events].count("answer") == 1
    assert events.index(called) < events.index(answered) < events.index(words[0])
    assert all(json.loads(json.dumps(event.record()))["kind"] == event.kind for event in events)


def test_a_plan_is_an_event_of_its_type() -> None:
    def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
        from restwright.agents.execution.failure import say

        yield say("plan", "find it")
        return Conclusion(text=question)

    plan, answer = collect(agent_of(kind=loop).stream("?"))
    assert (type(plan), plan.text) == (told.PlanEvent, "find it")
    assert isinstance(answer, told.AnswerEvent)


def test_a_write_that_nobody_answers_for_is_not_sent() -> None:
    agent = agent_of(remove(7))
    events = collect(agent.stream("?"))
    asked = next(event for event in events if isinstance(event, told.ApprovalEvent))
    assert (sent(agent), asked.is_allowed) == ([], False)
    assert [event.kind for event in events] == ["approval", "refusal", "answer"]
    with pytest.raises(RefusedRequest, match="went on without an answer"):
        asked.allow()
    assert sent(agent) == []


@pytest.mark.parametrize("says", ["allow", "refuse"])
def test_a_write_is_sent_where_it_is_allowed_on_the_event(says: str) -> None:
    agent = agent_of(remove(7))

    def answer(event: rw.Event) -> None:
        if isinstance(event, told.ApprovalEvent):
            assert sent(agent) == []
            getattr(event, says)()
            getattr(event, says)()

    events = collect(agent.stream("?"), answer)
    assert sent(agent) == (["DELETE"] if says == "allow" else [])
    asked = events[0]
    assert isinstance(asked, told.ApprovalEvent)
    assert asked.is_allowed is (says == "allow")
    assert "tv__remove_film would send\n  DELETE https://api.example.test/films/7" in asked.text
    assert asked.request["url"] == "https://api.example.test/films/7"
    assert (asked.tool, asked.is_destructive, len(asked.hash)) == ("tv__remove_film", True, 64)


def test_one_word_is_for_one_request() -> None:
    agent = agent_of(remove(7), remove(8), remove(7))

    def answer(event: rw.Event) -> None:
        if isinstance(event, told.ApprovalEvent) and not asked:
            event.allow()
        if isinstance(event, told.ApprovalEvent):
            asked.append(event)

    asked: list[told.ApprovalEvent] = []
    collect(agent.stream("?"), answer)
    assert sent(agent) == ["DELETE"]
    assert asked[0].hash != asked[1].hash
    assert len({event.id for event in asked}) == len(asked)


def test_a_change_of_mind_is_refused() -> None:
    agent = agent_of(remove(7))

    def answer(event: rw.Event) -> None:
        if isinstance(event, told.ApprovalEvent):
            event.refuse()
            with pytest.raises(RefusedRequest, match="answered before"):
                event.allow()

    collect(agent.stream("?"), answer)
    assert sent(agent) == []


def test_somebody_else_answers_while_the_stream_waits() -> None:
    agent = agent_of(remove(7))

    async def handle() -> list[bool]:
        waited: list[bool] = []
        async with aclosing(agent.stream("?")) as stream:
            async for event in stream:
                if isinstance(event, told.ApprovalEvent):
                    waited.append(await event.wait(0.01))
                    threading.Timer(0.05, event.allow).start()
                    waited.append(await event.wait(SOON_S))
        return waited

    assert asyncio.run(handle()) == [False, True]
    assert sent(agent) == ["DELETE"]


def test_who_waits_for_a_stream_that_was_left_is_told_that_nobody_may_answer() -> None:
    agent = agent_of(remove(7))

    async def leave() -> bool:
        async with aclosing(agent.stream("?")) as stream:
            event = await anext(stream)
            assert isinstance(event, told.ApprovalEvent)
            waiting = asyncio.create_task(event.wait())
            await asyncio.sleep(0)
        with pytest.raises(RefusedRequest):
            event.allow()
        return await waiting

    assert asyncio.run(leave()) is True
    assert sent(agent) == []


def test_a_callback_of_the_agent_itself_is_asked_in_place_of_the_stream() -> None:
    agent = agent_of(
        remove(7), Question("Which?"), approve=approve_all, human=lambda _: UserAnswer("This.")
    )
    events = collect(agent.stream("?"))
    assert not any(isinstance(event, told.AskingEvent) for event in events)
    assert [event.kind for event in events][:2] == ["approval", "call"]
    assert sent(agent) == ["DELETE"]
    assert "This." in events[-1].text


def test_listeners_of_the_agent_itself_are_told_too() -> None:
    kinds: list[str] = []
    words: list[str] = []
    agent = agent_of(
        film(7),
        ASKED,
        on_event=lambda event: kinds.append(event.kind),
        on_words=lambda piece: words.append(piece.text),
    )
    events = collect(agent.stream("?"))
    assert [event.kind for event in events] == ["call", "response", "words", "answer"]
    assert (kinds, words) == (["call", "response"], ["said"])


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_question_is_answered_on_the_event(is_answered: bool) -> None:
    def answer(event: rw.Event) -> None:
        if isinstance(event, told.QuestionEvent) and is_answered:
            event.answer("the blue one")

    agent = agent_of(Question("Which one?", name="colour"))
    asked, last = collect(agent.stream("?"), answer)
    assert isinstance(asked, told.QuestionEvent)
    assert (asked.text, asked.name, asked.tool, asked.schema) == ("Which one?", "colour", "", None)
    assert ("the blue one" in last.text) is is_answered
    with pytest.raises(UsageError, match=r"answered before|without an answer"):
        asked.answer("the red one")


@pytest.mark.parametrize(
    ("schema", "wrong", "right"),
    [(None, "", "a"), ({"enum": ["yes", "no"]}, "maybe", "yes"), (PIN, "7", {"pin": 7})],
)
def test_an_answer_that_is_not_what_is_asked_for_is_refused_at_once(
    schema: Any, wrong: Any, right: Any
) -> None:
    event = question_event(Question("?", "tv__pay", schema))
    with pytest.raises(UsageError, match="not what is asked for"):
        event.answer(wrong)
    event.answer(right)
    assert event.reply() == UserAnswer(right)


def test_what_a_human_fills_in_is_in_no_event_and_no_credential_is() -> None:
    separation = rw.Separation(is_human=lambda schema: schema.get("type") == "integer")
    tools = rw.catalog(
        rw.load(document(PATHS), alias="tv"), options=rw.ToolOptions(separation=separation)
    )
    connection = rw.Connection("https://api.example.test", {"authorization": "Bearer sesame-123"})
    transport = wire()
    agent = rw.Agent(
        tools,
        model=ScriptedModel([]),
        send=transport,
        kind=loop_of(Call(tool="tv__pay", arguments={})),
        connections={"tv": connection},
    )

    def answer(event: rw.Event) -> None:
        if isinstance(event, told.QuestionEvent):
            event.answer({"pin": 987654})
        if isinstance(event, told.ApprovalEvent):
            event.allow()

    events = collect(agent.stream("Pay."), answer)
    (request,) = transport.sent
    assert request.body == b'{"pin":987654}'
    kinds = [event.kind for event in events if event.kind != "approval"]
    assert kinds == ["question", "call", "response", "answer"]
    # Who filled it in is shown it, as by an `approve`.
    shown = json.dumps([event.record() for event in events if event.kind != "approval"])
    assert "987654" not in shown
    assert "sesame-123" not in json.dumps([event.record() for event in events])


def test_who_leaves_at_a_call_has_it_not_sent() -> None:
    agent = agent_of(film(7), remove(7), policy=ALLOW)

    async def leave() -> None:
        async for event in agent.stream("?"):
            if isinstance(event, told.CallEvent) and event.method == "DELETE":
                break
        await asyncio.sleep(0.05)

    asyncio.run(leave())
    assert sent(agent) == ["GET"]


def test_what_is_raised_in_the_loop_ends_the_run() -> None:
    agent = agent_of(film(7))

    async def fail() -> None:
        async with aclosing(agent.stream("?")) as stream:
            async for _ in stream:
                raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(fail())
    assert sent(agent) == []


def test_what_a_run_raises_before_its_first_step_is_raised() -> None:
    class Missing:
        name = "missing"

        def complete(self, request: Complete, *, deadline_s: float) -> Completion:
            raise ModelUnavailable("missing", "it is not there", "get it")

    with pytest.raises(ModelUnavailable):
        collect(agent_of(ASKED, model=Missing()).stream("?"))


def test_a_stream_that_is_not_begun_does_nothing() -> None:
    agent = agent_of(film(7))
    agent.stream("?")
    assert sent(agent) == []


class SlowServer:
    """Never answers; tells when it was asked, and when who asked has gone."""

    def __init__(self) -> None:
        self.asked, self.left = threading.Event(), threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.set()
                self.connection.settimeout(SOON_S)
                if self.connection.recv(1) == b"":
                    outer.left.set()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.do_GET()

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def slow() -> Generator[SlowServer]:
    running = SlowServer()
    yield running
    running.server.shutdown()
    running.server.server_close()


def cancel_once_asked(run: Callable[[], Coroutine[Any, Any, Any]], slow: SlowServer) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(run())
        assert await asyncio.to_thread(slow.asked.wait, SOON_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert slow.left.wait(SOON_S)


def slow_agent(slow: SlowServer, *steps: Step) -> rw.Agent:
    return agent_of(*steps, send=None, connections={"tv": rw.Connection(server=slow.url)})


@pytest.mark.parametrize("step", [film(1), Gather((film(1), film(2)))], ids=["one", "several"])
def test_who_is_cancelled_ends_the_requests_that_are_under_way(
    slow: SlowServer, step: Step
) -> None:
    async def run() -> None:
        async for _ in slow_agent(slow, step).stream("?"):
            pass

    cancel_once_asked(run, slow)


def test_who_is_cancelled_ends_the_request_to_a_provider(slow: SlowServer) -> None:
    pytest.importorskip("pydantic_ai.models.openai")
    model = rw.model_named("openai:m", url=f"{slow.url}/v1")

    async def run() -> None:
        async for _ in agent_of(ASKED, model=model).stream("?"):
            pass

    try:
        cancel_once_asked(run, slow)
    finally:
        model.close()  # type: ignore[attr-defined]


def test_a_turn_of_a_conversation_is_a_stream_too() -> None:
    talk = rw.Conversation(agent_of(remove(7)))

    def answer(event: rw.Event) -> None:
        if isinstance(event, told.ApprovalEvent):
            event.allow()

    first = collect(talk.stream("Remove it."), answer)
    second = collect(talk.stream("Again."))
    assert [event.kind for event in first] == ["approval", "call", "response", "answer"]
    assert [event.kind for event in second] == ["approval", "refusal", "answer"]
    assert [turn.question for turn in talk.turns] == ["Remove it.", "Again."]
    assert isinstance(first[-1], told.AnswerEvent)
    assert talk.turns[0].answer == first[-1].answer


def test_the_handler_of_the_page_on_agents_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "agents.md").read_text("utf-8")
    (code,) = [
        each for each in page.split("```python\n") if "agent.stream(" in each.partition("```")[0]
    ]
    agent = agent_of(remove(7), Question("Which?"), remove(8), ASKED)
    names: dict[str, Any] = {"agent": agent}
    exec(compile(code.partition("```")[0], "agents.md", "exec"), names)  # noqa: S102
    history: list[Any] = []

    async def is_allowed(question: str) -> bool:
        return question.endswith("/films/7 (DESTRUCTIVE)?")

    async def ask(question: str) -> str:
        return f"{question} That."

    answer = asyncio.run(names["handle"]("Remove both.", history, is_allowed, ask))
    assert capsys.readouterr().out == "said"
    assert "Which? That." in answer.text
    assert sent(agent) == ["DELETE"]
    assert history == answer.messages("anthropic")


def test_a_turn_that_was_left_is_known_and_gone_on_with(tmp_path: Path) -> None:
    with rw.journal(tmp_path / "kept.sqlite3") as journal:
        agent = agent_of(film(1), film(2))
        talk = rw.Conversation(agent, journal)

        async def leave() -> None:
            async with aclosing(talk.stream("Both.")) as stream:
                async for event in stream:
                    if isinstance(event, told.CallEvent) and event.url.endswith("/2"):
                        break

        asyncio.run(leave())
        assert talk.interrupted is not None
        assert [call.arguments for call in talk.interrupted.calls] == [{"id": 1}]
        events = collect(talk.stream_resumed_turn())
        # The first call is not made again, nor told.
        assert [event.kind for event in events] == ["call", "response", "answer"]
        assert sent(agent) == ["GET", "GET"]
        assert len(talk.turns) == 1
