"""The local model answers ten questions over the shop; right answers come from the database."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer, Model
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.demo.server import Shop, running
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog

pytestmark = pytest.mark.model

Check = Callable[[Shop, str], bool]
MINE = "customer_id = (SELECT id FROM customers WHERE name = 'Mira Castellan')"


def one(shop: Shop, sql: str) -> object:
    """The single value that `sql` gives."""
    (row,) = shop.database.rows(sql)
    (value,) = row.values()
    return value


def says(*wanted: object) -> Callable[[str], bool]:
    """Whether an answer has each of the words and numbers."""

    def check(answer: str) -> bool:
        text = re.sub(r"(?<=\d),(?=\d{3})", "", answer.lower())
        return all(re.search(rf"(?<![\w.]){re.escape(str(each).lower())}", text) for each in wanted)

    return check


def euros(cents: object) -> str:
    """Cents as they may be written: without the zeros of whole euros."""
    return f"{int(str(cents)) / 100:g}"


def best_camera(shop: Shop, answer: str) -> bool:
    best = "category = 'cameras' AND price_cents < 50000 ORDER BY rating DESC LIMIT 1"
    name = one(shop, f"SELECT name FROM catalogue WHERE {best}")
    return says(name, one(shop, f"SELECT stock FROM catalogue WHERE {best}"))(answer)


def cheap_laptops(shop: Shop, answer: str) -> bool:
    sql = "SELECT COUNT(*) FROM catalogue WHERE category = 'laptops' AND price_cents < 100000"
    return says(one(shop, sql))(answer)


def shipped_order(shop: Shop, answer: str) -> bool:
    joined = f"shipments JOIN orders ON orders.id = order_id WHERE {MINE}"
    open_one = f"{joined} AND orders.status = 'shipped'"
    carrier = one(shop, f"SELECT carrier FROM {open_one}")
    expected = str(one(shop, f"SELECT expected_on FROM {open_one}"))
    day = str(int(expected[-2:]))
    return says(carrier)(answer) and (says(expected)(answer) or says(day)(answer))


def headphones_in_cart(shop: Shop, answer: str) -> bool:
    cheapest = "SELECT id FROM catalogue WHERE category = 'headphones' ORDER BY price_cents LIMIT 1"
    cart = (
        "SELECT product_id, quantity FROM cart_items JOIN options ON options.id = option_id"
        f" WHERE {MINE}"
    )
    wanted = [{"product_id": one(shop, cheapest), "quantity": 2}]
    return [dict(row) for row in shop.database.rows(cart)] == wanted


def latest_review(shop: Shop, answer: str) -> bool:
    product = "(SELECT id FROM products WHERE name = 'Velto One')"
    latest = f"FROM reviews WHERE product_id = {product} ORDER BY created_on DESC LIMIT 1"
    return says(one(shop, f"SELECT author {latest}"), one(shop, f"SELECT rating {latest}"))(answer)


def backpack_colors(shop: Shop, answer: str) -> bool:
    product = "(SELECT id FROM products WHERE name = 'Fenwick Commuter 20')"
    rows = shop.database.rows(f"SELECT value FROM options WHERE product_id = {product}")
    return says(*(row["value"] for row in rows))(answer)


def band_ordered(shop: Shop, answer: str) -> bool:
    sql = (
        "SELECT products.name AS name, quantity FROM orders"
        " JOIN order_items ON orders.id = order_id JOIN options ON options.id = option_id"
        " JOIN products ON products.id = product_id"
        f" WHERE {MINE} AND placed_on = '2026-11-02'"
    )
    return [dict(row) for row in shop.database.rows(sql)] == [{"name": "Tikka Band", "quantity": 1}]


def dearest_order(shop: Shop, answer: str) -> bool:
    sums = (
        "SELECT SUM(unit_price_cents * quantity) AS total FROM orders"
        f" JOIN order_items ON orders.id = order_id WHERE {MINE} GROUP BY orders.id"
    )
    return says(euros(one(shop, f"SELECT MAX(total) FROM ({sums})")))(answer)


def phone_changed(shop: Shop, answer: str) -> bool:
    phone = one(shop, "SELECT phone FROM customers WHERE name = 'Mira Castellan'")
    return phone == "+1 555 0199"


def order_paid(shop: Shop, answer: str) -> bool:
    payments = (
        "SELECT method FROM payments JOIN orders ON orders.id = order_id"
        f" WHERE {MINE} AND paid_on = '2026-11-02'"
    )
    unpaid = f"SELECT COUNT(*) FROM orders WHERE {MINE} AND status = 'awaiting_payment'"
    methods = [row["method"] for row in shop.database.rows(payments)]
    return methods == ["card"] and one(shop, unpaid) == 0


QUESTIONS: dict[str, Check] = {
    "Which camera under 500 has the best rating, and how many are in stock?": best_camera,
    "How many laptops cost less than 1000?": cheap_laptops,
    "Which carrier brings my shipped order, and when is it expected to arrive?": shipped_order,
    "Put two of the cheapest headphones in my cart.": headphones_in_cart,
    "Who wrote the most recent review of the Velto One, and how many stars did they give?": (
        latest_review
    ),
    "Which colours does the Fenwick Commuter 20 come in?": backpack_colors,
    "Put the Tikka Band in my cart and order it.": band_ordered,
    "How much was my most expensive order?": dearest_order,
    "Change my phone number to +1 555 0199.": phone_changed,
    "Pay my unpaid order by card.": order_paid,
}


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    answer: Answer
    right: bool

    def __str__(self) -> str:
        usage = self.answer.usage
        mark = "right" if self.right else "WRONG"
        return (
            f"{mark}  {usage.elapsed_s:5.1f} s  {usage.model_calls:2} model calls"
            f"  {usage.http_calls} HTTP calls  {self.question}\n         {self.answer.text[:160]}"
        )


def ask(model: Model, question: str, check: Check) -> Asked:
    with running() as shop:
        connection = Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        agent = Agent(
            catalog(load(shop.document_url, alias="shop")),
            model=model,
            connections={"shop": connection},
            approve=approve_all,
        )
        answer = agent.ask(question)
        done = answer.stopped == "answered"
        return Asked(question, answer, done and check(shop, answer.text))


def test_the_local_model_answers_eight_of_ten_questions(model: Model) -> None:
    asked: list[Asked] = []
    for question, check in QUESTIONS.items():
        asked.append(ask(model, question, check))
        print(asked[-1], flush=True)
    seconds = statistics.median(each.answer.usage.elapsed_s for each in asked)
    calls = statistics.median(each.answer.usage.model_calls for each in asked)
    right = sum(each.right for each in asked)
    print(f"{right} of {len(asked)} right; median {seconds:.1f} s, {calls:g} model calls")
    assert right >= 8


def test_the_demo_question_takes_dependent_calls(model: Model) -> None:
    asked = ask(model, next(iter(QUESTIONS)), best_camera)
    first, second = asked.answer.calls[:2]
    assert asked.right
    assert (first.path, second.path) == ("/products", "/products/{product_id}")


def test_what_can_you_do_takes_no_call(model: Model) -> None:
    asked = ask(model, "What can you do?", lambda shop, answer: "order" in answer.lower())
    assert asked.right
    assert asked.answer.calls == ()


def test_the_answer_comes_in_the_language_of_the_question(model: Model) -> None:
    asked = ask(
        model, "Quelle est la montre la moins chère ?", lambda shop, answer: "Tikka Band" in answer
    )
    assert asked.right
    assert re.search(r"\b(la|est|montre)\b", asked.answer.text)
