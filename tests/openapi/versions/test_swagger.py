from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.openapi.versions.swagger import (
    ConversionProblem,
    convert_swagger_operation,
    convert_swagger_root,
)

OK = {"200": {"description": "ok"}}


def swagger(**more: Any) -> dict[str, Any]:
    return {"swagger": "2.0", "info": {"title": "Test", "version": "1"}, "paths": {}, **more}


def operation(*parameters: Any, item: Any = (), **more: Any) -> dict[str, Any]:
    return both(*parameters, item=item, **more)[0]


def doubts(*parameters: Any, item: Any = (), **more: Any) -> list[ConversionProblem]:
    return both(*parameters, item=item, **more)[1]


def both(
    *parameters: Any, item: Any = (), root: Any = None, **more: Any
) -> tuple[dict[str, Any], list[ConversionProblem]]:
    return convert_swagger_operation(
        swagger(**(root or {})),
        {"parameters": list(item)},
        {"parameters": list(parameters), **more},
    )


def field(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "formData", "type": "string", **more}


def body(**more: Any) -> dict[str, Any]:
    return {"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Pet"}, **more}


def query(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", **more}


@pytest.mark.parametrize(
    ("more", "urls"),
    [
        ({}, ["/"]),
        ({"basePath": "/v2/"}, ["/v2"]),
        ({"basePath": "v2", "schemes": ["https"]}, ["/v2"]),
        ({"host": "a.test"}, ["https://a.test"]),
        ({"host": "a.test", "basePath": "/"}, ["https://a.test"]),
        (
            {"host": "a.test:81", "basePath": "/v2", "schemes": ["ws", "http", "https"]},
            ["https://a.test:81/v2", "http://a.test:81/v2", "ws://a.test:81/v2"],
        ),
        ({"host": "https://a.test/", "basePath": "/v2"}, ["https://a.test/v2"]),
        ({"host": "a.test", "schemes": "HTTP"}, ["http://a.test"]),
        ({"host": 7, "basePath": [], "schemes": [8]}, ["/"]),
    ],
    ids=str,
)
def test_schemes_host_and_base_path_make_servers(more: Any, urls: list[str]) -> None:
    assert [each["url"] for each in convert_swagger_root(swagger(**more))["servers"]] == urls


def test_servers_of_openapi_count_where_swagger_says_nothing() -> None:
    servers = [{"url": "https://a.test"}]
    assert convert_swagger_root(swagger(servers=servers))["servers"] == servers
    assert convert_swagger_root(swagger(servers=servers, basePath="/b"))["servers"] == [
        {"url": "/b"}
    ]


def test_the_root_keeps_what_openapi_says_alike() -> None:
    kept = {
        "tags": [{"name": "pets"}],
        "security": [{"key": []}],
        "externalDocs": {"url": "https://a.test/docs"},
        "x-more": {"a": 1},
    }
    paths = {"/a": {"get": {"responses": OK}}}
    root = convert_swagger_root(
        swagger(**kept, paths=paths, definitions={"Pet": {}}, consumes=["a/b"])
    )
    assert root == {
        "openapi": "3.2.0",
        "info": {"title": "Test", "version": "1"},
        **kept,
        "servers": [{"url": "/"}],
        "paths": paths,
    }
    assert root["paths"] is paths


def test_security_schemes_get_their_new_names() -> None:
    scopes = {"read": "Read."}
    schemes = convert_swagger_root(
        swagger(
            securityDefinitions={
                "plain": {"type": "basic", "description": "A password."},
                "key": {"type": "apiKey", "in": "header", "name": "X-Key", "x-more": 1},
                "code": {
                    "type": "oauth2",
                    "flow": "accessCode",
                    "authorizationUrl": "https://a.test/a",
                    "tokenUrl": "https://a.test/t",
                    "scopes": scopes,
                    "description": "Ask.",
                },
                "machine": {"type": "oauth2", "flow": "application", "tokenUrl": "https://a.test"},
                "odd": 7,
            }
        )
    )["components"]["securitySchemes"]
    code = {
        "authorizationUrl": "https://a.test/a",
        "tokenUrl": "https://a.test/t",
        "scopes": scopes,
    }
    machine = {"tokenUrl": "https://a.test", "scopes": {}}
    assert schemes == {
        "plain": {"type": "http", "scheme": "basic", "description": "A password."},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key", "x-more": 1},
        "code": {
            "type": "oauth2",
            "description": "Ask.",
            "flows": {"authorizationCode": code},
        },
        "machine": {"type": "oauth2", "flows": {"clientCredentials": machine}},
        "odd": 7,
    }


def test_what_describes_a_value_becomes_its_schema() -> None:
    items = {"type": "integer"}
    one = query(
        type="array", items=items, minItems=1, description="Some.", **{"x-a": 1, "x-nullable": True}
    )
    (parameter,) = operation(one)["parameters"]
    assert parameter == {
        "name": "a",
        "in": "query",
        "description": "Some.",
        "x-a": 1,
        "style": "form",
        "explode": False,
        "schema": {"type": "array", "items": items, "minItems": 1, "x-nullable": True},
    }
    assert parameter["schema"]["items"] is items


@pytest.mark.parametrize(
    ("location", "collection", "expected"),
    [
        ("query", None, {"style": "form", "explode": False}),
        ("query", "csv", {"style": "form", "explode": False}),
        ("query", "multi", {"style": "form", "explode": True}),
        ("query", "ssv", {"style": "spaceDelimited", "explode": False}),
        ("query", "pipes", {"style": "pipeDelimited", "explode": False}),
        (
            "query",
            "tsv",
            {"style": "spaceDelimited", "explode": False, "x-collectionFormat": "tsv"},
        ),
        ("query", ["odd"], {"style": "form", "explode": False}),
        ("cookie", "csv", {"style": "form", "explode": False}),
        ("header", "csv", {"style": "simple", "explode": False}),
        ("path", "pipes", {"style": "simple", "explode": False, "x-collectionFormat": "pipes"}),
    ],
    ids=str,
)
def test_a_collection_format_is_a_style(location: str, collection: Any, expected: Any) -> None:
    written = {} if collection is None else {"collectionFormat": collection}
    (parameter,) = operation({"name": "a", "in": location, "type": "array", **written})[
        "parameters"
    ]
    assert {key: parameter[key] for key in parameter if key not in {"schema", "required"}} == {
        "name": "a",
        "in": location,
        **expected,
    }


def test_a_path_parameter_is_always_required() -> None:
    parameter = {"name": "a", "in": "path", "type": "string", "required": "false"}
    assert operation(parameter)["parameters"][0]["required"] is True
    assert "required" not in operation(query())["parameters"][0]


def test_an_operation_overrides_its_path_item_by_name_and_location() -> None:
    root = {"parameters": {"Page": query("page", type="integer")}}
    parameters = operation(
        query("b", type="boolean"),
        item=[
            query("a"),
            query("b"),
            {"$ref": "#/parameters/Page"},
            {**query("b"), "in": "header"},
        ],
        root=root,
    )["parameters"]
    assert [(each["name"], each["in"], each["schema"]) for each in parameters] == [
        ("a", "query", {}),
        ("page", "query", {"type": "integer"}),
        ("b", "header", {}),
        ("b", "query", {"type": "boolean"}),
    ]


def test_a_body_is_sent_as_what_the_operation_consumes() -> None:
    schema = {"$ref": "#/definitions/Pet"}
    given_body = body(required=True, description="It.", **{"x-a": 1})
    expected = {"required": True, "description": "It.", "x-a": 1}
    xml = {"content": {"application/xml": {"schema": schema}}}
    for root, own, content in (
        ({}, {}, {"content": {"application/json": {"schema": schema}}}),
        ({"consumes": ["application/xml"]}, {}, xml),
        ({"consumes": ["a/b"]}, {"consumes": ["application/xml"]}, xml),
        (
            {"consumes": ["a/b"]},
            {"consumes": []},
            {"content": {"application/json": {"schema": schema}}},
        ),
    ):
        assert operation(given_body, root=root, **own)["requestBody"] == expected | content


def test_an_operation_has_the_body_of_its_path_item_unless_it_has_one() -> None:
    other = {"name": "other", "in": "body", "schema": {"type": "string"}}
    assert "requestBody" in operation(item=[body()])
    content = operation(other, item=[body()])["requestBody"]["content"]
    assert content == {"application/json": {"schema": {"type": "string"}}}
    assert doubts(other, item=[body()]) == []


def test_form_fields_make_an_object() -> None:
    fields = [
        field("a", required=True, description="The a.", format="date"),
        field("b", type="array", items={"type": "string"}, collectionFormat="pipes"),
        field("c", type="array", items={"type": "string"}, collectionFormat="multi"),
    ]
    assert operation(*fields)["requestBody"] == {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string", "format": "date", "description": "The a."},
                        "b": {"type": "array", "items": {"type": "string"}},
                        "c": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["a"],
                },
                "encoding": {"b": {"style": "pipeDelimited", "explode": False}},
            }
        },
    }


def test_a_field_that_stands_twice_is_required_once() -> None:
    content = operation(field(required=True), field(required="true"))["requestBody"]["content"]
    assert content["application/x-www-form-urlencoded"]["schema"]["required"] == ["a"]


@pytest.mark.parametrize(
    ("one", "consumes", "media_types", "what"),
    [
        (field(), None, ["application/x-www-form-urlencoded"], []),
        (field(), ["multipart/form-data"], ["multipart/form-data"], []),
        (
            field(),
            ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"],
            ["application/x-www-form-urlencoded", "multipart/form-data"],
            [],
        ),
        (field(type="file"), None, ["multipart/form-data"], []),
        (
            field(type="file"),
            ["application/x-www-form-urlencoded"],
            ["multipart/form-data"],
            ["a file, but `consumes` has no multipart/form-data"],
        ),
        (
            field(),
            ["application/json"],
            ["application/x-www-form-urlencoded"],
            ["a form field, but `consumes` has no application/x-www-form-urlencoded"],
        ),
    ],
    ids=str,
)
def test_a_form_is_sent_as_a_form(
    one: Any, consumes: Any, media_types: list[str], what: list[str]
) -> None:
    more = {} if consumes is None else {"consumes": consumes}
    assert list(operation(one, **more)["requestBody"]["content"]) == media_types
    assert [each.what for each in doubts(one, **more)] == what


def test_a_file_of_a_form_is_a_binary_string() -> None:
    content = operation(field(type="file"))["requestBody"]["content"]["multipart/form-data"]
    assert content["schema"]["properties"] == {"a": {"type": "string", "format": "binary"}}


def test_a_file_elsewhere_is_a_string_and_doubtful() -> None:
    assert operation(query(type="file"))["parameters"][0]["schema"] == {
        "type": "string",
        "format": "binary",
    }
    assert doubts(query(type="file")) == [
        ConversionProblem(
            ("parameters", 0, "type"), "a file outside a form", "warning", "read as a string"
        )
    ]


@pytest.mark.parametrize(
    ("consumes", "media_types", "actions"),
    [
        (None, ["application/json"], ["left out"]),
        (["multipart/form-data"], ["multipart/form-data"], ["left out"]),
        (
            ["application/json", "multipart/form-data"],
            ["application/json", "multipart/form-data"],
            ["either is accepted"],
        ),
    ],
    ids=str,
)
def test_of_a_body_and_a_form_the_media_types_decide(
    consumes: Any, media_types: list[str], actions: list[str]
) -> None:
    more = {} if consumes is None else {"consumes": consumes}
    assert list(operation(body(), field(), **more)["requestBody"]["content"]) == media_types
    assert [each.action for each in doubts(body(), field(), **more)] == actions


@pytest.mark.parametrize(
    ("parameter", "what"),
    [
        (7, "is no Parameter Object"),
        ({"name": "a"}, "has no `in`"),
        ({"name": "a", "in": "odd"}, "`in` is 'odd'"),
        ({"name": "a", "in": []}, "`in` is '[]'"),
        ({"in": "query"}, "has no `name`"),
        (
            {"$ref": "#/parameters/None"},
            "cannot resolve $ref '#/parameters/None': there is no 'parameters' on the way",
        ),
    ],
    ids=str,
)
def test_a_parameter_that_cannot_be_read_is_left_out(parameter: Any, what: str) -> None:
    assert both(parameter, query()) == (
        {"parameters": [{"name": "a", "in": "query", "schema": {}}]},
        [ConversionProblem(("parameters", 0), what, "error", "left out")],
    )
    assert doubts(item=[parameter]) == [
        ConversionProblem(("parameters", 0), what, "error", "left out", "path item")
    ]


def test_a_second_body_is_left_out() -> None:
    assert doubts(body(), body(name="b")) == [
        ConversionProblem(("parameters", 1), "there is another body before it", "error", "left out")
    ]


def test_a_location_spelled_otherwise_is_read() -> None:
    one = {"name": "a", "in": "formdata", "type": "string"}
    assert "requestBody" in operation(one)
    assert [each.action for each in doubts(one)] == ["read as formData"]


def test_responses_have_content_for_what_is_produced() -> None:
    schema = {"$ref": "#/definitions/Pet"}
    responses = {
        "200": {
            "description": "ok",
            "schema": schema,
            "examples": {"application/json": {"a": 1}, "text/csv": "a"},
            "headers": {
                "X-Ids": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "collectionFormat": "csv",
                    "description": "Which.",
                }
            },
        },
        "404": {"$ref": "#/responses/Missing"},
        "default": {"description": "none", "x-a": 1},
        "x-more": 7,
    }
    root = {
        "produces": ["application/json", "application/xml"],
        "responses": {"Missing": {"description": "not there", "schema": {"type": "string"}}},
    }
    assert operation(responses=responses, root=root)["responses"] == {
        "200": {
            "description": "ok",
            "headers": {
                "X-Ids": {
                    "description": "Which.",
                    "style": "simple",
                    "explode": False,
                    "schema": {"type": "array", "items": {"type": "integer"}},
                }
            },
            "content": {
                "application/json": {"schema": schema, "example": {"a": 1}},
                "application/xml": {"schema": schema},
                "text/csv": {"schema": schema, "example": "a"},
            },
        },
        "404": {
            "description": "not there",
            "content": {
                "application/json": {"schema": {"type": "string"}},
                "application/xml": {"schema": {"type": "string"}},
            },
        },
        "default": {"description": "none", "x-a": 1},
        "x-more": 7,
    }


def test_a_response_without_a_media_type_is_json_and_a_file_bytes() -> None:
    responses = {"200": {"schema": {}}, "201": {"schema": {"type": "file"}}}
    read = operation(responses=responses)["responses"]
    assert list(read["200"]["content"]) == ["application/json"]
    assert list(read["201"]["content"]) == ["application/octet-stream"]


def test_examples_under_names_stay() -> None:
    responses = {"200": {"schema": {}, "examples": {"first": {"a": 1}}}}
    content = operation(responses=responses)["responses"]["200"]["content"]
    assert content["application/json"]["examples"] == {"first": {"value": {"a": 1}}}


def test_the_rest_of_an_operation_stays() -> None:
    kept = {
        "operationId": "a",
        "summary": "A.",
        "tags": ["a"],
        "deprecated": True,
        "security": [{"key": []}, {}],
        "externalDocs": {"url": "https://a.test"},
        "x-more": [1],
        "unknown": 1,
    }
    assert operation(**kept, consumes=["a/b"], produces=["a/b"]) == kept


def test_schemes_of_an_operation_are_its_servers() -> None:
    root = {"host": "a.test", "basePath": "/v2", "schemes": ["https"]}
    assert operation(schemes=["wss"], root=root)["servers"] == [{"url": "wss://a.test/v2"}]
    assert "servers" not in operation(schemes=[], root=root)


@pytest.mark.parametrize(
    ("urls", "flow"),
    [
        (["authorizationUrl"], "implicit"),
        (["authorizationUrl", "tokenUrl"], "authorizationCode"),
        (["tokenUrl"], "clientCredentials"),
    ],
    ids=str,
)
def test_a_flow_without_a_name_is_the_one_of_its_urls(urls: list[str], flow: str) -> None:
    scheme = {"type": "oauth2", **dict.fromkeys(urls, "https://a.test")}
    root = convert_swagger_root(swagger(securityDefinitions={"a": scheme}))
    assert list(root["components"]["securitySchemes"]["a"]["flows"]) == [flow]


def test_of_too_many_media_types_the_first_are_read() -> None:
    many = [f"a/{number}" for number in range(101)]
    assert len(operation(body(), consumes=many)["requestBody"]["content"]) == 100
    assert [each.action for each in doubts(root={"consumes": many})] == ["the first 100 are read"]


KEYS = st.sampled_from(
    [
        *("name", "in", "type", "items", "schema", "required", "parameters", "responses", "200"),
        *("consumes", "produces", "schemes", "host", "basePath", "headers", "examples", "$ref"),
        *("collectionFormat", "securityDefinitions", "flow", "scopes", "definitions", "x-a"),
    ]
)
SCALARS = st.sampled_from(
    [
        *("a", "path", "query", "body", "formData", "array", "file", "oauth2", "a/b", "multi"),
        *("#/parameters/a", "#/responses", "#", "true", 7, -0.5, None, True, ""),
    ]
)
TREES = st.recursive(
    SCALARS, lambda each: st.lists(each, max_size=3) | st.dictionaries(KEYS, each, max_size=5)
)
OBJECTS = st.dictionaries(KEYS, TREES, max_size=6)


@given(OBJECTS, OBJECTS, OBJECTS)
@settings(max_examples=examples(300))
def test_any_tree_is_read_and_left_as_it_is(document: Any, item: Any, one: Any) -> None:
    before = deepcopy((document, item, one))
    convert_swagger_root(document)
    convert_swagger_operation(document, item, one)
    assert (document, item, one) == before
