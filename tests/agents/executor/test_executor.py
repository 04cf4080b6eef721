"""What the executor makes of the results of calls, with a script for the model and the server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import pytest
from tests.support.rendered import HOSTILE, asked, code, filled

from restwright.agents.agent import Agent
from restwright.agents.executor.executor import use
from restwright.agents.executor.running import Run
from restwright.agents.roles.failure import Failure
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    Question,
    Say,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.response.result import Result, result_from_response, result_without_response
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

REQUEST = Request(method="GET", url="http://h/pets")


def pets() -> Catalog:
    name = {"name": "name", "in": "query", "schema": {"type": "string"}}
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    content = {"application/json": {"schema": {"type": "object"}}}
    operation = {
        "operationId": "list_pets",
        "parameters": [name, page],
        "responses": {"200": {"description": "", "content": content}},
    }
    return catalog(load(document({"/pets": {"get": operation}})))


def driven(
    answers: Iterable[Response | Result], replies: Iterable[JsonObject]
) -> tuple[Json | Failure, list[JsonObject], list[str]]:
    """The outcome, the arguments of each call, and what was said."""
    waiting, replying = list(answers), list(replies)
    calls, said = list[JsonObject](), list[str]()
    [tool] = pets()
    steps = use(Run(question="Which pets?", catalog=pets()), tool, "find the pets", depth=0)
    outcome: Any = None
    try:
        while True:
            match steps.send(outcome):
                case Call(arguments=arguments):
                    calls.append(arguments)
                    answer = waiting.pop(0)
                    given = (
                        answer
                        if isinstance(answer, Result)
                        else result_from_response(REQUEST, answer)
                    )
                    outcome = given
                case Complete(role="caller"):
                    outcome = completion(replying.pop(0))
                case Complete():
                    outcome = completion("def parse(data):\n    return data")
                case Extract(body=body):
                    outcome = ExtractionResult(value=orjson.loads(body))
                case Say(event=event):
                    said.append(event.text)
                    outcome = None
    except StopIteration as end:
        return end.value, calls, said


def completion(value: JsonObject | str) -> Completion:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return Completion(text=text, input_tokens=1, output_tokens=1, elapsed_s=0)


NOBODY: JsonObject = {"conditions": [], "name": None}


@pytest.mark.parametrize(
    ("answer", "stopped", "why"),
    [
        (reply(401, {"message": "no token"}), "question", "only you can mend that"),
        (reply(402), "question", "only you can mend that"),
        (reply(403), "question", "only you can mend that"),
        (reply(429, None, {"retry-after": "30"}), "error", "try again in 30 seconds"),
        (reply(408), "error", "try again later"),
        (reply(503, None, {"retry-after": "5"}), "error", "try again in 5 seconds"),
        (reply(500, {"message": "oops"}), "error", "oops"),
        (reply(405), "error", "Method Not Allowed"),
        (result_without_response("refused", REQUEST, "not allowed"), "refused", "not allowed"),
        (result_without_response("no_response", REQUEST, "reset"), "error", "reset"),
    ],
)
def test_what_no_other_arguments_would_mend_ends_the_goal(
    answer: Response | Result, stopped: str, why: str
) -> None:
    failure, calls, _ = driven([answer], [NOBODY])
    assert isinstance(failure, Failure)
    assert (failure.final, failure.stopped) == (True, stopped)
    assert why in failure.why
    assert len(calls) == 1


def test_what_other_arguments_may_mend_is_said_to_the_model() -> None:
    found: JsonObject = {"items": [{"id": 1}, {"id": 2}], "total": 2}
    answers = [reply(422, {"message": "no such name"}), reply(200, found)]
    value, calls, said = driven(answers, [{**NOBODY, "name": "pets"}, NOBODY])
    assert value == found
    assert calls == [{"name": "pets"}, {}]
    assert any("no such name" in each for each in said)


def test_what_a_look_up_gave_that_was_not_it_is_not_used_and_no_other_write_is_tried() -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    film_id = {"name": "film_id", "in": "path", "required": True, "schema": number}
    words = {"name": "words", "in": "query", "required": True, "schema": text}
    film = {"type": "object", "properties": {"id": number, "title": text}}
    found = {"application/json": {"schema": {"type": "array", "items": film}}}
    paths: Json = {
        "/search/films": {
            "get": {
                "operationId": "search_films",
                "parameters": [words],
                "responses": {"200": {"description": "", "content": found}},
            }
        },
        "/films/{film_id}": {"delete": {"operationId": "drop_film", "parameters": [film_id]}},
        "/films/{film_id}/hide": {"post": {"operationId": "hide_film", "parameters": [film_id]}},
    }
    nothing = code("[each for each in data if each['title'] == 'Northern Light']")
    looked_up = [filled(words="northern light"), *[nothing] * 3]
    model = ScriptedModel(
        [
            asked(("do", "remove the film northern light")),
            ("selector", {"asked": "it", "of": "it", "operation": "drop_film"}),
            *looked_up,
        ]
    )
    send = RecordingTransport(lambda request: reply(200, [{"id": 8, "title": "South"}]))
    made = catalog(load(document(paths)))
    answer = Agent(made, model=model, send=send, approve=approve_all).ask("Remove northern light.")
    assert [each.method for each in send.sent] == ["GET"]
    assert answer.text.startswith("Not done: remove the film northern light")
    assert model.left == ()


def test_the_pages_of_a_list_are_read_as_one() -> None:
    answers = [
        reply(200, {"items": [{"id": 1}, {"id": 2}], "total": 3}),
        reply(200, {"items": [{"id": 3}], "total": 3}),
    ]
    value, calls, _ = driven(answers, [NOBODY])
    assert value == {"items": [{"id": 1}, {"id": 2}, {"id": 3}], "total": 3}
    assert calls == [{}, {"page": 2}]


def test_a_page_that_fails_leaves_those_before_it() -> None:
    answers = [reply(200, {"items": [{"id": 1}], "total": 3}), reply(500)]
    value, _, said = driven(answers, [NOBODY])
    assert value == {"items": [{"id": 1}], "total": 3}
    assert "only 1 items of 1 pages were read" in said


def test_pages_are_bounded() -> None:
    answers = [reply(200, {"items": [{"id": n}], "total": 100}) for n in range(100)]
    _, calls, said = driven(answers, [NOBODY])
    assert len(calls) == 5
    assert "only 5 items of 5 pages were read" in said


def think(operation: str, task: str) -> Reply:
    return ("reactor", {"thought": "So.", "operation": operation, "task": task})


def ordered(
    answers: Iterable[Response],
    said: Iterable[Json],
    *replies_by_task: Sequence[Reply],
    code: JsonObject | None = None,
    headers: Sequence[str] = (),
) -> tuple[list[str], list[JsonObject], ScriptedModel]:
    """What the user was asked for, what was sent, and the model; `code` is what a user knows."""
    fields = {"n": {"type": "integer"}, "code": code or {"type": "string"}}
    schema: JsonObject = {"type": "object", "properties": fields, "required": ["n", "code"]}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    needed: list[Json] = [
        {"name": each, "in": "header", "required": True, "schema": {"type": "string"}}
        for each in headers
    ]
    operation = {"operationId": "add_order", "requestBody": body, "parameters": needed}
    paths: JsonObject = {"/orders": {"post": operation}}
    waiting, saying = list(answers), list(said)
    questions: list[str] = []

    def human(question: Question) -> UserAnswer:
        questions.append(question.name)
        return UserAnswer(saying.pop(0))

    task = "add an order of 9, else 4 or 3"
    script: list[Reply] = []
    for number, replies in enumerate(replies_by_task):
        script += [think("add_order", f"{task}, {number}"), *replies]
    script += [think("finish", ""), ("answer", {"answer": "It is ordered."})]
    model, send = ScriptedModel(script), RecordingTransport(lambda _: waiting.pop(0))
    agent = Agent(
        catalog(load(document(paths))),
        model=model,
        send=send,
        kind="react",
        approve=approve_all,
        human=human,
    )
    agent.ask(task)
    sent = [orjson.loads(each.body or b"{}") for each in send.sent]
    return questions, sent, model


def order(n: int) -> Reply:
    return filled(n=n, code="made-up")


def test_the_user_is_not_asked_again_after_an_error_about_something_else() -> None:
    wrong = reply(422, {"error": "n must be under 5", "code": 17})
    questions, sent, _ = ordered(
        [wrong, wrong, reply(201, {})], ["VX-12"], [order(9), order(4), order(3)]
    )
    assert questions == ["code"]
    assert sent == [{"n": n, "code": "VX-12"} for n in (9, 4, 3)]


@pytest.mark.parametrize("why", ["the code is used up", "VX-12 is not known", "CODE: wrong"])
def test_the_user_is_asked_again_where_an_error_is_about_what_was_said(why: str) -> None:
    answers = [reply(422, {"error": why}), reply(201, {})]
    questions, sent, _ = ordered(answers, ["VX-12", "VX-13"], [order(9), order(9)])
    assert questions == ["code", "code"]
    assert [each["code"] for each in sent] == ["VX-12", "VX-13"]


def test_an_idempotency_key_is_said_for_each_call() -> None:
    replies = [filled(n=n, code="made-up", Idempotency_Key="made-up") for n in (9, 4)]
    wrong = reply(422, {"error": "n must be under 5"})
    said = ["VX-12", "one", "two"]
    questions, sent, _ = ordered(
        [wrong, reply(201, {})], said, replies, headers=["Idempotency-Key"]
    )
    assert questions == ["code", "Idempotency_Key", "Idempotency_Key"]
    assert [each["code"] for each in sent] == ["VX-12", "VX-12"]


def test_what_the_user_says_for_one_task_is_not_used_for_another() -> None:
    answers = [reply(201, {}), reply(201, {})]
    questions, sent, _ = ordered(answers, ["VX-12", "VX-13"], [order(9)], [order(4)])
    assert questions == ["code", "code"]
    assert [each["code"] for each in sent] == ["VX-12", "VX-13"]


def test_the_user_is_asked_again_for_a_value_that_does_not_fit() -> None:
    capital: JsonObject = {"type": "string", "pattern": "^[A-Z]"}
    made_up = filled(n=9, code="Made-up")
    questions, sent, _ = ordered([reply(201, {})], ["vx", "VX"], [made_up, made_up], code=capital)
    assert questions == ["code", "code"]
    assert [each["code"] for each in sent] == ["VX"]


def test_what_does_not_fit_is_told_in_words_that_end_no_turn() -> None:
    listed: JsonObject = {"type": "string", "enum": [f"A {HOSTILE}", f"B {HOSTILE}"]}
    chosen = filled(n=9, code=f"A {HOSTILE}")
    _, _, model = ordered([reply(201, {})], ["C"], [chosen, chosen], code=listed)
    asked_again = [each for each in model.asked if each.role == "caller"][-1]
    told = asked_again.messages[-1].text.partition("Before: ")[2]
    assert "was not called" in told
    assert "Obey" in told
    assert "<|im_end|>" not in told
    assert "</data>" not in told
