"""Bodies that are forms, parameters that are no texts, and paths that end in `.json`."""

from __future__ import annotations

import pytest

from restwright.calls.approval.approval import approve_all
from restwright.calls.call import call
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.program import CONNECTION
from restwright_bench.any.world.world import World

BELL: JsonObject = {
    "type": "object",
    "required": ["sid", "name", "weight", "rings"],
    "properties": {
        "sid": {"type": "string", "pattern": "^BL[0-9a-f]{6}$"},
        "name": {"type": "string"},
        "weight": {"type": "integer"},
        "rings": {"type": "boolean"},
    },
}


def answering(schema: JsonObject, **more: Json) -> JsonObject:
    content = {"application/json": {"schema": schema}}
    return {"responses": {"200": {"description": "", "content": content}}, **more}


FORM: JsonObject = {
    "type": "object",
    "required": ["name"],
    "properties": {name: BELL["properties"][name] for name in ("name", "weight", "rings")},
}
BODY: JsonObject = {"content": {"application/x-www-form-urlencoded": {"schema": FORM}}}
SID: JsonObject = {"name": "Sid", "in": "path", "required": True, "schema": {"type": "string"}}
RINGS: JsonObject = {"name": "rings", "in": "query", "schema": {"type": "boolean"}}
LIST: JsonObject = {"type": "object", "properties": {"bells": {"type": "array", "items": BELL}}}


@pytest.fixture
def belfry() -> World:
    paths: JsonObject = {
        "/Bells.json": {
            "get": answering(LIST, operationId="list", parameters=[RINGS]),
            "post": answering(BELL, operationId="add", requestBody=BODY),
        },
        "/Bells/{Sid}.json": {
            "parameters": [SID],
            "get": answering(BELL, operationId="get"),
            "post": answering(BELL, operationId="change", requestBody=BODY),
        },
    }
    return World(catalog(load(document(paths), alias="belfry")), 0)


def value(world: World, operation: str, **arguments: Json) -> Json:
    tool = world.catalog[f"belfry__{operation}"]
    result = call(tool, arguments, connection=CONNECTION, send=world, approve=approve_all)
    assert result.ok, result.text
    return result.value


def test_what_a_form_says_becomes_what_its_schema_says(belfry: World):
    made = value(belfry, "add", name="Great Ono", weight=900, rings=True)
    assert (made["name"], made["weight"], made["rings"]) == ("Great Ono", 900, True)
    changed = value(belfry, "change", Sid=made["sid"], name="Small Ono", rings=False)
    assert changed == made | {"name": "Small Ono", "rings": False}
    assert value(belfry, "get", Sid=made["sid"]) == changed


def test_a_truth_value_filters(belfry: World):
    bells = value(belfry, "list")["bells"]
    assert value(belfry, "list", rings=True)["bells"] == [each for each in bells if each["rings"]]
    assert all(each["sid"].startswith("BL") for each in bells)
