"""What code finds is held to what the task says of some items."""

from __future__ import annotations

import pytest
from tests.support.parsing import code, parsed

from restwright.jsontypes import Json

LISTS: Json = [
    {"id": 3, "name": "Work", "kind": "shared", "size": 9},
    {"id": 51, "name": "Home", "kind": "private", "size": 2},
    {"id": 60, "name": "Z", "kind": "private", "size": 4},
    {"id": 61, "name": "Y", "kind": "shared", "size": 1},
]
SHARED, PRIVATE = [LISTS[0], LISTS[3]], [LISTS[1], LISTS[2]]
CREDITS: Json = {
    "id": 7,
    "cast": [{"credit_id": "c1", "name": "Ana"}, {"credit_id": "c2", "name": "Ben"}],
    "crew": [
        {"credit_id": "c3", "name": "Cleo", "job": "Writer"},
        {"credit_id": "c4", "name": "Dan", "job": "Director"},
    ],
}
DIRECTOR = CREDITS["crew"][1]


@pytest.mark.parametrize(
    ("task", "body", "text", "value"),
    [
        (
            "my lists that are not shared",
            LISTS,
            "[each for each in data if each['kind'] == 'private']",
            PRIVATE,
        ),
        (
            "the users who are not admins",
            [{"name": "a", "role": "admin"}, {"name": "b", "role": "guest"}],
            "[each for each in data if each['role'] == 'guest']",
            [{"name": "b", "role": "guest"}],
        ),
        # What is found is none of those, whatever it was told by.
        (
            "the orders that are not shipped",
            [{"id": 1, "status": "shipped", "due": 1}, {"id": 2, "status": "open", "due": 5}],
            "[each for each in data if each['due'] > 3]",
            [{"id": 2, "status": "open", "due": 5}],
        ),
        (
            "the order with the highest shipping cost",
            [{"id": 1, "status": "shipped", "cost": 1}, {"id": 2, "status": "paid", "cost": 3}],
            "max(data, key=lambda each: each['cost'])",
            {"id": 2, "status": "paid", "cost": 3},
        ),
        (
            "the shortest film",
            [{"kind": "Feature", "minutes": 80}, {"kind": "Short", "minutes": 95}],
            "min(data, key=lambda each: each['minutes'])",
            {"kind": "Feature", "minutes": 80},
        ),
        # A property that may be meant as well is named.
        (
            "the paid orders",
            [{"status": "paid", "paid_at": None}, {"status": "open", "paid_at": "May"}],
            "[each for each in data if each['paid_at']]",
            [{"status": "open", "paid_at": "May"}],
        ),
        # What is found is all that the task speaks of, told in another way.
        (
            "the names of the shared lists",
            LISTS,
            "[each['name'] for each in data if each['name'] in 'Work, Y']",
            ["Work", "Y"],
        ),
        ("whether Work is one of the shared lists", LISTS, "data[0]['size'] > 1", True),
        ("how many shared lists I have", LISTS, "len(data) - 2", 2),
    ],
)
def test_right_code_is_believed(task: str, body: Json, text: str, value: Json) -> None:
    assert parsed(task, body, code(text))[0] == value


@pytest.mark.parametrize(
    ("task", "body", "text", "value"),
    [
        ("the director of this film", CREDITS, "data['cast'][0]['credit_id']", [DIRECTOR]),
        ("who directed it", CREDITS, "[each['name'] for each in data['crew']]", ["Dan"]),
        ("my shared lists", LISTS, "data", SHARED),
        ("the largest of my private lists", LISTS, "max(data, key=lambda x: x['size'])", LISTS[2]),
        ("the lists that are not shared", LISTS, "data", PRIVATE),
        (
            "the largest list that is not shared",
            LISTS,
            "max(data, key=lambda x: x['size'])",
            LISTS[2],
        ),
        ("how many lists are not shared?", LISTS, "len(data)", 2),
        (
            "the names in lower case of what is shared",
            [{"tag": "WORK", "kind": "shared"}, {"tag": "HOME", "kind": "private"}],
            "[each['tag'] for each in data if 'work' in each['tag'] or 'home' in each['tag']]",
            ["WORK"],
        ),
    ],
)
def test_what_is_plainly_meant_takes_the_place_of_what_code_finds(
    task: str, body: Json, text: str, value: Json
) -> None:
    assert parsed(task, body, code(text))[0] == value


@pytest.mark.parametrize(
    ("task", "items"),
    [
        # It is not said of all that is paid, or it is not known which words go together.
        ("the orders that were not paid in time", [{"status": "paid"}, {"status": "open"}]),
        ("my shared lists without songs", [{"kind": "shared"}, {"kind": "private"}]),
        ("the admins who are not guests", [{"role": "admin"}, {"role": "guest"}, {"role": "x"}]),
        ("the paid orders", [{"status": "paid", "paid_at": 1}, {"status": "open", "paid_at": 1}]),
        (
            "the shared lists that are open",
            [{"kind": "shared", "state": "open"}, {"kind": "private", "state": "closed"}],
        ),
    ],
)
def test_what_is_in_doubt_goes_back_to_the_model_and_is_not_found_else(
    task: str, items: Json
) -> None:
    value, asked = parsed(task, items, *[code("data")] * 3)
    assert value is None
    assert "This is wrong (the task " in asked[1]
    name = next(iter(items[0]))
    value, _ = parsed(task, items, code("data"), code(f"[x for x in data if x['{name}']][:1]"))
    assert value == items[:1]


def test_what_is_in_doubt_is_not_read_out_of_the_fields_of_a_thing_either() -> None:
    task = "the crew that was not director in 2010"
    assert parsed(task, CREDITS, *[code("data['crew']")] * 3)[0] is None
