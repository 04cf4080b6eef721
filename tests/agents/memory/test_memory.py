"""What a run has found, as arguments of later calls."""

from __future__ import annotations

import time

import pytest

from restwright.agents.memory.memory import Known, Memory, Source, mentioned
from restwright.jsontypes import Json
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool

TRACKS = {
    "tracks": [
        {"name": "Rain", "uri": "u:1", "album": {"name": "Days", "uri": "u:9"}},
        {"name": "Snow", "uri": "u:2", "album": {"name": "Days", "uri": "u:9"}},
    ]
}


def source(extracted: Json, body: Json = TRACKS, *, is_write: bool = False) -> Source:
    return Source(tool="t", arguments={}, body=body, extracted=extracted, is_write=is_write)


def test_the_addresses_of_what_was_taken_out_are_held() -> None:
    memory = Memory().with_source(source([{"name": "Snow"}]))
    assert memory.held("uri") == (Known("u:2", "Snow"),)


def test_of_a_thing_and_its_parts_the_thing_is_held() -> None:
    memory = Memory().with_source(source(TRACKS))
    assert [each.value for each in memory.held("uri")] == ["u:1", "u:2"]


def test_what_a_write_gave_and_what_has_none_is_passed_over() -> None:
    memory = Memory().with_source(source("Rain")).with_source(source("Snow", is_write=True))
    memory = memory.with_source(source(3, {"count": 3}))
    assert memory.held("uri") == (Known("u:1", "Rain"),)
    assert memory.held("href") == ()


STORES: Json = [{"id": 1, "name": "Ash"}, {"id": 2, "name": "Birch"}]


def stock() -> Catalog:
    """What a store has of a product."""
    text: Json = {"type": "string"}
    ids = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in ("store_id", "product_id")
    ]
    store = {"type": "object", "properties": {"id": {"type": "integer"}, "name": text}}
    content = {"application/json": {"schema": {"type": "array", "items": store}}}
    responses: Json = {"200": {"description": "", "content": content}}
    paths: Json = {
        "/stores": {"get": {"operationId": "list_stores", "responses": responses}},
        "/stores/{store_id}/products/{product_id}": {
            "get": {"operationId": "get_stock", "parameters": ids, "responses": {}}
        },
    }
    return catalog(load(document(paths), alias="shop"))


@pytest.mark.parametrize(("name", "value"), [("store_id", "s7"), ("product_id", "p12")])
def test_what_is_named_as_the_id_of_one_thing_is_that_of_no_other(name: str, value: str) -> None:
    tool = stock()["shop__get_stock"]
    found = mentioned(tool, name, "How many of product p12 are in store s7?")
    assert [each.value for each in found] == [value]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("How much in 4K is in the 2nd store of bob2@shop.test?", []),
        ("What is in store 4K?", ["4K"]),
        ("What is in k4-17?", ["k4-17"]),
    ],
)
def test_a_measure_and_an_address_are_no_ids(question: str, values: list[str]) -> None:
    tool = stock()["shop__get_stock"]
    assert [each.value for each in mentioned(tool, "store_id", question)] == values


@pytest.mark.parametrize(
    ("extracted", "ids"),
    [
        ([{"id": 1, "name": "Ash", "visits": 2}], [1]),
        ([{"name": "Birch"}], [2]),
        ({"id": 9, "name": "Birch"}, [2]),
        ([1, 2], [1, 2]),
    ],
)
def test_another_number_of_what_was_taken_out_is_no_id(extracted: Json, ids: list[int]) -> None:
    made = stock()
    seen = Source(tool="shop__list_stores", arguments={}, body=STORES, extracted=extracted)
    tools = tuple(made[name] for name in made.entries)
    found = Memory((), (seen,)).known(made["shop__get_stock"], "store_id", tools)
    assert [each.value for each in found] == ids


def test_a_long_question_is_looked_through_once() -> None:
    words = "word 12 " * 100_000
    started = time.perf_counter()
    assert mentioned(stock()["shop__get_stock"], "store_id", words) == ()
    assert time.perf_counter() - started < 10


def season(name: str) -> Tool:
    number = {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}
    paths: Json = {f"/shows/{{{name}}}": {"get": {"operationId": "show", "parameters": [number]}}}
    [tool] = catalog(load(document(paths))).tools
    return tool


@pytest.mark.parametrize(
    ("name", "question", "values"),
    [
        ("season_number", "Who plays in the second season?", [2]),
        ("seasonNumber", "the 3rd season", [3]),
        ("season_number", "the second film", []),
        ("season_id", "the second season", []),
        ("season_id", "season 7", [7]),
        ("season_id", "7 seasons", []),
    ],
)
def test_what_is_counted_is_mentioned_by_ordinals(
    name: str, question: str, values: list[int]
) -> None:
    assert [each.value for each in mentioned(season(name), name, question)] == values
