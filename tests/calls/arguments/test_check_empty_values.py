"""A query parameter that may be empty: `name=`, whatever its schema says."""

from __future__ import annotations

import pytest
from tests.support.recorder import tool_of

from restwright.calls.arguments.check import check
from restwright.calls.arguments.repair import repair_arguments
from restwright.calls.request.build import build_request
from restwright.jsontypes import Json, JsonObject
from restwright.testing import document
from restwright.tools.tool import Tool

OBJECT: JsonObject = {"type": "object", "properties": {"k": {"type": "string"}}}
SCHEMAS: dict[str, JsonObject] = {
    "integer": {"type": "integer", "minimum": 1},
    "enum": {"enum": ["new", "paid"]},
    "array": {"type": "array", "items": {"type": "integer"}},
    "object": OBJECT,
    "reference": {"$ref": "#/components/schemas/Page"},
    "long": {"type": "string", "minLength": 3},
    "text": {"type": "string"},
}


def tool(schema: Json, **more: Json) -> Tool:
    parameter = {"name": "q", "in": "query", "schema": schema, **more}
    components = {"schemas": {"Page": {"type": "integer"}}}
    return tool_of(document({"/a": {"get": {"parameters": [parameter]}}}, components=components))


def url(one: Tool, arguments: JsonObject) -> str:
    assert check(one, arguments) == ()
    return build_request(one, arguments, server="http://h").url


@pytest.mark.parametrize("kind", SCHEMAS)
def test_an_empty_text_is_accepted_and_written_as_the_name(kind: str) -> None:
    one = tool(SCHEMAS[kind], allowEmptyValue=True)
    assert url(one, {"q": ""}) == "http://h/a?q="
    assert repair_arguments(one, {"q": ""}).arguments == {"q": ""}


@pytest.mark.parametrize("style", ["form", "spaceDelimited", "pipeDelimited", "deepObject"])
def test_it_is_written_alike_in_every_style(style: str) -> None:
    assert url(tool(OBJECT, allowEmptyValue=True, style=style), {"q": ""}) == "http://h/a?q="


@pytest.mark.parametrize("kind", ["integer", "enum", "array", "object", "reference", "long"])
def test_without_it_an_empty_text_has_to_fit_the_schema(kind: str) -> None:
    assert [each.pointer for each in check(tool(SCHEMAS[kind]), {"q": ""})] == ["/q"]


def test_all_else_is_checked_and_repaired_as_before() -> None:
    one = tool(SCHEMAS["integer"], allowEmptyValue=True)
    assert [each.pointer for each in check(one, {"q": 0})] == ["/q"]
    assert repair_arguments(one, {"q": "7"}).arguments == {"q": 7}
    assert repair_arguments(
        tool(SCHEMAS["enum"], allowEmptyValue=True), {"q": "PAID"}
    ).arguments == {"q": "paid"}


def test_a_model_reads_the_schema_as_it_is() -> None:
    shown, plain = tool(SCHEMAS["enum"], allowEmptyValue=True).shows, tool(SCHEMAS["enum"]).shows
    assert shown == plain


@pytest.mark.parametrize("place", ["header", "cookie"])
def test_it_is_for_query_parameters_alone(place: str) -> None:
    one = tool(SCHEMAS["integer"], allowEmptyValue=True, **{"in": place})
    assert [each.pointer for each in check(one, {"q": ""})] == ["/q"]


def test_in_swagger_too() -> None:
    parameter = {"name": "q", "in": "query", "type": "integer", "allowEmptyValue": True}
    source: JsonObject = {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "host": "h",
        "paths": {"/a": {"get": {"parameters": [parameter], "responses": {}}}},
    }
    assert url(tool_of(source), {"q": ""}) == "http://h/a?q="


def form(field: JsonObject) -> Tool:
    source: JsonObject = {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "host": "h",
        "paths": {"/a": {"post": {"parameters": [{"name": "q", "in": "formData", **field}]}}},
    }
    return tool_of(source)


@pytest.mark.parametrize(
    "field",
    [
        {"type": "integer", "minimum": 1},
        {"type": "string", "enum": ["new", "paid"]},
        {"type": "string", "minLength": 3},
        {"type": "string"},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array", "items": {"type": "integer"}, "collectionFormat": "multi"},
    ],
    ids=["integer", "enum", "long", "text", "array", "repeated"],
)
def test_in_a_form_of_swagger_too(field: JsonObject) -> None:
    one = form({**field, "allowEmptyValue": True})
    assert check(one, {"q": ""}) == ()
    assert repair_arguments(one, {"q": ""}).arguments == {"q": ""}
    assert build_request(one, {"q": ""}, server="http://h").body == b"q="
    assert [each.pointer for each in check(one, {"q": {}})] == ["/q"]
