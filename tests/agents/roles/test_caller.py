"""What a model fills in counts where the user or a result said it."""

from __future__ import annotations

import pytest

from restwright.agents.roles.caller import directed, grounded
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

TEXT: JsonObject = {"type": "string"}
PLACE: JsonObject = {
    "type": "object",
    "properties": {
        "street": TEXT,
        "note": TEXT,
        "kind": {"enum": ["home", "work"]},
        "day": {"type": "string", "format": "date"},
        "floor": {"type": "integer"},
        "country": TEXT | {"default": "FR"},
    },
    "required": ["street"],
}


def add_order() -> Tool:
    body: JsonObject = {
        "type": "object",
        "properties": {
            "name": TEXT,
            "place": {"$ref": "#/components/schemas/Place"},
            "tags": {"type": "array", "items": TEXT},
            "stops": {"type": "array", "items": {"$ref": "#/components/schemas/Place"}},
            "extra": {"type": "object"},
        },
    }
    content: JsonObject = {"application/json": {"schema": body}}
    paths: Json = {"/orders": {"post": {"operationId": "add", "requestBody": {"content": content}}}}
    [tool] = catalog(load(document(paths, components={"schemas": {"Place": PLACE}})))
    return tool


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("请添加电影夏天", "夏天"),
        ("「夏の思い出」というプレイリストを作って", "夏の思い出"),
        ("서울에서 상영하는 영화", "서울"),
        ("สร้างเพลย์ลิสต์ชื่อฤดูร้อน", "ฤดูร้อน"),
    ],
)
def test_a_text_without_spaces_says_what_is_in_it(said: str, value: str) -> None:
    assert grounded(add_order(), {"name": value}, said=said) == ({"name": value}, ())


def test_a_text_without_spaces_does_not_say_what_is_not_in_it() -> None:
    assert grounded(add_order(), {"name": "冬天"}, said="请添加电影夏天") == ({}, ("name",))


@pytest.mark.parametrize(
    ("reply", "given", "invented"),
    [
        ({"place": {"street": "Main Road 5", "note": "ring Bob"}}, {"street": "Main Road 5"}, ()),
        ({"place": {"street": "Elm Road 1"}}, None, ("place",)),
        (
            {"place": {"street": "Main Road", "kind": "home", "day": "2026-01-02", "floor": 3}},
            {"street": "Main Road", "kind": "home", "day": "2026-01-02", "floor": 3},
            (),
        ),
        (
            {"place": {"street": "Main Road", "country": "FR", "note": None}},
            {"street": "Main Road", "country": "FR", "note": None},
            (),
        ),
        ({"tags": ["gift", "urgent"]}, ["gift"], ()),
        ({"tags": ["urgent"]}, None, ("tags",)),
        ({"tags": []}, [], ()),
        ({"stops": [{"street": "Main Road", "note": "ring"}]}, [{"street": "Main Road"}], ()),
        ({"stops": [{"street": "Elm Road"}]}, None, ("stops",)),
        ({"extra": {"any": "thing"}}, {"any": "thing"}, ()),
    ],
)
def test_what_is_made_up_inside_of_a_value_is_left_out(
    reply: JsonObject, given: Json, invented: tuple[str, ...]
) -> None:
    (name,) = reply
    kept = {} if given is None else {name: given}
    said = "Send a gift to Main Road 5."
    assert grounded(add_order(), reply, said=said) == (kept, invented)


@pytest.mark.parametrize("number", [10**320, -(10**320)])
def test_a_number_that_no_float_holds_is_made_up_like_any_other(number: int) -> None:
    assert grounded(order_of("number"), {"number": number}, said="5") == ({}, ("number",))


def test_a_number_that_no_float_holds_is_taken_where_it_is_said() -> None:
    reply: JsonObject = {"number": 10**320}
    assert grounded(order_of("number"), reply, said=f"the order {10**320}") == (reply, ())


@pytest.mark.parametrize("number", [10**320, 1_000_000, 1.5])
def test_a_number_is_put_on_the_side_that_is_said(number: float) -> None:
    orders = order_of("min_price", "max_price")
    turned = directed(orders, {"min_price": number}, task=f"orders of less than {number}")
    assert turned == {"max_price": number}


def order_of(*names: str) -> Tool:
    given = [{"name": name, "in": "query", "schema": {"type": "number"}} for name in names]
    [tool] = catalog(
        load(document({"/orders": {"get": {"operationId": "it", "parameters": given}}}))
    )
    return tool
