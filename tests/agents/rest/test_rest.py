"""The rest agent with a scripted model, against the real demo server."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest
from tests.support.planned import planned

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Answer, Event
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection
from restwright.demo.server import Shop, running
from restwright.openapi.api import load
from restwright.testing import Reply, ScriptedModel
from restwright.tools.catalog.catalog import catalog


@pytest.fixture
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


def plan(*asked: str, language: str = "English") -> Reply:
    return planned(*asked, language=language)


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


def arguments(**values: object) -> Reply:
    return ("caller", {"conditions": [], **values})


def products(**values: object) -> Reply:
    names = ("search", "category", "brand", "min_price", "max_price", "min_rating", "in_stock")
    return arguments(**{**dict.fromkeys(names), **values})


def code(*lines: str) -> Reply:
    return ("parser", "\n".join(("def parse(data):", *(f"    {line}" for line in lines))))


def answer(text: str) -> Reply:
    return ("answer", {"answer": text})


BEST = code("return max(data['items'], key=lambda item: item['rating'] or 0, default=None)")


def ask(
    shop: Shop, question: str, *script: Reply, **settings: object
) -> tuple[Answer, list[Event]]:
    events: list[Event] = []
    model = ScriptedModel(script)
    headers = {"Authorization": f"Bearer {shop.token}"}
    agent = Agent(
        catalog(load(shop.document_url, alias="shop")),
        model=model,
        connections={"shop": Connection(server=shop.url, headers=headers)},
        on_event=events.append,
        **{"approve": approve_all, **settings},  # type: ignore[arg-type]
    )
    result = agent.ask(question)
    if result.stopped == "answered":
        assert model.left == ()
    return result, events


def test_a_later_call_gets_the_id_that_an_earlier_one_found(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "Which camera under 500 has the best rating, and how many are in stock?",
        plan("find the best camera under 500", "find the stock of the best camera under 500"),
        select("list_products"),
        products(category="cameras", max_price=500),
        BEST,
        select("get_product"),
        ("parser", {"fields": ["stock"]}),
        answer("The Lumora Field S is the best; 7 are in stock."),
    )
    assert result.text == "The Lumora Field S is the best; 7 are in stock."
    assert [(call.path, call.status) for call in result.calls] == [
        ("/products", 200),
        ("/products/{product_id}", 200),
    ]
    assert result.calls[0].arguments == {"page_size": 100, "category": "cameras", "max_price": 500}
    assert result.usage.http_calls == 2


def test_a_missing_id_is_looked_up_first(shop: Shop) -> None:
    result, events = ask(
        shop,
        "Put two of the cheapest headphones in my cart.",
        plan("do put two of the cheapest headphones in my cart"),
        select("add_cart_item"),
        ("planner", {"look_up": "the cheapest headphones"}),
        products(category="headphones"),
        code("return min(data['items'], key=lambda item: item['price'])"),
        arguments(option_id=None, quantity=2),
        answer("2 Twill Basic Buds are in your cart."),
    )
    assert [call.tool for call in result.calls] == ["shop__list_products", "shop__add_cart_item"]
    assert (
        shop.database.rows(
            "SELECT quantity FROM cart_items JOIN customers ON "
            "customers.id = customer_id WHERE customers.name = 'Mira Castellan'"
        )[0]["quantity"]
        == 2
    )
    assert [event.kind for event in events][:3] == ["plan", "select", "select"]


def test_a_write_that_is_not_approved_changes_nothing_and_ends_the_run(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "Change my phone number to +1 555 0199.",
        plan("do change my phone number to +1 555 0199"),
        select("update_customer"),
        arguments(name=None, email=None, phone="+1 555 0199"),
        approve=refuse_all,
    )
    assert result.stopped == "refused"
    assert not shop.database.rows("SELECT id FROM customers WHERE phone = '+1 555 0199'")


def test_an_operation_that_is_not_offered_is_told_and_chosen_again(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "Who am I?",
        plan("find who I am"),
        select("get_me"),
        select("get_customer"),
        ("parser", {"fields": ["name"]}),
        answer("You are Mira Castellan."),
    )
    assert result.text == "You are Mira Castellan."


def test_an_invented_optional_value_is_left_out(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "How many bags are there?",
        plan("find the number of bags"),
        select("list_products"),
        products(category="bags", brand="Acme", min_rating=4, in_stock=True),
        code("return len(data['items'])"),
        answer("There are 10 bags."),
    )
    assert result.calls[0].arguments == {"page_size": 100, "category": "bags"}


def test_a_bound_stands_on_the_side_that_the_task_says(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "How many laptops cost less than 1,000?",
        plan("find the number of laptops that cost less than 1,000"),
        select("list_products"),
        products(category="laptops", min_price=1000),
        code("return len(data['items'])"),
        answer("There are 5."),
    )
    assert result.calls[0].arguments["max_price"] == 1000
    assert "min_price" not in result.calls[0].arguments


def test_a_write_that_is_refused_goes_back_to_the_caller_and_to_no_other_write(shop: Shop) -> None:
    result, events = ask(
        shop,
        "Order what is in my cart.",
        plan("do order what is in my cart"),
        select("create_order"),
        arguments(address_id=None),
        arguments(address_id=None),
    )
    assert result.stopped == "error"
    assert "The cart is empty" in " ".join(event.text for event in events)
    assert result.calls[0].status == 409


def test_failing_code_falls_back_to_reading_the_response(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "Which categories are there?",
        plan("find the categories"),
        select("list_categories"),
        code("return data['nothing']"),
        code("import os", "return os.environ"),
        code("return data['names']"),
        ("reader", {"found": True, "value": "bags, cameras"}),
        answer("There are bags, cameras and more."),
    )
    assert result.stopped == "answered"


def test_an_answer_with_an_unknown_number_is_asked_for_again(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "How many bags are there?",
        plan("find the number of bags"),
        select("list_products"),
        products(category="bags"),
        code("return len(data['items'])"),
        answer("There are 12 bags."),
        answer("There are 11 bags."),
    )
    assert result.text == "- the number of bags: 10"


def test_what_can_you_do_is_answered_without_a_call(shop: Shop) -> None:
    result, _ = ask(
        shop, "Was kannst du?", plan(language="German"), answer("Ich kann Produkte suchen.")
    )
    assert (result.text, result.calls) == ("Ich kann Produkte suchen.", ())


def test_a_limit_ends_the_run_with_a_reason_and_what_was_found(shop: Shop) -> None:
    result, _ = ask(
        shop,
        "How many bags are there, and what is in my cart?",
        plan("find the number of bags", "find the content of the cart"),
        select("list_products"),
        products(category="bags"),
        code("return len(data['items'])"),
        limits=Limits(model_calls=4),
    )
    assert result.stopped == "limit"
    assert "model calls" in result.reason
    assert result.text == (
        "- the number of bags: 10\nNot done: the content of the cart: not finished"
    )


def test_a_model_that_cannot_keep_to_the_schema_ends_the_run(shop: Shop) -> None:
    result, _ = ask(shop, "Hi", *[("planner", "no JSON")] * 3)
    assert (result.stopped, result.calls) == ("error", ())


def test_the_token_is_in_no_trace_and_no_event(shop: Shop) -> None:
    result, events = ask(
        shop,
        "Which email address is mine?",
        plan("find my email address"),
        select("get_customer"),
        ("parser", {"fields": ["email"]}),
        answer("It is mira.castellan@example.com."),
    )
    assert shop.token not in repr((result, events, result.steps))
    assert result.stopped == "answered"


def test_ask_async_gives_the_same(shop: Shop) -> None:
    headers = {"Authorization": f"Bearer {shop.token}"}
    script = (plan(), answer("I can search products."))
    agent = Agent(
        catalog(load(shop.document_url, alias="shop")),
        model=ScriptedModel(script),
        connections={"shop": Connection(server=shop.url, headers=headers)},
    )
    result = asyncio.run(agent.ask_async("What can you do?"))
    assert result.text == "I can search products."
