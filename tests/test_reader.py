from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from restwright.errors import NotOpenAPI
from restwright.openapi.api import load
from restwright.openapi.model import (
    DocumentedResponse,
    MediaType,
    Method,
    Operation,
    Parameter,
    Problem,
    RequestBody,
    SecurityScheme,
    Server,
    ServerVariable,
)
from restwright.testing import document, never

OK = {"200": {"description": "ok"}}
NAMED = {"operationId": "a", "summary": "A"}


def operations(paths: dict[str, Any], **more: Any) -> tuple[Operation, ...]:
    return load(document(paths, **more)).operations


def problems(paths: dict[str, Any], **more: Any) -> list[str]:
    return [str(each) for each in load(document(paths, **more)).problems]


def test_an_operation_is_read_whole() -> None:
    paths = {
        "/pets/{id}": {
            "summary": "of the path",
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {}}],
            "put": {
                "operationId": "putPet",
                "summary": "Change a pet",
                "description": "All of it.",
                "tags": ["pets"],
                "deprecated": True,
                "parameters": [{"name": "dry", "in": "query", "schema": {"type": "boolean"}}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                "responses": {"200": {"description": "ok", "content": {"text/plain": {}}}},
                "servers": [{"url": "https://{at}.test", "variables": {"at": {"default": "eu"}}}],
                "security": [{"key": []}, {"a": [], "b": []}],
            },
        }
    }
    (operation,) = operations(paths)
    expected = Operation(
        method=Method.PUT,
        path="/pets/{id}",
        pointer="/paths/~1pets~1{id}/put",
        operation_id="putPet",
        summary="Change a pet",
        tags=("pets",),
        deprecated=True,
        headline="Change a pet",
        description="All of it.",
        parameters=(
            Parameter(name="id", location="path", required=True, schema={}, style="simple"),
            Parameter(
                name="dry",
                location="query",
                schema={"type": "boolean"},
                style="form",
                explode=True,
            ),
        ),
        request_body=RequestBody(
            required=True,
            content=(MediaType(name="application/json", schema={"type": "object"}),),
        ),
        responses=(
            DocumentedResponse(
                status="200", description="ok", content=(MediaType(name="text/plain"),)
            ),
        ),
        servers=(Server(url="https://{at}.test", variables={"at": ServerVariable(default="eu")}),),
        security=({"key": ()}, {"a": (), "b": ()}),
    )
    assert asdict(operation) == asdict(expected)


def test_an_operation_overrides_parameters_of_its_path() -> None:
    query = {"name": "q", "in": "query", "schema": {"type": "string"}}
    paths = {"/a": {"parameters": [query], "get": {"parameters": [{**query, "required": True}]}}}
    (operation,) = operations(paths)

    assert [(each.name, each.required) for each in operation.parameters] == [("q", True)]


def test_references_to_parameters_bodies_and_responses_are_followed() -> None:
    components = {
        "parameters": {"Q": {"name": "q", "in": "query"}},
        "requestBodies": {"B": {"content": {"application/json": {}}}},
        "responses": {"R": {"description": "here"}},
    }
    operation = {
        "parameters": [{"$ref": "#/components/parameters/Q"}],
        "requestBody": {"$ref": "#/components/requestBodies/B"},
        "responses": {"200": {"$ref": "#/components/responses/R"}},
    }
    (read,) = operations({"/a": {"post": operation}}, components=components)

    assert read.parameters[0].name == "q"
    assert read.request_body == RequestBody(content=(MediaType(name="application/json"),))
    assert read.responses == (DocumentedResponse(status="200", description="here"),)


def test_a_path_item_may_be_a_reference() -> None:
    components = {"pathItems": {"P": {"get": {"operationId": "p", "responses": OK}}}}
    paths = {"/p": {"$ref": "#/components/pathItems/P"}}

    assert [each.operation_id for each in operations(paths, components=components)] == ["p"]


def test_headers_of_the_media_type_and_of_security_are_no_parameters() -> None:
    names = ["Accept", "content-type", "Authorization", "X-Trace"]
    parameters = [{"name": name, "in": "header", "schema": {}} for name in names]
    (operation,) = operations({"/a": {"get": {"parameters": parameters}}})

    assert [each.name for each in operation.parameters] == ["X-Trace"]


def test_one_bad_operation_never_costs_another() -> None:
    paths: dict[str, Any] = {
        "/a": {"get": 7, "post": {**NAMED, "responses": OK}},
        "/b": "nothing",
        "/c": {
            "summary": "C",
            "get": {"parameters": [{"in": "query"}, 3], "requestBody": [], "responses": []},
        },
        "/d": {
            "parameters": {"name": "x"},
            "get": {"summary": "D", "tags": "x", "servers": {}, "security": 1},
        },
    }
    read = load(document(paths))

    assert [each.pointer for each in read.operations] == [
        "/paths/~1a/post",
        "/paths/~1c/get",
        "/paths/~1d/get",
    ]
    assert [each for each in read.problems if each.severity != "information"] == [
        Problem("/paths/~1a/get", "is no Operation Object", "error", "left out"),
        Problem("/paths/~1b", "is no Path Item Object", "error", "left out"),
        Problem("/paths/~1c/get/parameters/0", "has no `name`", "error", "left out"),
        Problem("/paths/~1c/get/parameters/1", "is no object", "warning", "ignored"),
        Problem("/paths/~1c/get/requestBody", "is no object", "warning", "ignored"),
        Problem("/paths/~1c/get/responses", "is no object", "warning", "ignored"),
        Problem("/paths/~1d/parameters", "is no list", "warning", "ignored"),
        Problem("/paths/~1d/get/servers", "is no list", "warning", "ignored"),
        Problem("/paths/~1d/get/security", "is no list", "warning", "ignored"),
    ]


def test_placeholders_and_path_parameters_are_brought_together() -> None:
    paths = {
        "/a/{id}": {
            "get": {**NAMED, "parameters": [{"name": "other", "in": "path", "schema": {}}]},
        }
    }
    (operation,) = operations(paths)

    assert operation.parameters == (
        Parameter(
            name="id", location="path", required=True, schema={"type": "string"}, style="simple"
        ),
    )
    assert problems(paths) == [
        "/paths/~1a~1{id}/get/parameters/0: the path has no {other} (left out)",
        "/paths/~1a~1{id}/get: no parameter describes {id} of the path (read as a required string)",
    ]


def test_an_external_reference_is_a_problem_and_is_not_fetched() -> None:
    paths = {"/a": {"get": {**NAMED, "parameters": [{"$ref": "https://x.test/p.json"}]}}}
    read = load(document(paths), retrieve=never)

    assert [(each.pointer, each.severity) for each in read.problems] == [
        ("/paths/~1a/get/parameters/0/$ref", "error")
    ]


def test_booleans_written_as_strings_are_understood() -> None:
    parameter = {"name": "q", "in": "query", "required": "true", "explode": "false"}
    (operation,) = operations({"/a": {"get": {"parameters": [parameter], "deprecated": "true"}}})

    assert (operation.deprecated, operation.parameters[0]) == (
        True,
        Parameter(name="q", location="query", required=True, style="form", explode=False),
    )


def test_a_parameter_may_have_a_media_type() -> None:
    parameter = {
        "name": "filter",
        "in": "query",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
    (operation,) = operations({"/a": {"get": {"parameters": [parameter]}}})

    assert (operation.parameters[0].media_type, operation.parameters[0].schema) == (
        "application/json",
        {"type": "object"},
    )


def test_security_of_the_document_holds_where_an_operation_says_nothing() -> None:
    paths = {"/a": {"get": {}}, "/b": {"get": {"security": []}}, "/c": {"get": {"security": [{}]}}}
    read = load(
        document(
            paths,
            security=[{"token": []}],
            components={"securitySchemes": {"token": {"type": "http", "scheme": "Bearer"}}},
        )
    )

    assert [each.security for each in read.operations] == [({"token": ()},), (), ({},)]
    assert read.security_schemes == {
        "token": SecurityScheme(name="token", type="http", scheme="bearer")
    }


def test_servers_of_the_nearest_level_count() -> None:
    other = [{"url": "https://other.test"}]
    paths = {
        "/a": {"get": {}},
        "/b": {"servers": other, "get": {}},
        "/c": {"get": {"servers": other}},
    }

    assert [each.servers[0].url for each in operations(paths)] == [
        "https://api.example.test",
        "https://other.test",
        "https://other.test",
    ]


def test_without_servers_the_root_is_meant() -> None:
    read = load({"openapi": "3.0.3", "info": {"title": "T", "version": 1.0}, "paths": {}})

    assert (read.servers, read.version) == ((Server(url="/"),), "1.0")


def test_the_first_success_is_the_one_with_the_lowest_status() -> None:
    responses = {"default": {"description": "d"}, "201": {}, "404": {}, "200": {"description": "x"}}
    (operation,) = operations({"/a": {"get": {"responses": responses}}})

    assert operation.success == DocumentedResponse(status="200", description="x")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"openapi": "2.0"}, "`openapi: 2.0` is no version that can be read"),
        ({"openapi": "4.0.0"}, "`openapi: 4.0.0` is no version that can be read"),
        ({"openapi": ["3.0.0"]}, "`openapi: ['3.0.0']` is no version that can be read"),
        ({"title": "x"}, "it has no `openapi` key and no `swagger` key"),
    ],
)
def test_other_documents_are_refused_by_name(content: dict[str, Any], found: str) -> None:
    with pytest.raises(NotOpenAPI) as caught:
        load(content)
    assert caught.value == NotOpenAPI("object", found)


def test_a_version_may_be_a_number() -> None:
    assert load(b"openapi: 3.1\ninfo: {title: T}\npaths: {}").title == "T"


def test_a_document_on_disk_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text("openapi: 3.0.3\ninfo: {title: Shop}\npaths: {/a: {get: {}}}")
    read = load(path, alias="mine")

    assert (read.source, read.alias, read.title, len(read.operations)) == (
        str(path),
        "mine",
        "Shop",
        1,
    )
