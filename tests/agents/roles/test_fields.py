"""What is found of one thing: fields that the model names, and what lies behind them."""

from __future__ import annotations

import pytest
from tests.support.parsing import code, parsed

from restwright.jsontypes import Json

NONE = '{"fields": ["none"]}'
LINKS: Json = {f"k{n}_url": f"https://api.example/{n}" for n in range(46)}
CODES = [f"{first}{second}Z" for first in "ABCDEFGH" for second in "ABCDEFGH"]
RATES: Json = {"base": "EUR", "rates": {each: n / 10 for n, each in enumerate(CODES)}}
STOCK: Json = {f"p{n}": {"name": f"Item {n}", "price": 100 - n} for n in range(50)}


def test_of_many_fields_those_that_the_task_names_are_shown() -> None:
    body = {"id": 1, **LINKS, "forks": 7, "stars": 3391}
    value, asked = parsed("the stars of this project", body, '{"fields": ["stars"]}')
    assert value == {"stars": 3391}
    shown = [line for line in asked[0].split("\n") if line.startswith("- ")]
    assert len(shown) == 40
    assert shown[:2] == ["- stars: 3391", "- id: 1"]


def test_a_key_that_the_task_names_is_shown_however_many_there_are() -> None:
    body = {**RATES, "rates": RATES["rates"] | {"USD": 1.09}}
    value, _ = parsed("the rate of USD", body, '{"fields": ["rates.USD"]}')
    assert value == {"rates.USD": 1.09}


def test_what_is_in_no_field_that_was_shown_is_found_by_code() -> None:
    body = {"id": 1, **LINKS, "stargazers_count": 3391}
    value, asked = parsed("its stars", body, NONE, code("data['stargazers_count']"))
    assert value == 3391
    assert "stargazers_count" not in asked[0]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"id": 1, "at": {"hall": {"seats": 90}}}, "data['at']['hall']['seats']"),
        ({"id": 1, "at": {"halls": [{"seats": 90}]}}, "data['at']['halls'][0]['seats']"),
        (
            {"id": 1, "title": "North", "shows": [{"halls": [{"seats": 90}]}]},
            "data['shows'][0]['halls'][0]['seats']",
        ),
    ],
)
def test_what_lies_deeper_than_fields_is_found_by_code(body: Json, path: str) -> None:
    assert parsed("its seats", body, NONE, code(path))[0] == 90


def test_where_code_fails_or_finds_nothing_a_cut_response_is_read() -> None:
    body = {"id": 1, **LINKS, "stargazers_count": 3391}
    for replies in ([code("data['stars']")] * 3, [code("data.get('stars')")]):
        read = '{"found": true, "value": "3391"}'
        assert parsed("its stars", body, NONE, *replies, read)[0] == "3391"


def test_none_of_the_fields_ends_it_where_all_were_shown() -> None:
    assert parsed("its prizes", {"id": 1, "seats": {"left": 3}}, NONE)[0] is None
    assert parsed("its prizes", {}, NONE)[0] is None


def test_a_map_of_things_is_worked_on_by_code_as_a_list_is() -> None:
    cheapest = "min(data.values(), key=lambda each: each['price'])"
    value, asked = parsed("the cheapest item", STOCK, code(cheapest))
    assert value == {"name": "Item 49", "price": 51}
    assert "Shape: {*: {name: str, price: int}}\n" in asked[0]


def test_an_item_of_a_map_is_shown_where_code_finds_nothing() -> None:
    replies = [code("None"), code("data['things']['p3']['name']")]
    value, asked = parsed("the third item", {"things": STOCK}, *replies)
    assert value == "Item 3"
    assert '{"name":"Item 0","price":100}' in asked[1]


@pytest.mark.parametrize(
    "body",
    [
        {f"p{n}": {"name": "it"} for n in range(10)},
        {f"p{n}": {"name": "it"} for n in range(20)} | {"total": 20},
        {f"p{n}": {f"own{n}": 1} for n in range(20)},
    ],
    ids=["few", "not all are things", "each is another thing"],
)
def test_other_objects_are_no_maps(body: Json) -> None:
    (name,) = body["p0"]
    assert parsed("it", body, f'{{"fields": ["p0.{name}"]}}')[0] == {f"p0.{name}": body["p0"][name]}
