"""Resources are read from paths and schemas."""

from __future__ import annotations

import pytest
from tests.bench.any.opened import LIBRARY, PORT, opened

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.resources import Resource, find_resources

ITEMS = {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"}}}}


def resources(file: object) -> dict[str, Resource]:
    return {each.path: each for each in opened(file).resources}  # type: ignore[arg-type]


def answering(schema: object) -> object:
    content = {"application/json": {"schema": schema}}
    return {"get": {"responses": {"200": {"description": "", "content": content}}}}


def test_collections_items_and_what_can_be_done_with_them():
    shelves = resources(LIBRARY)["/shelves"]
    assert (shelves.array, shelves.item) == (("shelves",), ())
    assert (shelves.id_name, shelves.name_of) == ("id", "name")
    wanted = {"list", "create", "delete_all", "get", "update", "delete"}
    assert set(shelves.operations) == wanted


def test_a_collection_inside_of_an_item_has_that_as_its_parent():
    books = resources(LIBRARY)["/shelves/{}/books"]
    assert (books.parent, books.array, books.name_of) == ("/shelves", (), "title")


def test_what_stands_around_the_item_is_found_in_swagger_too():
    ships = resources(PORT)["/ships"]
    assert (ships.array, ships.item, ships.id_name) == (("data",), ("data",), "shipId")
    assert "replace" in ships.operations


def test_a_list_alone_is_a_resource_without_ids():
    containers = resources(PORT)["/ships/{}/containers"]
    assert (containers.id_name, set(containers.operations)) == ("", {"list"})


def test_what_is_no_list_is_no_resource():
    assert "/opening-hours" not in resources(LIBRARY)


def test_fields_have_kinds():
    kinds = {each.name: each.kind for each in resources(LIBRARY)["/shelves"].fields}
    assert kinds == {
        "name": "text",
        "floor": "number",
        "length": "number",
        "access": "enum",
        "is_lit": "boolean",
        "checked_on": "date",
    }


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (ITEMS, ()),
        ({"type": "object", "properties": {"boats": ITEMS, "crews": ITEMS}}, ("boats",)),
        (
            {"type": "object", "properties": {"meta": {"type": "object"}, "items": ITEMS}},
            ("items",),
        ),
        (
            {
                "type": "object",
                "properties": {"page": {"type": "object", "properties": {"data": ITEMS}}},
            },
            ("page", "data"),
        ),
    ],
    ids=["root", "by noun", "by a name that says nothing", "two deep"],
)
def test_where_the_array_of_a_list_is(schema: object, place: tuple[str, ...]):
    paths = {"/boats": answering(schema), "/boats/{key}": answering(ITEMS["items"])}
    [boats] = find_resources(catalog(load(document(paths))).tools)
    assert boats.array == place
