from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.producers import add_producers
from restwright.tools.search import search

ID: dict[str, Any] = {"name": "film_id", "in": "path", "required": True, "schema": {}}
TEXT: dict[str, Any] = {
    "name": "text",
    "in": "query",
    "required": True,
    "schema": {"type": "string"},
}
FILMS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "title": {"type": "string"}},
    },
}
STAFF = {"type": "array", "items": {"type": "object", "properties": {"person_id": {}}}}


def get(schema: Any, summary: str = "", **more: Any) -> dict[str, Any]:
    responses = {"200": {"content": {"application/json": {"schema": schema}}}}
    return {"get": {"summary": summary, "responses": responses, **more}}


PERSON = {"name": "person_id", "in": "path", "required": True, "schema": {}}
CINEMA = catalog(
    load(
        document(
            {
                "/films": get(FILMS, "The programme"),
                "/lookup/films": get(FILMS, "Look up", parameters=[TEXT]),
                "/films/{film_id}/staff": get(STAFF, "Who made it", parameters=[ID]),
                "/people/{person_id}": get({}, "Where somebody was born", parameters=[PERSON]),
                "/prices": get({}, "Prices of tickets"),
            }
        ),
        alias="cinema",
    )
)


def routes(whole: Catalog, found: list[tuple[str, float]], k: int, **more: Any) -> list[str]:
    return [whole[each.name].operation.path for each in add_producers(found, whole, k, **more)]


def named(path: str) -> str:
    return next(each.name for each in CINEMA.tools if each.operation.path == path)


def test_what_supplies_a_value_is_found_with_what_needs_it() -> None:
    ranked = add_producers([(named("/films/{film_id}/staff"), 10.0)], CINEMA, 20)

    assert {CINEMA[each.name].operation.path for each in ranked[1:]} == {"/films", "/lookup/films"}
    assert ranked[0].why == ""
    assert ranked[1].why.startswith("supplies film_id of ")


def test_what_the_suppliers_need_is_found_too() -> None:
    found = routes(CINEMA, [(named("/people/{person_id}"), 10.0)], 20)

    assert found[:2] == ["/people/{person_id}", "/films/{film_id}/staff"]
    assert set(found[2:]) == {"/films", "/lookup/films"}


def test_what_is_named_is_looked_up() -> None:
    hit = [(named("/films/{film_id}/staff"), 10.0)]

    assert routes(CINEMA, hit, 20, is_named=True)[1] == "/lookup/films"


def test_better_hits_stay_before_suppliers_of_worse_ones() -> None:
    found = [(named("/prices"), 10.0), (named("/films/{film_id}/staff"), 4.0)]

    assert routes(CINEMA, found, 2) == ["/prices", "/films/{film_id}/staff"]


def test_what_is_hardly_found_asks_for_nothing() -> None:
    found = [(named("/prices"), 10.0), (named("/films/{film_id}/staff"), 1.0)]

    assert routes(CINEMA, found, 20) == ["/prices", "/films/{film_id}/staff"]


@pytest.mark.parametrize("k", [-1, 0, 1, 3])
def test_there_are_never_more_than_asked_for(k: int) -> None:
    assert len(add_producers([(named("/people/{person_id}"), 10.0)], CINEMA, k)) == max(k, 0)


def test_nothing_comes_of_nothing() -> None:
    assert add_producers([], CINEMA, 20) == ()


def test_a_search_says_what_each_tool_supplies() -> None:
    found = {each.tool.operation.path: each.why for each in search("who made it", CINEMA, k=5)}

    assert found["/films"].startswith("supplies film_id of ")
    assert "`[].id`, the id of the film" in found["/films"]


def test_only_the_tools_of_a_part_of_a_catalog_supply() -> None:
    from restwright.tools.catalog.catalog import filter_operations

    part = filter_operations(CINEMA, lambda each: each.path != "/films")

    assert "/films" not in [each.tool.operation.path for each in search("who made it", part, k=5)]
