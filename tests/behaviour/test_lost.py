"""What was done is not lost, whatever raises afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.agents.steps import (
    Answer,
    Call,
    Complete,
    Completion,
    Conclusion,
    Message,
    NoAnswer,
    Question,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW, CONFIRM
from restwright.calls.auth.connection import Connection
from restwright.errors import MissingCredential, ModelUnavailable, NoSuchPart, StepFailed
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

CASES: list[JsonObject] = json.loads(
    (Path(__file__).parents[1] / "adversarial" / "failures.json").read_text("utf-8")
)
SECRET = "sk-0123456789abcdef"
ERRORS: dict[str, Callable[[], Exception]] = {
    "RuntimeError": lambda: RuntimeError(SECRET),
    "KeyError": lambda: KeyError(SECRET),
    "StopIteration": lambda: StopIteration(SECRET),
    "AssertionError": lambda: AssertionError(SECRET),
    "EOFError": lambda: EOFError(SECRET),
    "ModelUnavailable": lambda: ModelUnavailable("the model", "it is gone", "wait"),
}
NUMBER: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}}
BODY: JsonObject = {"content": {"application/json": {"schema": NUMBER}}}
KEY: JsonObject = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}


def one_api(name: str, *, has_key: bool = False) -> Any:
    post = {"operationId": "add_note", "requestBody": BODY, "responses": {}}
    secured = {"security": [{"key": []}], "components": KEY} if has_key else {}
    server = {"servers": [{"url": f"https://{name}.example.test"}]}
    return load(document({"/notes": {"post": post}}, **server, **secured), alias=name)


def two_apis(*, has_key: bool = False) -> Catalog:
    return catalog(one_api("shop"), one_api("pay", has_key=has_key))


def write(api: str, number: int) -> Call:
    return Call(tool=f"{api}__add_note", arguments={"n": number})


def answering(agent: Agent, question: str) -> Steps[Conclusion]:
    """A loop that catches nothing: it writes, talks to everybody, and writes elsewhere."""
    yield write("shop", 1)
    yield Question("Go on?")
    message = Message("user", question)
    yield Complete(role="answer", messages=(message,))
    yield write("pay", 2)
    if question == "loop":
        raise KeyError(SECRET)
    return Conclusion(text="All is done.")


class Failing:
    name = "failing"

    def __init__(self, error: Callable[[], Exception]) -> None:
        self.error = error

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        raise self.error()


def failing(error: Callable[[], Exception], after: int = 0) -> Callable[..., Any]:
    """What raises when it is called for the time after so many."""
    times: list[object] = []

    def call(*_: object, **__: object) -> Any:
        times.append(None)
        if len(times) > after:
            raise error()
        return True

    return call


def agent_for(case: JsonObject, send: RecordingTransport) -> Agent:
    fails, error = case["fails"], ERRORS.get(case["raises"], RuntimeError)
    settings: dict[str, Any] = {
        "model": ScriptedModel(["Yes."]),
        "send": send,
        "kind": answering,
        "policy": ALLOW,
        "approve": approve_all,
        "human": lambda _: UserAnswer("yes"),
    }
    if fails == "model":
        settings["model"] = Failing(error)
    elif fails == "on_event":
        # Told of the first call, and of its response.
        settings["on_event"] = failing(error, after=1)
    elif fails == "on_words":
        settings["on_words"] = failing(error)
    elif fails == "approve":
        settings |= {"policy": CONFIRM, "approve": failing(error, after=1)}
    elif fails == "human":
        settings["human"] = failing(error)
    elif fails == "credential":
        auth = "env:RESTWRIGHT_TEST_NO_SUCH_KEY"
        settings["connections"] = {"pay": Connection(server="https://pay.example.test", auth=auth)}
    return Agent(two_apis(has_key=fails == "credential"), **settings)


def transport() -> RecordingTransport:
    return RecordingTransport(lambda _: reply(201, {"id": 1}))


def check(answer: Answer, case: JsonObject, send: RecordingTransport) -> None:
    assert answer.stopped == "error"
    assert answer.error is not None
    assert type(answer.error).__name__ == case["raises"] or answer.error.__cause__ is not None
    assert [each.tool for each in answer.calls][:1] == ["shop__add_note"]
    assert len(answer.calls) == len(send.sent)
    assert case["where"] in answer.text
    assert 'shop__add_note {"n":1}: it took effect' in answer.text
    assert SECRET not in f"{answer.text} {answer.reason} {answer!r} {answer.steps}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_was_done_is_in_the_answer_whatever_fails_afterwards(case: JsonObject) -> None:
    send = transport()
    check(agent_for(case, send).ask(case["fails"]), case, send)
    send = transport()
    check(asyncio.run(agent_for(case, send).ask_async(case["fails"])), case, send)


def test_a_transport_that_raises_fails_its_call_and_the_run_goes_on() -> None:
    def answer(request: Request) -> Response:
        if "pay." in request.url:
            raise RuntimeError(SECRET)
        return reply(201, {"id": 1})

    conversation = Conversation(agent_for({"fails": "", "raises": ""}, RecordingTransport(answer)))
    answered = conversation.ask("?")
    assert (answered.text, answered.stopped) == ("All is done.", "answered")
    (turn,) = conversation.turns
    assert [each.effect for each in turn.writes] == ["done", "unknown"]
    assert SECRET not in f"{answered!r} {answered.steps}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_turn_that_failed_is_part_of_its_conversation(case: JsonObject) -> None:
    send = transport()
    conversation = Conversation(agent_for(case, send))
    check(conversation.ask(case["fails"]), case, send)
    (turn,) = conversation.turns
    assert turn.writes[0].tool == "shop__add_note"
    assert len(turn.writes) == len(send.sent)


@pytest.fixture
def journal(tmp_path: Path) -> Generator[Journal]:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def test_a_run_that_failed_is_taken_up_where_it_failed(journal: Journal) -> None:
    case = {"fails": "human", "raises": "EOFError", "where": "asking the user"}
    send = transport()
    failed = agent_for(case, send).ask("?", journal=journal)
    check(failed, case, send)
    (listed,) = journal.sessions()
    assert listed.stopped == ""
    again = agent_for({"fails": "", "raises": ""}, send).ask(journal=journal, resume=failed.session)
    assert (again.text, again.stopped) == ("All is done.", "answered")
    assert len(send.sent) == 2


def test_a_turn_that_failed_can_be_gone_on_with(journal: Journal) -> None:
    case = {"fails": "human", "raises": "EOFError", "where": "asking the user"}
    send = transport()
    conversation = Conversation(agent_for(case, send), journal)
    conversation.ask("?")
    assert conversation.interrupted is not None
    conversation.agent = agent_for({"fails": "", "raises": ""}, send)
    assert conversation.resume_turn().text == "All is done."
    assert conversation.interrupted is None


def test_a_journal_that_cannot_be_written_ends_the_run_before_the_next_write(
    journal: Journal,
) -> None:
    def answer(_: Request) -> Response:
        journal.close()
        return reply(201, {"id": 1})

    case = {"fails": "journal", "raises": "OSError", "where": str(journal.path)}
    send = RecordingTransport(answer)
    answered = agent_for(case, send).ask("?", journal=journal)
    check(answered, case, send)
    assert len(send.sent) == 1


def test_an_answer_that_the_journal_cannot_keep_is_given_all_the_same(journal: Journal) -> None:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        yield write("shop", 1)
        journal.close()
        return Conclusion(text="All is done.")

    send = RecordingTransport(lambda _: reply(201, {"id": 1}))
    agent = Agent(two_apis(), model=ScriptedModel([]), send=send, kind=loop, policy=ALLOW)
    answer = agent.ask("?", journal=journal)
    assert answer.text.startswith("All is done.\nStopped: ")
    assert (answer.stopped, len(answer.calls)) == ("error", 1)


def test_nothing_is_sent_of_which_a_listener_could_not_be_told() -> None:
    send = RecordingTransport(lambda _: reply(201, {"id": 1}))

    def listen(event: Event) -> None:
        if event.kind == "call":
            raise ValueError(SECRET)

    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        yield Question("Go on?")
        yield write("shop", 1)
        return Conclusion(text="")

    agent = Agent(
        two_apis(),
        model=ScriptedModel([]),
        send=send,
        kind=loop,
        policy=ALLOW,
        on_event=listen,
    )
    answer = agent.ask("?")
    assert (answer.stopped, answer.calls, send.sent) == ("error", (), [])
    assert "on_event failed: ValueError" in answer.text


def test_what_is_raised_before_anything_was_done_is_raised() -> None:
    script = Failing(ERRORS["RuntimeError"])
    for kind in ("rest", "calling", "react", "plan", "dfsdt"):
        with pytest.raises(RuntimeError, match=SECRET):
            Agent(two_apis(), model=script, kind=kind).ask("?")


@pytest.mark.parametrize("kind", ["calling", "plan"])
def test_a_loop_of_ours_tells_what_it_found_and_what_it_has_left(kind: str) -> None:
    """Its model fails after a write of the first of two steps."""
    left = {"calls": [{"tool": "shop__add_note", "arguments": {"n": 1}}]}
    steps = [{"operation": each, "task": "add a note"} for each in ("add_note", "add_note")]
    tools = [{"reason": "", "name": "shop__add_note"}]
    script: dict[str, list[JsonObject]] = {
        "calling": [{"tools": tools, "answer": ""}, left],
        "plan": [{"steps": steps}, {"n": 1}],
    }

    class Ending(ScriptedModel):
        def complete(self, request: Complete, *, deadline_s: float) -> Completion:
            if not self.left:
                raise RuntimeError(SECRET)
            return super().complete(request, deadline_s=deadline_s)

    send = RecordingTransport(lambda _: reply(201, {"id": 1}))
    agent = Agent(
        catalog(one_api("shop")), model=Ending(script[kind]), send=send, kind=kind, policy=ALLOW
    )
    answer = agent.ask("Add a note with n 1.")
    assert (answer.stopped, len(answer.calls), len(send.sent)) == ("error", 1, 1)
    assert "Stopped: the model failed: RuntimeError" in answer.text
    assert 'shop__add_note {"n":1}: it took effect' in answer.text
    assert isinstance(answer.error, StepFailed)
    assert isinstance(answer.error.__cause__, RuntimeError)


def test_a_connection_for_no_api_is_refused_when_the_agent_is_made() -> None:
    with pytest.raises(NoSuchPart, match=r"'shpo' .*; did you mean shop\?"):
        Agent(two_apis(), model=ScriptedModel([]), connections={"shpo": Connection()})


def test_an_interruption_is_raised_and_what_was_sent_is_known(journal: Journal) -> None:
    def human(_: Question) -> UserAnswer | NoAnswer:
        raise KeyboardInterrupt

    send = RecordingTransport(lambda _: reply(201, {"id": 1}))
    agent = replace(agent_for({"fails": "", "raises": ""}, send), human=human)
    conversation = Conversation(agent, journal)
    with pytest.raises(KeyboardInterrupt):
        conversation.ask("?")
    (turn,) = conversation.turns
    assert [(each.tool, each.effect) for each in turn.writes] == [("shop__add_note", "done")]
    assert [each.tool for each in turn.calls] == ["shop__add_note"]
    kept = [*journal.export(journal.last_id)]
    assert [each["event"] for each in kept if each.get("event") == "sent"] == ["sent"]


def test_a_missing_credential_says_what_is_missing_and_not_how_to_type_it() -> None:
    case = next(each for each in CASES if each["fails"] == "credential")
    answer = agent_for(case, transport()).ask("?")
    assert isinstance(answer.error, MissingCredential)
    assert "--" not in answer.text
