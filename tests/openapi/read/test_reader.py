from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.request.build import build_request
from restwright.errors import NotOpenAPI
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.openapi.model import (
    METHODS,
    DocumentedResponse,
    Encoding,
    Link,
    MediaType,
    Method,
    OAuthFlow,
    Operation,
    Parameter,
    Problem,
    RequestBody,
    SecurityScheme,
    Server,
    ServerVariable,
)
from restwright.openapi.references import join_pointer
from restwright.testing import document, never
from restwright.tools.catalog.catalog import catalog

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


def one(operation: dict[str, Any], **more: Any) -> Operation:
    (found,) = operations({"/a": {"get": operation}}, **more)
    return found


def test_parts_are_read_when_asked_for_and_kept() -> None:
    operation = one({"parameters": [{"name": "q", "in": "query"}]})
    assert operation.parameters is operation.parameters

    with pytest.raises(AttributeError, match="'Operation' has no attribute 'nothing'"):
        _ = operation.nothing  # type: ignore[attr-defined]


def test_methods_are_compared_and_read_as_text() -> None:
    assert Method("get") is Method.GET
    assert (Method.QUERY, Method("COPY"), f"{Method.PUT}") == ("query", "COPY", "put")
    assert [name for name in METHODS if Method(name).is_read] == [
        "get",
        "options",
        "head",
        "trace",
        "query",
    ]
    assert not Method("COPY").is_read


def test_methods_of_openapi_3_2_are_operations() -> None:
    paths = {
        "/a": {
            "query": {"operationId": "q"},
            "additionalOperations": {"COPY": {"operationId": "c"}, "x-b": {}},
        }
    }
    assert [
        (each.method, each.pointer, each.operation_id)
        for each in operations(paths, openapi="3.2.0")
    ] == [
        ("query", "/paths/~1a/query", "q"),
        ("COPY", "/paths/~1a/additionalOperations/COPY", "c"),
    ]


def test_an_upper_case_method_is_read_and_told() -> None:
    paths = {"/a": {"GET": NAMED}}

    assert [(each.method, each.pointer) for each in operations(paths)] == [
        ("get", "/paths/~1a/GET")
    ]
    assert problems(paths) == [
        "/paths/~1a/GET: the method is in upper case (read in lower case)",
    ]


def test_keys_that_nothing_is_known_about_are_told() -> None:
    paths = {
        "/a": {"get": {**NAMED, "paramaters": [], "x-a": 1}, "pots": {}, "x-b": 2},
        "/b": {"connect": {"responses": OK}},
    }
    read = load(document(paths))

    assert [(each.pointer, each.severity) for each in read.problems] == [
        ("/paths/~1a/get/paramaters", "warning"),
        ("/paths/~1a/pots", "warning"),
        ("/paths/~1b/connect", "error"),
    ]


def test_a_query_string_may_be_one_parameter() -> None:
    content = {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
    operation = one({"parameters": [{"name": "q", "in": "querystring", "content": content}]})

    assert operation.parameters == (
        Parameter(
            name="q",
            location="querystring",
            schema={"type": "object"},
            style="form",
            explode=True,
            media_type="application/x-www-form-urlencoded",
        ),
    )


def test_the_cookie_style_is_exploded() -> None:
    operation = one({"parameters": [{"name": "c", "in": "cookie", "style": "cookie"}]})

    assert (operation.parameters[0].style, operation.parameters[0].explode) == ("cookie", True)


def test_a_parameter_is_read_whole() -> None:
    components = {"examples": {"E": {"value": 2}}}
    parameter = {
        "name": "q",
        "in": "query",
        "allowReserved": True,
        "allowEmptyValue": "true",
        "example": 1,
        "examples": {
            "a": {"$ref": "#/components/examples/E"},
            "b": {"dataValue": 3},
            "c": {"externalValue": "x"},
        },
    }
    assert one({"parameters": [parameter]}, components=components).parameters == (
        Parameter(
            name="q",
            location="query",
            style="form",
            explode=True,
            allow_reserved=True,
            allow_empty_value=True,
            example=1,
            examples={"a": 2, "b": 3},
        ),
    )


def test_a_parameter_with_a_type_of_its_own_is_read() -> None:
    paths = {
        "/a": {"get": {**NAMED, "parameters": [{"name": "q", "in": "query", "type": "integer"}]}}
    }

    assert operations(paths)[0].parameters[0].schema == {"type": "integer"}
    assert problems(paths) == [
        "/paths/~1a/get/parameters/0: has a `type` of its own, as in Swagger 2.0, and no `schema`"
        " (read as its schema)"
    ]


def test_a_parameter_that_stands_twice_is_told() -> None:
    parameter = {"name": "q", "in": "query", "schema": {}}
    parameters = [parameter, {**parameter, "required": True}]
    paths = {"/a": {"get": {**NAMED, "parameters": parameters}}}

    assert [each.required for each in operations(paths)[0].parameters] == [True]
    assert problems(paths) == [
        "/paths/~1a/get/parameters/1: the query parameter 'q' stands twice (the last one counts)"
    ]


def test_media_types_are_read_whole() -> None:
    body = {
        "content": {
            "multipart/form-data": {
                "schema": {"type": "object"},
                "example": {"a": 1},
                "examples": {"one": {"value": {"a": 2}}},
                "encoding": {
                    "a": {"contentType": "image/png", "headers": {"X-A": {"schema": {}}}},
                },
            },
            "application/jsonl": {"itemSchema": {"type": "object"}},
        }
    }
    assert one({"requestBody": body}).request_body == RequestBody(
        content=(
            MediaType(
                name="multipart/form-data",
                schema={"type": "object"},
                example={"a": 1},
                examples={"one": {"a": 2}},
                encoding={
                    "a": Encoding(
                        content_type="image/png",
                        headers=(
                            Parameter(name="X-A", location="header", schema={}, style="simple"),
                        ),
                    )
                },
            ),
            MediaType(name="application/jsonl", item_schema={"type": "object"}),
        )
    )


def test_responses_have_headers_and_links() -> None:
    components = {"links": {"L": {"operationId": "b", "parameters": {"id": "$response.body#/id"}}}}
    response = {
        "description": "ok",
        "headers": {"X-Total": {"required": True, "schema": {"type": "integer"}}},
        "links": {"next": {"$ref": "#/components/links/L"}},
    }
    assert one({"responses": {"201": response}}, components=components).responses == (
        DocumentedResponse(
            status="201",
            description="ok",
            headers=(
                Parameter(
                    name="X-Total",
                    location="header",
                    required=True,
                    schema={"type": "integer"},
                    style="simple",
                ),
            ),
            links=(Link(name="next", operation_id="b", parameters={"id": "$response.body#/id"}),),
        ),
    )


def test_callbacks_are_operations_that_are_not_called() -> None:
    callback = {"{$request.body#/url}": {"post": {"operationId": "event", "requestBody": {}}}}
    paths = {"/a": {"get": {"callbacks": {"event": callback}}}}
    read = load(document(paths))
    ((found,),) = [each.callbacks for each in read.operations]

    assert (found.name, found.expression) == ("event", "{$request.body#/url}")
    assert [(each.operation_id, each.pointer, each.parameters) for each in found.operations] == [
        ("event", "/paths/~1a/get/callbacks/event/{$request.body#~1url}/post", ())
    ]
    assert len(read.operations) == 1


def test_webhooks_stand_apart() -> None:
    read = load(document({}, webhooks={"new": {"post": {"summary": "New"}}}))

    assert (read.operations, [(each.path, each.headline) for each in read.webhooks]) == (
        (),
        [("new", "New")],
    )


def test_security_names_scopes_and_alternatives() -> None:
    operation = one({"security": [{"oauth": ["read", "write"], "key": []}, {}]})

    assert operation.security == ({"oauth": ("read", "write"), "key": ()}, {})


def test_a_security_scheme_may_be_named_by_a_reference() -> None:
    """OAS 3.2, "Security Requirement Object"."""
    written = {"#/components/securitySchemes/a~1b": [], "odd#/components/securitySchemes/c": []}
    (operation,) = operations({"/a": {"get": {"security": [written]}}})

    assert operation.security == ({"a/b": (), "odd#/components/securitySchemes/c": ()},)


def test_security_schemes_are_read_whole() -> None:
    flow = {"tokenUrl": "https://t.test", "scopes": {"read": "Read"}}
    schemes = {
        "oauth": {"type": "oauth2", "flows": {"clientCredentials": flow}},
        "alias": {"$ref": "#/components/securitySchemes/key"},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "A key"},
        "jwt": {"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"},
    }
    found = load(document({}, components={"securitySchemes": schemes})).security_schemes
    key = SecurityScheme(
        name="key", type="apiKey", location="header", parameter="X-Key", description="A key"
    )

    assert found == {
        "oauth": SecurityScheme(
            name="oauth",
            type="oauth2",
            flows={
                "clientCredentials": OAuthFlow(token_url="https://t.test", scopes={"read": "Read"})
            },
        ),
        "alias": replace(key, name="alias"),
        "key": key,
        "jwt": SecurityScheme(name="jwt", type="http", scheme="bearer", bearer_format="JWT"),
    }


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["default", "404", "201", "200"], "200"),
        (["204", "202", "201"], "201"),
        (["default", "2XX", "206", "204"], "204"),
        (["default", "2xx"], "2xx"),
        (["404", "default"], "default"),
        (["404"], None),
        ([], None),
    ],
    ids=str,
)
def test_the_response_of_success_is_chosen_by_rule(
    statuses: list[str], expected: str | None
) -> None:
    success = one({"responses": {each: {"description": each} for each in statuses}}).success

    assert (success.status if success else None) == expected


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"summary": "Add a\n pet", "description": "More."}, "Add a pet"),
        ({"description": "Adds a pet. Then more."}, "Adds a pet."),
        ({"description": "<p>Adds a <b>pet</b></p>\n\nMore"}, "Adds a pet"),
        ({"description": "With <a href='/c'>Connect</a>, you can"}, "With Connect, you can"),
        ({"description": "Adds<br/>a<br>pet <!-- or\nnot -->here"}, "Adds a pet here"),
        ({"description": "Pets &amp; &lt;b&gt; of List<Pet>"}, "Pets & <b> of List<Pet>"),
        ({"summary": "A <b>pet</b> &quot;now&quot;"}, 'A pet "now"'),
        ({"summary": "A\x1b[31m p\u202eet\x00\u00a0\u2003x"}, "A[31m pet x"),
        ({"description": "Version 1.2 of it"}, "Version 1.2 of it"),
        ({}, ""),
        ({"summary": 7}, "7"),
    ],
    ids=str,
)
def test_a_headline_is_one_line(operation: dict[str, Any], expected: str) -> None:
    assert one(operation).headline == expected


def test_a_path_item_may_refer_and_add() -> None:
    paths = {
        "/a": {"get": {"operationId": "a"}, "post": {"operationId": "b"}},
        "/b": {"$ref": "#/paths/~1a", "get": {"operationId": "c"}, "summary": "B"},
    }
    assert [(each.pointer, each.operation_id) for each in operations(paths)] == [
        ("/paths/~1a/get", "a"),
        ("/paths/~1a/post", "b"),
        ("/paths/~1b/get", "c"),
        ("/paths/~1b/post", "b"),
    ]


def test_a_reference_may_lead_deep_into_an_operation() -> None:
    shared = [{"name": "q", "in": "query", "schema": {"type": "string"}}]
    paths = {
        "/a": {"get": {"parameters": shared}},
        "/b": {"get": {"parameters": [{"$ref": "#/paths/~1a/get/parameters/0"}]}},
    }
    first, second = operations(paths)

    assert first.parameters == second.parameters != ()


def test_references_in_a_circle_are_told() -> None:
    paths = {"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}}

    assert operations(paths) == ()
    assert [text.partition(" (")[0].rpartition(": ")[2] for text in problems(paths)] == [
        "the references form a circle",
        "the references form a circle",
    ]


def test_what_stands_beside_a_reference_replaces_the_description() -> None:
    components = {"parameters": {"Q": {"name": "q", "in": "query", "description": "any"}}}
    given = [{"$ref": "#/components/parameters/Q", "description": "this one"}]

    assert one({"parameters": given}, components=components).parameters[0].description == "this one"


def test_a_problem_in_a_component_is_told_where_it_is_and_once() -> None:
    components = {"parameters": {"Q": {"name": "q", "in": "query", "schema": 7}}}
    operation = {"summary": "A", "parameters": [{"$ref": "#/components/parameters/Q"}]}
    paths = {
        "/a": {"get": {**operation, "operationId": "a"}},
        "/b": {"get": {**operation, "operationId": "b"}},
    }
    read = load(document(paths, components=components))
    expected = Problem(
        "/components/parameters/Q/schema", "is no schema", "error", "any value is accepted"
    )

    assert read.problems == (expected,)
    assert [each.problems for each in read.operations] == [(expected,), (expected,)]


@pytest.mark.parametrize("path", ["/#Action=A", "/a?b=true", "/{a}{b}", "/{x}.json", "/a:do"])
def test_paths_of_every_form_are_operations(path: str) -> None:
    (operation,) = operations({path: {"get": NAMED}})

    assert (operation.path, [each.name for each in operation.parameters]) == (
        path,
        re.findall(r"\{(\w+)\}", path),
    )


def test_a_path_without_a_slash_gets_one() -> None:
    paths = {"a": {"get": NAMED}}

    assert [(each.path, each.pointer) for each in operations(paths)] == [("/a", "/paths/a/get")]
    assert problems(paths) == ["/paths/a: the path does not begin with `/` (read as /a)"]


def test_swagger_is_read_as_openapi() -> None:
    read = load(
        {
            "swagger": "2.0",
            "info": {"title": "Old", "version": "1"},
            "host": "old.test",
            "basePath": "/v1",
            "schemes": ["https"],
            "consumes": ["application/json"],
            "securityDefinitions": {"login": {"type": "basic"}},
            "parameters": {"Q": {"name": "q", "in": "query", "type": "string"}},
            "paths": {
                "/a/{id}": {
                    "parameters": [
                        {"name": "id", "in": "path", "required": True, "type": "integer"}
                    ],
                    "post": {
                        **NAMED,
                        "parameters": [
                            {"$ref": "#/parameters/Q"},
                            {"name": "it", "in": "body", "schema": {"type": "object"}},
                            {"in": "query"},
                        ],
                    },
                }
            },
        }
    )
    (operation,) = read.operations

    assert (read.specification, read.servers) == ("2.0", (Server(url="https://old.test/v1"),))
    assert [(each.name, each.schema) for each in operation.parameters] == [
        ("id", {"type": "integer"}),
        ("q", {"type": "string"}),
    ]
    assert operation.request_body == RequestBody(
        content=(MediaType(name="application/json", schema={"type": "object"}),)
    )
    assert read.security_schemes["login"].scheme == "basic"
    assert [(each.pointer, each.severity) for each in read.problems] == [
        ("/paths/~1a~1{id}/post/parameters/2", "error")
    ]


@pytest.mark.parametrize(
    ("content", "specification", "told"),
    [
        ({"openapi": "3.0.4"}, "3.0", []),
        ({"openapi": 3.1}, "3.1", []),
        ({"openapi": "3.2.0-rc1"}, "3.2", []),
        ({"swagger": 2}, "2.0", []),
        ({"openapi": "3.7.0"}, "3.2", ["/openapi: version 3.7.0 is newer than what is known"]),
        (
            {"swagger": "3.0.0"},
            "3.0",
            ["/swagger: OpenAPI says its version under `openapi`, not `swagger: 3.0.0`"],
        ),
    ],
    ids=str,
)
def test_versions_are_told(content: dict[str, Any], specification: str, told: list[str]) -> None:
    read = load({**content, "paths": {}})
    found = [f"{each.pointer}: {each.what}" for each in read.problems]

    assert (read.specification, found[: len(told)]) == (specification, told)


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        ({"asyncapi": "3.0.0", "channels": {}}, "an AsyncAPI document"),
        ({"swaggerVersion": "1.2", "apis": []}, "a Swagger 1.x document"),
        ({"swagger": "1.2"}, "a Swagger 1.x document"),
        ({"info": {"_postman_id": "x"}, "item": []}, "a Postman collection"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "a JSON Schema"),
        ({"arazzo": "1.0.0"}, "an Arazzo document"),
        ({"paths": {}}, "it has `paths`, but says no version"),
    ],
    ids=str,
)
def test_documents_of_another_kind_are_named(content: dict[str, Any], looks_like: str) -> None:
    with pytest.raises(NotOpenAPI) as caught:
        load(content)
    assert looks_like in caught.value.found


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (None, "/paths: is empty (there are no operations)"),
        ([], "/paths: is no object (there are no operations)"),
        ({"/a": None}, "/paths/~1a: is empty (there are no operations)"),
    ],
    ids=str,
)
def test_documents_without_operations_say_why(paths: Any, told: str) -> None:
    assert problems(paths) == [told]


words = st.sampled_from(
    (
        *("get", "post", "GET", "parameters", "requestBody", "content", "schema", "responses"),
        *("callbacks", "links", "headers", "examples", "encoding", "servers", "variables", "url"),
        *("security", "securitySchemes", "flows", "scopes", "name", "in", "type", "$ref", "/a"),
        *("200", "query", "additionalOperations", "required", "properties", "enum", "x-a", ""),
    )
)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-3, 400)
    | st.text(max_size=3)
    | st.sampled_from(["path", "query", "body", "formData", "object", "#/paths/~1a", "#", "x.yaml"])
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=20,
)
items = st.dictionaries(words, values, max_size=4)
whole = st.fixed_dictionaries(
    {"paths": st.dictionaries(st.sampled_from(["/a", "/b/{id}", "c", "x-a", ""]), items | values)},
    optional=dict.fromkeys(
        ("info", "servers", "security", "components", "webhooks", "parameters", "host"), values
    ),
)


@settings(max_examples=examples(200))
@given(whole, st.sampled_from([{"openapi": "3.0.3"}, {"openapi": "3.2.0"}, {"swagger": "2.0"}]))
def test_whatever_a_document_says_it_is_read_and_nothing_is_lost_silently(
    content: dict[str, Any], version: dict[str, str]
) -> None:
    read = load({**version, **content})
    for each in (*read.operations, *read.webhooks):
        asdict(each)
    found = {each.pointer for each in read.operations}
    errors = {each.pointer for each in read.problems if each.severity == "error"}
    errors |= {each.removesuffix("/$ref") for each in errors}

    for path, item in content["paths"].items():
        if path.startswith("x-") or not isinstance(item, dict):
            continue
        for key in item:
            pointer = join_pointer("paths", path, key)
            is_lost = join_pointer("paths", path) in errors
            assert key.lower() not in METHODS or is_lost or pointer in found | errors


COLONS: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "colons.json").read_text("utf-8")
)


@pytest.mark.parametrize("row", COLONS, ids=[each["name"] for each in COLONS])
@pytest.mark.parametrize("is_shared", [False, True])
def test_a_parameter_with_a_colon_is_one_and_a_custom_verb_is_none(
    row: JsonObject, is_shared: bool
) -> None:
    declared = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in row["declared"]
    ]
    operation: JsonObject = {"responses": {"200": {"description": "ok"}}}
    item = {"get": operation, "parameters": declared}
    if not is_shared:
        item = {"get": {**operation, "parameters": declared}}
    api = load(document({row["path"]: item}))
    (found,) = api.operations
    assert found.path == row["read"]
    told = [each for each in api.problems if "with a colon" in each.what]
    assert [each.action for each in told] == [f"read as {row['read']}"] * (
        row["path"] != row["read"]
    )
    assert not [each for each in api.problems if each.action == "left out"]


def test_a_parameter_with_a_colon_is_in_the_name_the_tool_and_the_request() -> None:
    api = load(document({"/b/:id": {"get": {"responses": {"200": {"description": "ok"}}}}}))
    (tool,) = catalog(api).tools
    assert [each.name for each in tool.inputs] == ["id"]
    assert tool.checks["required"] == ["id"]
    request = build_request(tool, {"id": "7/8"}, server="https://h")
    assert request.url == "https://h/b/7%2F8"
