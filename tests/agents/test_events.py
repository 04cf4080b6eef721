"""What is told of calls: which tool, which belongs to which, and what was not sent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.conversation import Conversation
from restwright.agents.events import EVENT_MEANINGS, Event
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Call, Conclusion, Gather, Step, Steps
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import ALLOW, READ_ONLY
from restwright.errors import NoResponse, RefusedRequest
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

FILM = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
PATHS = {
    "/films/{id}": {
        "get": {"operationId": "get_film", "parameters": [FILM]},
        "delete": {"operationId": "remove_film", "parameters": [FILM]},
    }
}
TOOLS = catalog(load(document(PATHS), alias="tv"))


def film(number: int) -> Call:
    return Call(tool="tv__get_film", arguments={"id": number})


REMOVE = Call(tool="tv__remove_film", arguments={"id": 7})
MISFIT = Call(tool="tv__get_film", arguments={"id": "seven"})
UNKNOWN = Call(tool="tv__no_such", arguments={})


def loop_of(*steps: Step) -> Callable[[Agent, str], Steps[Conclusion]]:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        outcome: object = None
        for step in steps:
            outcome = yield step
        return Conclusion(text=str(outcome))

    return loop


def ok(request: Request) -> Response:
    return reply(200, {"of": request.url.rpartition("/")[2]})


def agent_of(*steps: Step, send: Callable[[Request], Response] = ok, **settings: Any) -> Agent:
    return Agent(TOOLS, model=ScriptedModel([]), send=send, kind=loop_of(*steps), **settings)


def told(*steps: Step, **settings: Any) -> list[Event]:
    events: list[Event] = []
    agent_of(*steps, on_event=events.append, **settings).ask("?")
    return events


def test_responses_of_reads_that_go_on_together_are_told_from_each_other() -> None:
    """The last one is answered first, and so on; each response tells a size of its own."""
    count = 4
    may_answer = [threading.Event() for _ in range(count)]
    may_answer[-1].set()

    def send(request: Request) -> Response:
        number = int(request.url.rpartition("/")[2])
        assert may_answer[number].wait(20)
        return reply(200, "x" * number)

    def listen(event: Event) -> None:
        events.append(event)
        if event.kind == "response" and (done := counted(event)):
            may_answer[done - 1].set()

    def counted(event: Event) -> int:
        return int(event.text.partition(", ")[2].partition(" ")[0]) - len('""')

    events: list[Event] = []
    reads = Gather(tuple(film(number) for number in range(count)))
    agent_of(reads, send=send, on_event=listen).ask("?")
    urls = {each.data["id"]: each.data["url"] for each in events if each.kind == "call"}
    responses = [each for each in events if each.kind == "response"]
    assert [counted(each) for each in responses] == [3, 2, 1, 0]
    assert [urls[each.data["id"]].rpartition("/")[2] for each in responses] == ["3", "2", "1", "0"]
    assert {each.data["tool"] for each in events} == {"tv__get_film"}


def test_each_call_has_an_id_of_its_own() -> None:
    events = told(film(1), film(1), REMOVE, policy=ALLOW)
    assert [each.kind for each in events] == ["call", "response"] * 3
    ids = [each.data["id"] for each in events]
    assert ids[::2] == ids[1::2]
    assert len(set(ids)) == 3
    assert [each.data["tool"] for each in events[4:]] == ["tv__remove_film"] * 2


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({"approve": refuse_all}, ["approval", "refusal"]),
        ({"approve": approve_all, "policy": READ_ONLY}, ["refusal"]),
    ],
)
def test_a_refused_write_is_an_event_of_its_own_and_no_call(
    settings: dict[str, Any], kinds: list[str]
) -> None:
    events: list[Event] = []
    answer = agent_of(REMOVE, on_event=events.append, **settings).ask("?")
    assert [each.kind for each in events] == kinds
    assert events[-1].data["tool"] == "tv__remove_film"
    assert events[-1].data["outcome"] == "refused"
    assert "allowed" in events[-1].text
    assert answer.calls == ()
    assert answer.usage.http_calls == 0


def test_what_the_transport_refuses_is_refused_under_the_id_of_its_call() -> None:
    def send(request: Request) -> Response:
        raise RefusedRequest(request.url, "it is a private address")

    events: list[Event] = []
    answer = agent_of(film(1), send=send, on_event=events.append).ask("?")
    assert [each.kind for each in events] == ["call", "refusal"]
    assert events[0].data["id"] == events[1].data["id"]
    assert answer.calls == ()


@pytest.mark.parametrize("step", [MISFIT, UNKNOWN])
def test_a_call_that_does_not_fit_is_none(step: Call) -> None:
    events: list[Event] = []
    answer = agent_of(step, on_event=events.append).ask("?")
    assert not {each.kind for each in events} & {"call", "response"}
    assert answer.calls == ()


def test_the_calls_of_an_answer_are_those_that_were_sent() -> None:
    def send(request: Request) -> Response:
        if request.url.endswith("/3"):
            raise NoResponse(request.url, "it ended", sent=True)
        return reply(404 if request.url.endswith("/2") else 200)

    steps = (film(1), REMOVE, MISFIT, UNKNOWN, film(2), film(3))
    answer = agent_of(*steps, send=send).ask("?")
    assert [each.arguments["id"] for each in answer.calls] == [1, 2, 3]
    assert [each.status for each in answer.calls] == [200, 404, None]
    assert answer.usage.http_calls == 3


def test_a_turn_lists_the_same_calls_whether_it_is_restored_or_not(tmp_path: Any) -> None:
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        agent = agent_of(film(1), REMOVE, Gather((film(2), film(3))))
        conversation = Conversation(agent, journal)
        conversation.ask("?")
        again = Conversation.resume(agent, journal, conversation.id)
    assert [each.arguments["id"] for each in conversation.turns[0].calls] == [1, 2, 3]
    assert again.turns[0].calls == conversation.turns[0].calls


def test_entries_of_a_trace_are_paired_as_events_are_and_so_when_told_again(
    tmp_path: Any,
) -> None:
    steps = (film(1), Gather((film(2), film(3))), REMOVE)
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        first = agent_of(*steps).ask("?", journal=journal)
        again = agent_of(*steps).ask(journal=journal, resume=first.session)
    ended = [each for each in first.steps if each["step"] in {"response", "refusal"}]
    assert [each["step"] for each in ended] == ["response", "response", "response", "refusal"]
    assert len({each["id"] for each in ended}) == 4
    assert ended == [each for each in again.steps if each["step"] in {"response", "refusal"}]


def test_every_kind_of_event_is_described() -> None:
    assert "refusal" in EVENT_MEANINGS
    assert all("`id`" in EVENT_MEANINGS[kind] for kind in ("call", "response", "refusal"))
