"""What a selector reads of an operation, and the second look at its choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from restwright.agents.rest.choosing import Wanted, better, line_of
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool


def thing(**properties: str) -> dict[str, Any]:
    return {"type": "object", "properties": {k: {"type": v} for k, v in properties.items()}}


def gives(operation_id: str, schema: dict[str, Any], summary: str = "Get") -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "operationId": operation_id,
        "summary": summary,
        "responses": {"200": {"description": "", "content": content}},
    }


def items(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"total": {"type": "integer"}, "results": {
        "type": "array", "items": of}}}  # fmt: skip


def parameter(name: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}]


FILM = thing(id="integer", title="string", homepage="string", number_of_prizes="integer")
PERSON = thing(id="integer", name="string", place_of_birth="string")
PATHS: dict[str, Any] = {
    "/films/popular": {"get": gives("popular_films", items(thing(id="integer", title="string")))},
    "/films/{film_id}": {"parameters": parameter("film_id"), "get": gives("get_film", FILM)},
    "/films/{film_id}/photos": {
        "parameters": parameter("film_id"),
        "get": gives("film_photos", items(thing(file="string"))),
        "delete": {"operationId": "drop_photos"},
    },
    "/people/{person_id}": {
        "parameters": parameter("person_id"),
        "get": gives("get_person", PERSON),
    },
    "/people/{person_id}/photos": {
        "parameters": parameter("person_id"),
        "get": gives("person_photos", items(thing(file="string"))),
    },
}


def tools() -> Mapping[str, Tool]:
    return {
        each.operation_name: each for each in catalog(load(document(PATHS), alias="cinema")).tools
    }


@pytest.mark.parametrize(
    ("chosen", "asked", "of", "name"),
    [
        # It only sounds like `the photos of the most popular film`.
        ("popular_films", "photos", "film", "film_photos"),
        ("popular_films", "photos", "people", "person_photos"),
        # A field of the response is what is asked; words may be put together.
        ("popular_films", "birthplace", "director", "get_person"),
        ("film_photos", "number of prizes", "film", "get_film"),
        # The choice has it.
        ("film_photos", "photos", "person", "film_photos"),
        ("get_film", "homepage", "film", "get_film"),
        # Nothing has it, or what is asked says nothing.
        ("popular_films", "soundtrack", "film", "popular_films"),
        ("popular_films", "name", "person", "popular_films"),
        ("popular_films", "number of all", "film", "popular_films"),
        ("popular_films", "", "", "popular_films"),
        # What changes something is never chosen anew.
        ("drop_photos", "homepage", "film", "drop_photos"),
    ],
)
def test_what_has_nothing_of_what_is_asked_gives_way_to_what_has(
    chosen: str, asked: str, of: str, name: str
) -> None:
    assert better(chosen, Wanted(asked, of), tools()) == name


def test_what_gives_one_thing_says_what_is_known_of_it() -> None:
    said = tools()
    assert line_of("get_film", said["get_film"]) == "- get_film: Get (homepage, number_of_prizes)"
    assert line_of("film_photos", said["film_photos"]) == "- film_photos: Get"
    assert line_of("drop_photos", said["drop_photos"]).startswith("- drop_photos: ")
