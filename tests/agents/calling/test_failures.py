"""What goes wrong in the calls of the calling agent, and what its answer says of that."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.agents.agent import Agent, Limits
from restwright.agents.calling.loop import Calling, run_calling
from restwright.agents.runtime.driver import run_steps
from restwright.agents.steps import (
    Answer,
    Complete,
    Completion,
    Gather,
    Question,
    Step,
    UserAnswer,
)
from restwright.calls.approval.approval import approve_all
from restwright.calls.response.result import Result, result_from_response
from restwright.errors import LimitReached
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset import ToolCall

OWN = ("ask_user", "cancel_tools")


def operation(name: str, *parameters: JsonObject, **more: Json) -> JsonObject:
    return {"operationId": name, "parameters": [*parameters], "responses": {}, **more}


ID: JsonObject = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
QUERY: JsonObject = {"name": "q", "in": "query", "schema": {"type": "string"}}
ORDER: JsonObject = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
BODY: JsonObject = {"required": True, "content": {"application/json": {"schema": ORDER}}}
SHOP = catalog(
    load(
        document(
            {
                "/products": {"get": operation("find_products", QUERY)},
                "/products/{id}": {"get": operation("get_product", ID)},
                "/orders": {
                    "get": operation("list_orders", QUERY),
                    "post": operation("add_order", requestBody=BODY),
                },
                "/orders/{id}": {"delete": operation("delete_order", ID)},
            }
        ),
        alias="shop",
    )
)


def chosen(*names: str) -> Reply:
    tools = [{"reason": "needed", "name": f"shop__{name}"} for name in names]
    return ("selector", {"tools": tools, "answer": ""})


def calls(*made: tuple[str, Json]) -> Reply:
    return ("caller", {"calls": [{"tool": _full(n), "arguments": a} for n, a in made]})


def native(*made: tuple[str, Json], text: str = "") -> Reply:
    asked = tuple(ToolCall(_full(name), arguments) for name, arguments in made)
    return ("caller", Completion(text=text, calls=asked))


def _full(name: str) -> str:
    return name if name in OWN else f"shop__{name}"


def products(*ids: int) -> Reply:
    return calls(*(("get_product", {"id": each}) for each in ids))


def described(text: str = "Done.") -> Reply:
    return ("describer", {"answer": text})


DONE = calls()


def ask(
    answer: Any, *script: Reply, question: str = "Do it.", calls_tools: bool = False, **more: Any
) -> tuple[Answer, ScriptedModel, list[Request]]:
    model, send = ScriptedModel(script, calls_tools=calls_tools), RecordingTransport(answer)
    settings = {"kind": "calling", "approve": approve_all, **more}
    ended = Agent(SHOP, model=model, send=send, **settings).ask(question)
    assert model.left == ()
    return ended, model, send.sent


def turns(model: ScriptedModel, role: str = "caller") -> list[str]:
    return [each.messages[-1].text for each in model.asked if each.role == role]


def offered(request: Complete) -> list[str]:
    schema = request.schema or {}
    kinds = schema["properties"]["calls"]["items"]["anyOf"]
    return [each["properties"]["tool"]["const"].removeprefix("shop__") for each in kinds]


def missing_above_90(request: Request) -> Response:
    number = int(request.url.rpartition("/")[2])
    if number > 90:
        return reply(404, {"error": f"no product {number}"})
    return reply(200, {"id": number, "name": "Lamp"})


@pytest.mark.parametrize("order", [(91, 92, 1), (1, 91, 92), (91, 1, 92)])
def test_what_failed_beside_a_success_is_told_whatever_the_order(order: tuple[int, ...]) -> None:
    answer, model, _ = ask(
        missing_above_90,
        chosen("get_product"),
        products(*order),
        DONE,
        described("All are there."),
        question="Are there the products 91, 92 and 1?",
    )
    told = [text for role in ("caller", "describer") for text in turns(model, role)[-1:]]
    assert all("no product 91" in text and "no product 92" in text for text in told)
    assert answer.stopped == "error"
    assert 'shop__get_product {"id":91}: HTTP 404' in answer.text
    assert 'shop__get_product {"id":92}: HTTP 404' in answer.reason
    assert '{"id":1}' not in answer.reason


@pytest.mark.parametrize(
    ("asked", "stopped"),
    [("Which lamp is there?", "answered"), ("Which lamp is 91?", "error")],
)
def test_a_guess_that_failed_is_forgotten_once_something_else_was_read(
    asked: str, stopped: str
) -> None:
    """Not where the user named it."""

    def answers(request: Request) -> Response:
        is_list = request.url.endswith("/products")
        return reply(200, [{"id": 1, "name": "Lamp"}]) if is_list else missing_above_90(request)

    answer, _, _ = ask(
        answers,
        chosen("get_product", "find_products"),
        products(91),
        calls(("find_products", {})),
        DONE,
        described("The lamp is number 1."),
        question=asked,
    )
    assert answer.stopped == stopped
    assert ("Not done" in answer.text) == (stopped == "error")


def test_a_success_in_each_reply_keeps_no_tool_from_being_given_up() -> None:
    answer, model, sent = ask(
        missing_above_90,
        chosen("get_product", "find_products"),
        *(products(90 + n, n) for n in range(1, 5)),
        products(5),
        described("Some."),
    )
    assert len(sent) == 8
    assert "shop__get_product was called wrongly too often" in turns(model)[-1]
    assert answer.stopped == "error"


@pytest.mark.parametrize("asked", ["the lamp", "the products 91 and 1"])
def test_a_call_takes_the_place_of_one_that_failed_unless_the_user_named_that(asked: str) -> None:
    answer, *_ = ask(
        missing_above_90,
        chosen("get_product"),
        products(91),
        products(1),
        DONE,
        described("A lamp."),
        question=f"What is the name of {asked}?",
    )
    assert answer.stopped == ("answered" if asked == "the lamp" else "error")


def test_after_an_error_all_tools_can_be_called_and_the_end_can_be_said() -> None:
    answer, model, _ = ask(
        missing_above_90,
        chosen("get_product", "find_products"),
        products(99),
        DONE,
        described("There is none."),
    )
    after = [each for each in model.asked if each.role == "caller"][1]
    assert offered(after) == ["find_products", "get_product", *OWN]
    assert "no product 99" in turns(model, "describer")[0]
    assert answer.text.startswith("There is none.\nNot done: ")
    assert "no product 99" in answer.reason


def test_the_words_of_a_model_after_an_error_are_the_answer() -> None:
    answer, model, _ = ask(
        missing_above_90,
        chosen("get_product"),
        native(("get_product", {"id": 99})),
        native(text="There is no product 99."),
        calls_tools=True,
    )
    assert [each.role for each in model.asked] == ["selector", "caller", "caller"]
    assert answer.text.startswith("There is no product 99.\nNot done: ")


def test_the_same_call_is_not_sent_again_after_it_failed_and_is_named() -> None:
    asked: list[bytes] = []

    def approve(tool: object, request: Request) -> bool:
        del tool
        asked.append(request.body)
        return True

    again = calls(("add_order", {"n": 1}))
    answer, model, sent = ask(
        lambda _: reply(409, {"error": "closed"}),
        chosen("add_order"),
        *[again] * 4,
        described("It is closed."),
        approve=approve,
    )
    assert (len(sent), len(asked)) == (1, 1)
    assert "was called again with what failed before" in turns(model)[2]
    assert "closed" in turns(model)[3]
    assert 'shop__add_order {"n":1}: HTTP 409 Conflict' in answer.reason


def test_writes_that_fail_in_turn_are_sent_once_each() -> None:
    first, second = (calls(("add_order", {"n": each})) for each in (1, 2))
    answer, _, sent = ask(
        lambda _: reply(409, {"error": "closed"}),
        chosen("add_order"),
        *[first, second] * 2,
        described("It is closed."),
    )
    assert [each.body for each in sent] == [b'{"n":1}', b'{"n":2}']
    assert answer.stopped == "error"


def test_a_call_that_failed_is_sent_again_after_something_was_written() -> None:
    replies = [reply(404, {"error": "no product 1"}), reply(201), reply(200, {"name": "Lamp"})]
    answer, _, sent = ask(
        lambda _: replies.pop(0),
        chosen("get_product", "add_order"),
        products(1),
        calls(("add_order", {"n": 1})),
        products(1),
        DONE,
        described("A lamp."),
    )
    assert (answer.stopped, len(sent)) == ("answered", 3)


def test_a_tool_that_was_given_up_cannot_be_called_any_more() -> None:
    answer, _, sent = ask(
        missing_above_90,
        chosen("get_product", "find_products"),
        *(products(91 + n) for n in range(5)),
        described("None is there."),
        question="Which of the products 91 to 95 are there?",
    )
    assert len(sent) == 4
    assert "no product 91" in answer.reason


def test_a_write_that_was_held_back_and_never_made_is_not_done() -> None:
    answer, model, sent = ask(
        missing_above_90,
        chosen("get_product", "delete_order"),
        calls(("get_product", {"id": 99}), ("delete_order", {"id": 7})),
        DONE,
        described("The order is deleted."),
    )
    assert [each.method for each in sent] == ["GET"]
    assert "shop__delete_order was not called, since a call before it" in turns(model)[1]
    assert 'shop__delete_order {"id":7}: not called' in answer.text


def test_a_mismatch_of_each_of_two_calls_is_told_until_both_are_corrected() -> None:
    wrong = calls(("add_order", {"n": "one"}), ("add_order", {"n": "two"}))
    answer, model, sent = ask(
        lambda _: reply(201),
        chosen("add_order"),
        wrong,
        calls(("add_order", {"n": 1})),
        DONE,
        described("Both are made."),
    )
    assert "again: /n" not in turns(model)[1]
    assert len(sent) == 1
    assert "Not done: shop__add_order: " in answer.text


def test_a_write_that_was_chosen_and_never_called_is_not_done() -> None:
    answer, model, sent = ask(
        never, chosen("delete_order"), DONE, described("Order 7 is deleted."), question="Delete 7."
    )
    assert sent == []
    assert "shop__delete_order was chosen and not called" in turns(model, "describer")[0]
    assert answer.text.endswith("\nNot done: shop__delete_order was chosen and not called")
    assert answer.stopped == "error"


def test_the_words_of_a_model_that_called_nothing_do_not_hide_that() -> None:
    answer, *_ = ask(
        never, chosen("delete_order"), native(text="Order 7 is deleted."), calls_tools=True
    )
    assert answer.text.endswith("\nNot done: shop__delete_order was chosen and not called")


@pytest.mark.parametrize("ends", ["called another", "put back", "not chosen by the model"])
def test_a_write_that_was_only_a_candidate_is_not_said_to_be_undone(ends: str) -> None:
    script = [
        chosen("list_orders", "add_order", "delete_order"),
        calls(("list_orders", {})),
        {
            "called another": calls(("add_order", {"n": 1})),
            "put back": calls(
                ("cancel_tools", {"names": ["shop__add_order", "shop__delete_order"]})
            ),
            "not chosen by the model": DONE,
        }[ends],
        DONE,
        described("There are none."),
    ]
    more: dict[str, Any] = {}
    if ends == "not chosen by the model":
        del script[0], script[2]
        more["kind"] = Calling(selects=False)
    answer, *_ = ask(lambda _: reply(200, []), *script, **more)
    assert (answer.text, answer.stopped) == ("There are none.", "answered")


def test_what_was_chosen_beside_a_write_that_was_made_is_told_to_the_describer() -> None:
    _, model, _ = ask(
        lambda _: reply(200),
        chosen("add_order", "delete_order"),
        calls(("add_order", {"n": 1})),
        DONE,
        described("It is added."),
    )
    assert "Chosen and not called: shop__delete_order" in turns(model, "describer")[0]


def test_a_read_that_is_repeated_does_not_lose_the_write_behind_it() -> None:
    answer, model, sent = ask(
        lambda _: reply(200, [{"id": 7}]),
        chosen("list_orders", "delete_order"),
        calls(("list_orders", {})),
        calls(("list_orders", {})),
        calls(("delete_order", {"id": 7})),
        DONE,
        described("Order 7 is deleted."),
    )
    assert [each.method for each in sent] == ["GET", "DELETE"]
    assert "shop__list_orders was answered already" in turns(model)[2]
    assert answer.stopped == "answered"


def test_a_write_that_an_api_only_took_in_is_not_told_as_done() -> None:
    answer, model, _ = ask(
        lambda _: reply(202, {"state": "queued"}),
        chosen("add_order"),
        calls(("add_order", {"n": 1})),
        DONE,
        described("Your order is placed."),
    )
    assert "accepted, and not known to be finished" in turns(model, "describer")[0]
    assert answer.text == (
        'Your order is placed.\nAccepted, and not known to be finished: shop__add_order {"n":1}'
    )
    assert answer.stopped == "answered"


def test_a_describer_that_fails_hides_no_refusal() -> None:
    answer, *_ = ask(
        lambda _: reply(204),
        chosen("add_order", "delete_order"),
        calls(("delete_order", {"id": 7})),
        calls(("add_order", {"n": 1})),
        *["no JSON"] * 3,
        approve=lambda _, request: request.method == "DELETE",
    )
    assert answer.stopped == "refused"
    assert answer.text.startswith('- shop__delete_order {"id":7} (done)\nNot done: ')


def test_a_describer_that_fails_leaves_the_facts() -> None:
    answer, *_ = ask(
        lambda _: reply(204),
        chosen("delete_order"),
        calls(("delete_order", {"id": 7})),
        DONE,
        *["no JSON"] * 3,
    )
    assert (answer.text, answer.stopped) == ('- shop__delete_order {"id":7} (done)', "error")
    assert "describer cannot be used" in answer.reason


def test_a_limit_between_writes_says_which_were_made() -> None:
    answer, *_ = ask(
        lambda _: reply(204),
        chosen("delete_order"),
        calls(*(("delete_order", {"id": each}) for each in (1, 2, 3))),
        limits=Limits(calls=2),
    )
    assert answer.stopped == "limit"
    assert answer.text.splitlines() == [
        '- shop__delete_order {"id":1} (done)',
        '- shop__delete_order {"id":2} (done)',
        'Not done: shop__delete_order {"id":3}: no answer before the limit',
    ]


def test_reads_before_a_question_that_nobody_answers_are_made() -> None:
    answer, _, sent = ask(
        missing_above_90,
        chosen("get_product"),
        calls(("get_product", {"id": 1}), ("ask_user", {"question": "Which?"})),
        described("A lamp."),
    )
    assert len(sent) == 1
    assert answer.text.startswith("A lamp.\nNot done: Which?")
    assert answer.stopped == "question"


def test_a_user_is_asked_the_same_once_and_its_answer_is_told_again() -> None:
    asked: list[str] = []

    def human(question: Question) -> UserAnswer:
        asked.append(question.text)
        return UserAnswer("blue")

    colour = [("ask_user", {"question": each}) for each in ("Which colour?", " which  COLOUR?")]
    answer, model, _ = ask(
        lambda _: reply(201),
        chosen("add_order"),
        calls(*colour, *colour),
        calls(*colour),
        calls(("add_order", {"n": 1})),
        DONE,
        described(),
        human=human,
    )
    assert asked == ["Which colour?"]
    assert turns(model)[2].count("The user said: blue") == 1
    assert "The user was asked that already" in turns(model)[2]
    assert answer.stopped == "answered"


@pytest.mark.parametrize("given", [{}, {"question": " \n"}, {"question": None}, {"question": 7}])
def test_a_question_without_words_is_a_mistake_that_ends(given: JsonObject) -> None:
    answer, model, _ = ask(
        never, chosen("get_product"), *[calls(("ask_user", given))] * 5, human=never
    )
    assert "it needs a question in words" in turns(model)[1]
    assert "it needs a question in words" in answer.reason


def test_a_limit_among_reads_keeps_those_that_were_answered() -> None:
    made = (result(1, 200), result(99, 404), None)

    def perform(step: Step) -> Any:
        if isinstance(step, Gather):
            reached = LimitReached("HTTP calls", 2)
            reached.outcomes = made
            raise reached
        return model.complete(step, deadline_s=1) if isinstance(step, Complete) else None

    model = ScriptedModel([chosen("get_product"), products(1, 99, 2)])
    ended = run_steps(run_calling("Names of 1, 99 and 2?", SHOP), perform)
    assert ended.stopped == "limit"
    assert ended.text.splitlines() == [
        '- shop__get_product {"id":1}: {"name":"Lamp"}',
        'Not done: shop__get_product {"id":99}: HTTP 404 Not Found; the API says: "none"',
    ]


def result(number: int, status: int) -> Result:
    request = Request(method="GET", url=f"https://api.example.test/products/{number}")
    body: JsonObject = {"name": "Lamp"} if status == 200 else {"error": "none"}
    return result_from_response(request, reply(status, body))
