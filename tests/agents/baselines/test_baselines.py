"""ReAct, offline planning and a search over decisions, against the real demo server."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.planned import FittingModel, code, filled

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import READ_ONLY
from restwright.calls.auth.connection import Connection
from restwright.demo.server import Shop, running
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

BASELINES = Path(__file__).parents[3] / "src" / "restwright" / "agents" / "baselines"


@pytest.fixture(scope="module")
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


def act(operation: str, task: str = "") -> Reply:
    return ("reactor", {"thought": "So it goes on.", "operation": operation, "task": task})


def decide(operation: str, task: str = "") -> Reply:
    return ("decider", {"thought": "So it goes on.", "operation": operation, "task": task})


def planned(*steps: tuple[str, str]) -> Reply:
    listed = [{"operation": operation, "task": task} for operation, task in steps]
    return ("planner", {"steps": listed})


def product(shop: Shop) -> Reply:
    found = shop.database.rows("SELECT id FROM products WHERE name = 'Lumora Field S'")
    return filled(product_id=found[0]["id"])


FILM_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
FILMS = {
    "/films/{id}": {"get": {"operationId": "get_film", "parameters": [FILM_ID]}},
    "/best": {"get": {"operationId": "get_best"}},
}


def ask_of_films(kind: str, *script: Reply) -> tuple[Answer, ScriptedModel]:
    """Ask where no film is found by its id, and the best one is called North."""
    model = FittingModel(script)
    send = RecordingTransport(
        lambda request: reply(404 if "/films/" in request.url else 200, {"title": "North"})
    )
    agent = Agent(catalog(load(document(FILMS))), model=model, send=send, kind=kind)
    answer = agent.ask("What are the films 8 and 9 called, else the best one?")
    assert model.left == ()
    return answer, model


IS_MEANT = "item['category'] == 'cameras' and item['price'] < 500"
CAMERAS = f"(item for item in data['items'] if {IS_MEANT})"
BEST = code(f"max({CAMERAS}, key=lambda item: item['rating'] or 0)")
STOCK = ("parser", "def parse(data):\n    return data['stock']")
ANSWER = ("answer", {"answer": "The Lumora Field S is the best; 7 are in stock."})
FINISH = act("finish")
FINISHED, GIVEN_UP = decide("finish"), decide("give_up")
FIRST = {"react": act, "dfsdt": decide, "plan": lambda *task: planned(task)}


def ask(
    kind: str, shop: Shop, *script: Reply, question: str | None = None, **settings: Any
) -> tuple[Answer, ScriptedModel]:
    model = FittingModel(script)
    headers = {"Authorization": f"Bearer {shop.token}"}
    agent = Agent(
        catalog(load(shop.document_url, alias="shop")),
        model=model,
        kind=kind,
        connections={"shop": Connection(server=shop.url, headers=headers)},
        **{"approve": approve_all, **settings},
    )
    question = question or "Which camera under 500 is the best, and how many are in stock?"
    answer = agent.ask(question)
    assert model.left == ()
    return answer, model


def test_react_thinks_acts_and_reads_until_it_is_done(shop: Shop) -> None:
    answer, model = ask(
        "react",
        shop,
        act("list_products", "the best camera under 500"),
        BEST,
        act("get_product", "the stock of the Lumora Field S"),
        product(shop),
        STOCK,
        FINISH,
        ANSWER,
    )
    assert (answer.text, answer.stopped) == (ANSWER[1]["answer"], "answered")
    assert [each.path for each in answer.calls] == ["/products", "/products/{product_id}"]
    last = [each for each in model.asked if each.role == "reactor"][-1]
    assert "2. the stock of the Lumora Field S: " in last.messages[-1].text


def test_react_sees_what_failed_and_goes_another_way() -> None:
    answer, model = ask_of_films(
        "react",
        act("get_film", "the title of the film 9"),
        filled(id=9),
        act("get_best", "the title of the best film"),
        code("data['title']"),
        FINISH,
        ("answer", {"answer": "North."}),
    )
    assert (answer.text, answer.stopped) == ("North.", "answered")
    second = [request for request in model.asked if request.role == "reactor"][1]
    assert "the title of the film 9 failed: " in second.messages[-1].text


def test_react_ends_where_it_goes_in_a_circle(shop: Shop) -> None:
    same = act("list_products", "the best camera under 500")
    said = ("answer", {"answer": "The Lumora Field S."})
    answer, _ = ask("react", shop, same, BEST, same, said)
    assert answer.stopped == "error"
    assert answer.text.startswith("The Lumora Field S.\nNot done: list_products was chosen twice")


def test_plan_makes_all_calls_as_they_were_planned(shop: Shop) -> None:
    answer, model = ask(
        "plan",
        shop,
        planned(
            ("list_products", "the best camera under 500"),
            ("get_product", "the stock of the best camera under 500"),
        ),
        BEST,
        product(shop),
        STOCK,
        ANSWER,
    )
    assert (answer.text, answer.stopped) == (ANSWER[1]["answer"], "answered")
    assert [each.role for each in model.asked].count("planner") == 1
    assert [each.path for each in answer.calls] == ["/products", "/products/{product_id}"]


def test_a_search_goes_back_where_a_way_leads_nowhere(shop: Shop) -> None:
    answer, model = ask(
        "dfsdt",
        shop,
        decide("list_products", "the worst camera"),
        BEST,
        GIVEN_UP,
        decide("list_products", "the best camera under 500"),
        BEST,
        FINISHED,
        ("answer", {"answer": "The Lumora Field S."}),
    )
    assert (answer.text, answer.stopped) == ("The Lumora Field S.", "answered")
    asked = [request.messages[-1].text for request in model.asked if request.role == "decider"]
    assert ["the worst camera: no way led" in text for text in asked] == [False, False, True, False]
    assert ["1. the worst camera: " in text for text in asked] == [False, True, False, False]


def test_a_search_takes_a_read_that_failed_for_a_way_that_led_nowhere() -> None:
    answer, model = ask_of_films(
        "dfsdt",
        decide("get_film", "the title of the film 9"),
        filled(id=9),
        decide("get_best", "the title of the best film"),
        code("data['title']"),
        FINISHED,
        ("answer", {"answer": "North."}),
    )
    assert (answer.text, answer.stopped) == ("North.", "answered")
    second = [each for each in model.asked if each.role == "decider"][1]
    assert "get_film to the title of the film 9: " in second.messages[-1].text


@pytest.mark.parametrize("last", [(GIVEN_UP,), (decide("get_cart", "it"), GIVEN_UP)])
def test_a_search_does_not_go_back_behind_a_change(last: tuple[Reply, ...], shop: Shop) -> None:
    """What was changed stays and is told; no other change takes its place."""
    answer, _ = ask(
        "dfsdt",
        shop,
        decide("list_products", "the best camera under 500"),
        BEST,
        decide("update_customer", "change my phone number to +1 555 0143"),
        ("caller", {"name": None, "email": None, "phone": "+1 555 0143"}),
        *((GIVEN_UP,) if len(last) == 1 else (last[0], code("data"), *last[1:])),
        ("answer", {"answer": "The phone number is +1 555 0143."}),
        question="Change my phone number to +1 555 0143, and tell the best camera under 500.",
    )
    assert [call.method.upper() for call in answer.calls].count("PATCH") == 1
    assert answer.stopped == "error"
    assert answer.text.endswith("Not done: no way led to an answer")
    assert shop.database.rows("SELECT id FROM customers WHERE phone = '+1 555 0143'")


def test_a_change_that_fails_ends_a_search() -> None:
    paths = {
        f"/{name}/{{id}}": {
            "delete": {
                "operationId": f"drop_{name}",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {},
            }
        }
        for name in ("films", "books")
    }
    model = ScriptedModel([decide("drop_films", "drop the film 8"), ("caller", {"id": 8})])
    send = RecordingTransport(lambda _: reply(403, {"detail": "locked"}))
    agent = Agent(
        catalog(load(document(paths))), model=model, send=send, kind="dfsdt", approve=approve_all
    )
    answer = agent.ask("Drop the film 8 or the book 8.")
    assert [request.url.rpartition("test")[2] for request in send.sent] == ["/films/8"]
    assert (answer.stopped, "Not done: drop the film 8: " in answer.text) == ("question", True)


def test_a_search_has_an_end() -> None:
    """Three ways from each place, none of them twice."""
    eight, nine = (decide("get_film", f"the title of the film {number}") for number in (8, 9))
    answer, model = ask_of_films("dfsdt", eight, filled(id=8), nine, filled(id=9), nine)
    assert (answer.stopped, len(answer.calls)) == ("error", 2)
    assert answer.text == "Not done: no way led to an answer"
    third = [each for each in model.asked if each.role == "decider"][2]
    assert "the title of the film 8: " in third.messages[-1].text


@pytest.mark.parametrize("kind", FIRST)
def test_a_refused_write_ends_the_run(kind: str, shop: Shop) -> None:
    task = "change my phone number to +1 555 0142"
    answer, _ = ask(
        kind,
        shop,
        FIRST[kind]("update_customer", task),
        ("caller", {"name": None, "email": None, "phone": "+1 555 0142"}),
        question="Change my phone number to +1 555 0142.",
        approve=refuse_all,
    )
    assert answer.stopped == "refused"
    assert not shop.database.rows("SELECT id FROM customers WHERE phone = '+1 555 0142'")


@pytest.mark.parametrize(
    ("kind", "first"), [("react", FINISH), ("plan", planned()), ("dfsdt", FINISHED)]
)
def test_a_question_that_needs_no_call_is_answered_from_the_documents(
    kind: str, first: Reply, shop: Shop
) -> None:
    answer, _ = ask(
        kind, shop, first, ("answer", {"answer": "I can shop."}), question="What can you do?"
    )
    assert (answer.text, answer.stopped, answer.calls) == ("I can shop.", "answered", ())


@pytest.mark.parametrize(
    ("kind", "right"), [("react", FINISH), ("plan", planned()), ("dfsdt", FINISHED)]
)
def test_an_operation_that_is_not_listed_is_told_and_chosen_again(
    kind: str, right: Reply, shop: Shop
) -> None:
    wrong = FIRST[kind]("get_basket", "the basket")
    said = ("answer", {"answer": "Nothing."})
    answer, model = ask(kind, shop, wrong, right, said, question="What is there?")
    assert answer.stopped == "answered"
    assert "That reply cannot be used" in model.asked[1].messages[-1].text


@pytest.mark.parametrize("kind", FIRST)
def test_a_limit_ends_the_run_with_what_was_found(kind: str, shop: Shop) -> None:
    task = ("list_products", "the best camera under 500")
    first = FIRST[kind](*task)
    answer, _ = ask(kind, shop, first, BEST, limits=Limits(model_calls=2))
    assert answer.stopped == "limit"
    assert "Lumora Field S" in answer.text


@pytest.mark.parametrize(
    ("kind", "first"), [("react", FINISH), ("plan", planned()), ("dfsdt", FINISHED)]
)
def test_what_the_policy_refuses_is_not_listed(kind: str, first: Reply, shop: Shop) -> None:
    said = ("answer", {"answer": "I can look."})
    _, model = ask(kind, shop, first, said, question="What can you do?", policy=READ_ONLY)
    listed = model.asked[0].messages[0].text
    assert "- get_cart: " in listed
    assert "update_customer" not in listed


def test_of_many_operations_those_are_listed_that_are_asked_about() -> None:
    responses = {"200": {"description": ""}}
    paths = {
        f"/things{n}": {
            "get": {
                "operationId": f"list_things{n}",
                "summary": "List the films" if n == 50 else "List other things",
                "responses": responses,
            }
        }
        for n in range(70)
    }
    model = FittingModel([FINISH, ("answer", {"answer": "Films."})])
    Agent(catalog(load(document(paths))), model=model, kind="react").ask("Which films are there?")
    listed = model.asked[0].messages[0].text
    assert "list_things50: List the films" in listed
    assert listed.count("\n- ") <= 20


def test_an_operation_that_is_called_like_the_end_can_be_called() -> None:
    order_id = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    operation = {"operationId": "finish", "parameters": [order_id], "responses": {}}
    script = [
        act("shop__finish", "finish the order 8"),
        ("caller", {"id": 8}),
        FINISH,
        ("answer", {"answer": "It is finished."}),
    ]
    model, send = FittingModel(script), RecordingTransport(lambda _: reply(200, {}))
    shop = load(document({"/orders/{id}/finish": {"post": operation}}), alias="shop")
    agent = Agent(catalog(shop), model=model, send=send, kind="react", approve=approve_all)
    answer = agent.ask("Finish the order 8.")
    assert [each.url.partition("test")[2] for each in send.sent] == ["/orders/8/finish"]
    assert (answer.text, answer.stopped) == ("It is finished.", "answered")
    assert "\n- shop__finish: " in model.asked[0].messages[0].text


@pytest.mark.parametrize("name", ["react", "offline_plan", "dfsdt"])
def test_a_baseline_is_short_because_its_pieces_are_those_of_the_loop(name: str) -> None:
    assert len((BASELINES / f"{name}.py").read_text("utf-8").splitlines()) < 160
