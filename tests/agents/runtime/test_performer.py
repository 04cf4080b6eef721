"""What performs steps: a table, steps together, approvals, questions and what only a human says."""

from __future__ import annotations

import asyncio
import threading
from typing import get_args

import pytest

from restwright.agents.events import EVENT_MEANINGS, Event, EventKind, combine_listeners
from restwright.agents.runtime.driver import run_steps, run_steps_async
from restwright.agents.runtime.human_input import human_from_answers, no_human
from restwright.agents.runtime.performer import MAX_CONCURRENT_PER_API, STEP_HANDLERS, Performer
from restwright.agents.steps import (
    ApprovalDecision,
    Approve,
    Call,
    Extract,
    ExtractionResult,
    Gather,
    NoAnswer,
    Outcome,
    Question,
    Step,
    Steps,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import ALLOW, READ_ONLY
from restwright.calls.response.result import Result
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions

FILM = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
KEY = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}
PAYMENT = {
    "type": "object",
    "required": ["amount", "pin"],
    "properties": {
        "amount": {"type": "integer"},
        "pin": {"type": "string", "x-human": True, "minLength": 4},
    },
}
DOCUMENT = document(
    {
        "/films/{id}": {"get": {"operationId": "get_film", "parameters": [FILM]}},
        "/votes": {"post": {"operationId": "vote", "parameters": [KEY]}},
        "/payments": {
            "post": {
                "operationId": "pay",
                "requestBody": {"content": {"application/json": {"schema": PAYMENT}}},
            }
        },
    }
)
TOOLS = catalog(load(DOCUMENT, alias="tv"), options=ToolOptions(separation=by_extension("x-human")))


def performer(**settings: object) -> Performer:
    given = {
        "catalog": TOOLS,
        "model": ScriptedModel([]),
        "send": RecordingTransport(lambda request: reply(200, {"url": request.url})),
        "approve": never,
        "connections": {},
        **settings,
    }
    return Performer(**given)  # type: ignore[arg-type]


def film(number: int) -> Call:
    return Call(tool="tv__get_film", arguments={"id": number})


def test_every_step_has_a_row_in_the_table() -> None:
    assert set(STEP_HANDLERS) == set(get_args(Step))


def test_every_kind_of_event_is_explained() -> None:
    assert set(EVENT_MEANINGS) == set(get_args(EventKind))


def test_an_event_goes_to_all_listeners_in_order() -> None:
    heard: list[tuple[int, Event]] = []
    told = combine_listeners(
        lambda each: heard.append((1, each)), None, lambda each: heard.append((2, each))
    )
    told(Event("note", "x"))
    assert heard == [(1, Event("note", "x")), (2, Event("note", "x"))]
    assert Event("note", "x").record() == {"kind": "note", "text": "x", "data": {}}


def test_reads_are_gathered_in_order_and_at_the_same_time() -> None:
    meeting = threading.Barrier(MAX_CONCURRENT_PER_API, timeout=10)

    def send(request: Request) -> Response:
        meeting.wait()
        return reply(200, request.url[-1])

    doing = performer(send=send)
    outcomes = doing(Gather(tuple(map(film, range(MAX_CONCURRENT_PER_API)))))
    assert isinstance(outcomes, tuple)
    assert [each.value for each in outcomes if isinstance(each, Result)] == ["0", "1", "2", "3"]
    assert [each.arguments["id"] for each in doing.calls] == [0, 1, 2, 3]
    assert [each["arguments"]["id"] for each in doing.trace if "outcome" in each] == [0, 1, 2, 3]


def test_an_api_is_asked_only_a_few_things_at_once() -> None:
    lock, under_way, most = threading.Lock(), [0], [0]

    def send(request: Request) -> Response:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        threading.Event().wait(0.01)
        with lock:
            under_way[0] -= 1
        return reply(200)

    performer(send=send)(Gather(tuple(map(film, range(12)))))
    assert 1 < most[0] <= MAX_CONCURRENT_PER_API


def test_with_a_write_among_them_steps_are_performed_one_after_another() -> None:
    threads: set[int] = set()

    def send(request: Request) -> Response:
        threads.add(threading.get_ident())
        return reply(200)

    vote = Call(tool="tv__vote", arguments={})
    performer(send=send, policy=ALLOW)(Gather((film(1), vote, film(2))))
    assert threads == {threading.get_ident()}


def loop() -> Steps[list[Outcome]]:
    first = yield Gather((film(1), Extract(code="def parse(data):\n    return 7", body="1")))
    return [first, (yield Question("Which?", name="which"))]


def test_both_drivers_give_the_same() -> None:
    def doing() -> Performer:
        return performer(human=human_from_answers({"which": "this"}))

    blocking = run_steps(loop(), doing())
    assert blocking == asyncio.run(run_steps_async(loop(), doing()))
    first, answered = blocking
    assert answered == UserAnswer("this")
    assert isinstance(first, tuple)
    assert first[1] == ExtractionResult(value=7)


@pytest.mark.parametrize(
    ("policy", "is_allowed"), [(ALLOW, True), (READ_ONLY, False)], ids=["allow", "read-only"]
)
def test_a_policy_approves_or_refuses_without_asking(policy, is_allowed) -> None:
    outcome = performer(policy=policy)(Approve(tool="tv__vote", arguments={}))
    assert isinstance(outcome, ApprovalDecision)
    assert outcome.is_allowed is is_allowed
    assert bool(outcome.why) is not is_allowed


def test_an_approval_is_for_one_call_with_the_same_arguments() -> None:
    asked: list[Request] = []

    def approve(tool, request: Request) -> bool:
        asked.append(request)
        return len(asked) == 1

    events: list[Event] = []
    doing = performer(approve=approve, on_event=events.append)
    outcome = doing(Approve(tool="tv__vote", arguments={}))
    assert isinstance(outcome, ApprovalDecision)
    assert list(outcome.arguments) == ["Idempotency_Key"]
    again = Call(tool="tv__vote", arguments=outcome.arguments)
    kinds = [getattr(doing(again), "kind", None) for _ in range(2)]
    assert kinds == ["ok", "refused"]
    assert len(asked) == 2
    words = [each.data["is_allowed"] for each in events if each.kind == "approval"]
    assert words == [True, False]


def test_a_refused_approval_says_so() -> None:
    outcome = performer(approve=refuse_all)(Approve(tool="tv__vote", arguments={}))
    assert isinstance(outcome, ApprovalDecision)
    assert (outcome.is_allowed, outcome.why) == (False, "tv__vote was not allowed")


def test_a_question_that_nobody_answers_says_so() -> None:
    assert performer()(Question("Which?")) == NoAnswer("nobody is there to answer: Which?")


@pytest.mark.parametrize(
    ("answers", "question", "outcome"),
    [
        ({"id": 7}, Question("?", name="id", schema={"type": "integer"}), UserAnswer(7)),
        ({"id": "x"}, Question("?", name="id", schema={"type": "integer"}), None),
        ({"vote": {"a": 1}}, Question("?", "tv__vote", {"type": "object"}), UserAnswer({"a": 1})),
        ({"x": ""}, Question("?", name="x"), None),
    ],
    ids=["by name", "of another type", "by operation", "empty"],
)
def test_prepared_answers_are_used_where_they_fit(answers, question, outcome) -> None:
    assert human_from_answers(answers)(question) == (outcome or no_human(question))


PAY = Call(tool="tv__pay", arguments={"amount": 3})


def test_what_a_human_fills_in_goes_into_the_request_and_nowhere_else() -> None:
    events: list[Event] = []
    doing = performer(
        human=human_from_answers({"pay": {"pin": "canary-71"}}),
        policy=ALLOW,
        on_event=events.append,
    )
    result = doing(PAY)
    assert isinstance(result, Result)
    assert doing.send.sent[0].body == b'{"amount":3,"pin":"canary-71"}'
    assert "canary" not in f"{events} {doing.trace} {doing.calls}"


def test_without_a_human_what_is_left_to_one_is_not_sent() -> None:
    result = performer(send=never, policy=ALLOW)(PAY)
    assert isinstance(result, Result)
    assert (result.kind, result.repairable_by) == ("refused", "user")
    assert result.text == "nobody is there to answer: tv__pay needs from you: pin"


def test_a_human_is_not_asked_while_the_models_part_is_wrong() -> None:
    result = performer(human=never, send=never)(Call(tool="tv__pay", arguments={"amount": "x"}))
    assert isinstance(result, Result)
    assert (result.kind, result.repairable_by) == ("mismatch", "model")


def test_what_a_human_filled_in_is_asked_for_again_after_a_write() -> None:
    asked: list[Question] = []

    def human(question: Question) -> UserAnswer:
        asked.append(question)
        return UserAnswer({"pin": "1234"})

    doing = performer(human=human, policy=ALLOW, send=lambda _: reply(200))
    for _ in range(2):
        doing(PAY)
    assert len(asked) == 2


def test_an_answer_of_a_human_that_does_not_fit_is_asked_for_again_a_few_times() -> None:
    asked: list[Question] = []

    def human(question: Question) -> UserAnswer:
        asked.append(question)
        return UserAnswer({"pin": "1"})

    result = performer(human=human, send=never, policy=ALLOW)(PAY)
    assert isinstance(result, Result)
    assert len(asked) == 3
    assert result.text == "what was answered for tv__pay does not fit"


def test_a_model_cannot_say_what_a_human_is_to_say() -> None:
    doing = performer(human=never, send=never, policy=ALLOW, approve=approve_all)
    result = doing(Call(tool="tv__pay", arguments={"amount": 3, "pin": "9999"}))
    assert isinstance(result, Result)
    assert result.kind == "mismatch"
    assert "a human fills this in" in result.text


def test_a_catalog_of_nothing_has_no_tool_to_approve() -> None:
    outcome = performer(catalog=catalog())(Approve(tool="x", arguments={}))
    assert isinstance(outcome, ApprovalDecision)
    assert not outcome.is_allowed
