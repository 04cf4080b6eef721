"""What is taken out of a response is held by it."""

from __future__ import annotations

import pytest
from tests.support.parsing import code, parsed

from restwright.agents.roles.held import invented, is_held
from restwright.jsontypes import Json

SHOP: Json = [
    {"name": "Lamp", "price": 4, "in_stock": True, "at": "2011-11-04"},
    {"name": "Ana's Desk", "price": 1234.5, "in_stock": False, "at": "2012-02-01"},
    {"name": "北极星台灯", "price": 190, "in_stock": False, "at": "2012-02-01"},
]


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "4 Euro",
        "4 USD each",
        "1,234.50",
        "Lamp",
        "the lamps",
        "ANA'S   DESK",
        "Die Lampe kostet 4 Euro",
        "4 November 2011",
        "Ana",
        "yes",
        "台灯",
        "最贵的是北极星台灯",
        "190元",
    ],
)
def test_what_is_read_may_be_in_other_words(text: str) -> None:
    assert is_held(text, SHOP)


@pytest.mark.parametrize(
    "text",
    ["99 dollars at Harrods", "4 dollars at Harrods", "Acme Corp", "5", "Bob", "米老鼠", "", "?"],
)
def test_what_is_not_there_was_not_read(text: str) -> None:
    assert not is_held(text, SHOP)


def test_there_is_no_yes_where_nothing_is_true_or_false() -> None:
    assert not is_held("yes", [{"name": "Lamp"}])


@pytest.mark.parametrize("text", ["99 dollars at Harrods", "Harrods"])
def test_a_reader_that_makes_up_a_value_found_nothing(text: str) -> None:
    broken = ["def parse("] * 3
    read = f'{{"found": true, "value": "{text}"}}'
    assert parsed("the price of the lamp", SHOP, *broken, read)[0] is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum(each['price'] for each in data) / len(data)", 476.1666),
        ("len(data)", 3),
        ("any(each['in_stock'] for each in data)", True),
        ("f\"{data[0]['name']} for {data[0]['price']}\"", "Lamp for 4"),
        ("'yes' if data else 'no'", "yes"),
        ("'Lamp' if data else None", "Lamp"),
        ("['in stock', data]", ["in stock"]),
        ("data[0]['at'][:4] + ' A.D.'", "2011 A.D."),
        ("'open' if data else 'closed'", "open"),
        # No other one than the code may tell a weekday.
        ("datetime.date(*map(int, data[0]['at'].split('-'))).strftime('%A')", "Friday"),
        ("None", None),
        ("[]", []),
        ("'-'.join(map(str, data))", "---"),
    ],
)
def test_what_code_computes_is_no_invention(text: str, value: Json) -> None:
    assert not invented(code(text), value, SHOP, "is the shop open or closed")


@pytest.mark.parametrize(
    ("text", "value", "why"),
    [
        (code("99"), 99, "it does not use data"),
        (f"{code('99')}\nprint(parse(data))", 99, "it does not use data"),
        ("'Lamp'", "Lamp", "it does not use data"),
        ("result = {'name': 'Lamp'}", {"name": "Lamp"}, "it does not use data"),
        (code("'Acme Corp' if data else ''"), "Acme Corp", "'Acme Corp' is not in data"),
        (code("[data, 'not found']"), ["not found"], "'not found' is not in data"),
    ],
)
def test_code_that_makes_up_a_value_is_told_so(text: str, value: Json, why: str) -> None:
    assert invented(text, value, SHOP, "who made it") == why


def test_what_parse_calls_the_response_is_data() -> None:
    text = "def parse(response):\n    return len(response)"
    assert not invented(text, 3, SHOP, "how many")


def test_code_that_makes_up_a_value_is_written_anew_and_then_the_model_reads() -> None:
    value, asked = parsed("the price of the lamp", SHOP, code("99"), code("data[0]['price']"))
    assert value == 4
    assert "This is wrong (it does not use data)" in asked[1]
    read = '{"found": true, "value": "4"}'
    assert parsed("the price of the lamp", SHOP, *[code("99")] * 3, read)[0] == "4"
