"""A world behaves as its document says."""

from __future__ import annotations

from uuid import UUID

import orjson
import pytest
from tests.bench.any.opened import LIBRARY, PORT, opened, send, told

from restwright.calls.arguments.check import check_value
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.tasks.generate import open_document
from restwright_bench.any.world.world import World


@pytest.fixture
def library() -> World:
    return opened(LIBRARY).world(0)


@pytest.fixture
def port() -> World:
    return opened(PORT).world(0)


def first_shelf(world: World) -> str:
    return told(world, "/shelves")["shelves"][0]["id"]


def test_the_same_seed_draws_the_same_things_and_another_others():
    one, same, other = (opened(LIBRARY).world(seed) for seed in (1, 1, 2))
    assert told(one, "/shelves") == told(same, "/shelves") != told(other, "/shelves")


def test_pages_by_offset_hold_everything_once(library: World):
    first = told(library, "/shelves")
    ids = [each["id"] for each in first["shelves"]]
    while len(ids) < first["total"]:
        ids += [each["id"] for each in told(library, f"/shelves?offset={len(ids)}")["shelves"]]
    assert len(ids) == len(set(ids)) == first["total"]
    assert len(first["shelves"]) == 4  # The document's default.


@pytest.mark.parametrize("kind", ["integer", "string"])
def test_from_is_an_offset_where_it_is_a_number(kind: str):
    bin_ = {"type": "object", "properties": {"id": {"type": "string"}, "label": {"type": "string"}}}
    listed = {"type": "array", "items": bin_}
    inputs = [
        {"name": "from", "in": "query", "schema": {"type": kind}},
        {"name": "size", "in": "query", "schema": {"type": "integer", "default": 2}},
    ]
    one = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}

    def gives(schema: JsonObject) -> JsonObject:
        return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}

    paths: JsonObject = {
        "/bins": {"get": {"operationId": "l", "parameters": inputs, "responses": gives(listed)}},
        "/bins/{id}": {"get": {"operationId": "g", "parameters": [one], "responses": gives(bin_)}},
    }
    world = open_document("bins", catalog(load(document(paths)))).world(1)
    first, second = told(world, "/bins?size=2"), told(world, "/bins?size=2&from=2")
    assert (first != second) is (kind == "integer")


def test_pages_by_cursor_and_by_number_end(port: World):
    page = told(port, "/ships")
    ships = page["data"]
    while cursor := page.get("next_cursor"):
        page = told(port, f"/ships?cursor={cursor}")
        ships += page["data"]
    assert len({each["shipId"] for each in ships}) == len(port.state.table("/ships") or ())
    ship = ships[0]["shipId"]
    pages = [told(port, f"/ships/{ship}/containers?page={number}") for number in range(1, 5)]
    inside = port.state.table("/ships/{}/containers", (str(ship),)) or {}
    assert sum(map(len, pages)) == len(inside)
    assert pages[-1] == []


def test_filters_ranges_search_and_order(library: World):
    shelves = told(library, "/shelves?limit=99")["shelves"]
    floor = shelves[0]["floor"]
    assert all(
        each["floor"] == floor for each in told(library, f"/shelves?floor={floor}")["shelves"]
    )
    least = sorted(each["length"] for each in shelves)[2]
    long = told(library, f"/shelves?limit=99&min_length={least}")["shelves"]
    assert [each["id"] for each in long] == [e["id"] for e in shelves if e["length"] >= least]
    named = told(library, f"/shelves?q={shelves[1]['name'][:6].lower()}")["shelves"]
    assert shelves[1]["id"] in [each["id"] for each in named]
    down = [each["floor"] for each in told(library, "/shelves?limit=99&sort=-floor")["shelves"]]
    assert down == sorted(down, reverse=True)


def test_ids_are_as_their_schema_says(library: World, port: World):
    assert UUID(first_shelf(library))
    assert isinstance(told(port, "/ships")["data"][0]["shipId"], int)


def test_an_item_and_what_is_inside_of_it(library: World):
    shelf = first_shelf(library)
    assert told(library, f"/shelves/{shelf}")["id"] == shelf
    book = told(library, f"/shelves/{shelf}/books")[0]
    assert told(library, f"/shelves/{shelf}/books/{book['id']}") == book
    assert book["shelf_id"] == shelf


@pytest.mark.parametrize(
    "path",
    [
        "/shelves/00000000-0000-4000-8000-000000000000",
        "/shelves/00000000-0000-4000-8000-000000000000/books",
        "/nothing",
    ],
)
def test_what_is_not_there_is_a_404(library: World, path: str):
    assert send(library, "GET", path).status == 404


def test_what_fits_no_resource_is_a_501_and_counts_as_a_request(library: World):
    assert send(library, "GET", "/opening-hours").status == 501
    assert library.log[-1].tool.endswith("openingHours")


def test_create_keeps_what_is_given(library: World):
    response = send(library, "POST", "/shelves", {"name": "North", "floor": 3})
    made = orjson.loads(response.body)
    assert (response.status, made["name"], made["floor"]) == (201, "North", 3)
    assert told(library, f"/shelves/{made['id']}") == made
    [change] = library.changes()
    assert (change.kind, change.id) == ("created", made["id"])


@pytest.mark.parametrize(
    "body",
    [{"name": "North"}, {"name": "North", "floor": "high"}, {"name": "N", "floor": 1, "hue": "x"}],
    ids=["missing", "of another type", "unknown"],
)
def test_a_body_that_does_not_fit_is_refused_as_the_document_says(library: World, body: object):
    assert send(library, "POST", "/shelves", body).status == 422
    assert library.changes() == ()


def test_update_sets_what_is_given_and_nothing_else(library: World):
    before = told(library, f"/shelves/{first_shelf(library)}")
    assert send(library, "PATCH", f"/shelves/{before['id']}", {"floor": 40}).status == 200
    assert told(library, f"/shelves/{before['id']}") == before | {"floor": 40}


def test_delete_and_bulk_delete(library: World):
    shelf, total = first_shelf(library), told(library, "/shelves")["total"]
    assert send(library, "DELETE", f"/shelves/{shelf}").status == 204
    assert send(library, "GET", f"/shelves/{shelf}/books").status == 404
    assert send(library, "DELETE", "/shelves").status == 204
    assert told(library, "/shelves")["total"] == 0
    assert len(library.changes()) == total
    assert [len(each.changed) for each in library.log if each.method == "DELETE"] == [1, total - 1]


def test_every_response_is_as_its_document_says(library: World, port: World):
    for world, path in ((library, "/shelves"), (port, "/ships")):
        response = send(world, "GET", path)
        tool = world.catalog[world.log[-1].tool]
        assert check_value(tool.output, orjson.loads(response.body)) == ()


def test_a_trial_changes_nothing(library: World):
    trial = library.trial()
    send(trial, "DELETE", "/shelves")
    assert trial.changes()
    assert library.changes() == ()
    assert library.log == []
