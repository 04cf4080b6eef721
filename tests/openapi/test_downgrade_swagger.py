"""OpenAPI in Swagger 2.0: what it says there, and what is told."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.openapi.downgrade_swagger import downgrade_to_swagger
from restwright.openapi.upgrade import upgrade_document

JSON = "application/json"
OK = {"200": {"description": "It."}}


def swagger(**members: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A document of these members, and its notes by place."""
    whole: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
    made, problems = downgrade_to_swagger(upgrade_document({**whole, "paths": {}, **members}))
    assert load(made).problems is not None
    return made, {problem.pointer: f"{problem.what} ({problem.action})" for problem in problems}


def operation(**members: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The same of one operation, `POST /a`, and its notes below it."""
    made, notes = swagger(paths={"/a": {"post": {"operationId": "a", "responses": OK, **members}}})
    return made["paths"]["/a"]["post"], {
        place.removeprefix("/paths/~1a/post"): note for place, note in notes.items()
    }


def test_a_document_of_2_0_comes_back_as_it_was() -> None:
    old: dict[str, Any] = {
        "swagger": "2.0",
        "info": {"title": "Old", "version": "1"},
        "host": "old.test",
        "basePath": "/v1",
        "schemes": ["https", "http"],
        "securityDefinitions": {
            "basic": {"type": "basic"},
            "key": {"type": "apiKey", "in": "query", "name": "k"},
            "login": {
                "type": "oauth2",
                "flow": "accessCode",
                "authorizationUrl": "https://old.test/a",
                "tokenUrl": "https://old.test/t",
                "scopes": {"read": "Reads."},
            },
        },
        "security": [{"login": ["read"]}, {"key": []}],
        "parameters": {"page": {"name": "page", "in": "query", "type": "integer"}},
        "responses": {"Gone": {"description": "Gone."}},
        "definitions": {
            "A": {
                "type": "object",
                "discriminator": "kind",
                "required": ["kind"],
                "properties": {
                    "kind": {"type": "string"},
                    "next": {"$ref": "#/definitions/A"},
                    "size": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                },
                "additionalProperties": False,
            }
        },
        "paths": {
            "/a/{ids}": {
                "parameters": [
                    {
                        "name": "ids",
                        "in": "path",
                        "required": True,
                        "type": "array",
                        "items": {"type": "string"},
                    }
                ],
                "get": {
                    "operationId": "get",
                    "parameters": [
                        {"$ref": "#/parameters/page"},
                        *(
                            {
                                "name": name,
                                "in": "query",
                                "type": "array",
                                "items": {"type": "string"},
                                "collectionFormat": name,
                            }
                            for name in ("ssv", "pipes", "multi")
                        ),
                    ],
                    "produces": [JSON],
                    "responses": {
                        "200": {"description": "It.", "schema": {"$ref": "#/definitions/A"}},
                    },
                },
                "put": {
                    "operationId": "put",
                    "consumes": ["multipart/form-data"],
                    "parameters": [
                        {"name": "image", "in": "formData", "required": True, "type": "file"},
                        {"name": "title", "in": "formData", "type": "string", "maxLength": 9},
                    ],
                    "security": [],
                    "responses": {**OK, "410": {"$ref": "#/responses/Gone"}},
                },
            }
        },
    }
    made, problems = downgrade_to_swagger(upgrade_document(old))
    assert made == {
        **old,
        "paths": {
            "/a/{ids}": {
                # The parameters of a path item are those of each operation once it is upgraded.
                method: {
                    **old["paths"]["/a/{ids}"][method],
                    "parameters": [
                        *old["paths"]["/a/{ids}"]["parameters"],
                        *old["paths"]["/a/{ids}"][method]["parameters"],
                    ],
                }
                for method in ("get", "put")
            }
        },
    }
    assert problems == ()


@pytest.mark.parametrize(
    ("servers", "expected", "told"),
    [
        ([{"url": "/v1"}], {"basePath": "/v1"}, []),
        (
            [{"url": "http://a.test:8000/"}, {"url": "https://a.test:8000/"}],
            {"host": "a.test:8000", "schemes": ["http", "https"]},
            [],
        ),
        (
            [{"url": "https://{r}.a.test", "variables": {"r": {"default": "eu"}}}],
            {"host": "eu.a.test", "schemes": ["https"]},
            ["/servers/0/variables"],
        ),
        (
            [{"url": "https://a.test/v1"}, {"url": "https://b.test/v1"}],
            {"host": "a.test", "basePath": "/v1", "schemes": ["https"]},
            ["/servers/1"],
        ),
    ],
)
def test_servers(servers: Any, expected: dict[str, Any], told: list[str]) -> None:
    made, notes = swagger(servers=servers)
    assert {key: made.get(key) for key in expected} == expected
    assert [*notes] == told


def test_authentication_that_is_not_there_is_told() -> None:
    made, notes = swagger(
        components={
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "open": {"type": "openIdConnect", "openIdConnectUrl": "https://a.test"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "c"},
                "mutual": {"type": "mutualTLS"},
            }
        },
        security=[{"token": []}, {"open": []}, {"token": [], "cookie": []}],
    )
    assert made["securityDefinitions"] == {
        "token": {"type": "apiKey", "in": "header", "name": "Authorization"}
    }
    assert made["security"] == [{"token": []}, {"token": []}]
    assert [place.rpartition("/")[2] for place in notes] == ["token", "open", "cookie", "mutual"]


def test_what_a_parameter_cannot_say_is_told() -> None:
    made, notes = operation(
        parameters=[
            {"name": "c", "in": "cookie", "schema": {"type": "string"}},
            {"name": "Accept", "in": "header", "schema": {"type": "string"}},
            {"name": "o", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
            {"name": "j", "in": "query", "content": {JSON: {"schema": {"type": "object"}}}},
            {"name": "n", "in": "query", "schema": {"type": ["integer", "null"]}},
            {"name": "d", "in": "query", "deprecated": True, "schema": {"type": "boolean"}},
        ]
    )
    assert made["parameters"] == [
        {"name": "o", "in": "query", "type": "string"},
        {"name": "j", "in": "query", "type": "string"},
        {"name": "n", "in": "query", "type": "integer", "x-nullable": True},
        {"name": "d", "in": "query", "type": "boolean"},
    ]
    assert notes["/parameters/0"] == "Swagger 2.0 has no parameter in a cookie (left out)"
    assert "/parameters/1" not in notes
    assert "said as a text" in notes["/parameters/2/schema"]
    assert "said as a text" in notes["/parameters/3/content"]
    assert "x-nullable" in notes["/parameters/4/schema/nullable"]
    assert "/parameters/5/deprecated" in notes


def test_a_body_is_one_and_what_is_unlike_it_is_told() -> None:
    either: Any = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    schema: Any = {"type": "object", "properties": {"a": either}}
    made, notes = operation(
        requestBody={
            "required": True,
            "content": {
                "text/csv": {"schema": {"type": "string"}},
                JSON: {"schema": schema},
                "application/x-json": {"schema": schema},
                "multipart/form-data": {"schema": schema},
            },
        },
        callbacks={"on": {"{$url}": {"post": {"responses": OK}}}},
    )
    assert made["consumes"] == [JSON, "application/x-json"]
    written: Any = {"type": "object", "properties": {"a": {}}}
    assert made["parameters"] == [
        {"name": "body", "in": "body", "required": True, "schema": written}
    ]
    content = "/requestBody/content"
    assert f"{content}/text~1csv" in notes
    assert f"{content}/multipart~1form-data" in notes
    assert f"{content}/application~1json/schema/properties/a/anyOf" in notes
    assert "/callbacks" in notes


def test_fields_of_a_form_are_parameters() -> None:
    made, notes = operation(
        requestBody={
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["file"],
                        "properties": {
                            "file": {"type": "string", "format": "binary", "description": "It."},
                            "tags": {"type": "array", "items": {"type": "string"}},
                            "meta": {"type": "object"},
                        },
                    },
                    "encoding": {"meta": {"contentType": JSON}},
                }
            }
        }
    )
    file, tags, meta = made["parameters"]
    assert file == {
        "name": "file", "in": "formData", "description": "It.", "required": True, "type": "file",
    }  # fmt: skip
    assert tags["collectionFormat"] == "multi"
    assert meta["type"] == "string"
    form = "/requestBody/content/multipart~1form-data"
    assert [*notes] == [
        f"{form}/encoding/meta/contentType",
        f"{form}/schema/properties/meta/schema",
        "/requestBody/required",
    ]


def test_responses_have_one_schema_and_a_status_by_number() -> None:
    one, other = {"type": "string"}, {"type": "integer"}
    made, notes = operation(
        responses={
            "2XX": {
                "content": {JSON: {"schema": one, "example": "a"}, "text/csv": {"schema": other}},
                "headers": {"X-Left": {"schema": {"type": "integer"}}},
                "links": {"next": {"operationId": "a"}},
            }
        }
    )
    assert made["produces"] == [JSON, "text/csv"]
    assert made["responses"] == {
        "200": {
            "description": "",
            "schema": one,
            "examples": {JSON: "a"},
            "headers": {"X-Left": {"type": "integer"}},
        }
    }
    assert [*notes] == [
        "/responses/2XX/content/text~1csv", "/responses/2XX/links", "/responses/2XX",
    ]  # fmt: skip


def test_a_schema_that_stands_elsewhere_becomes_a_definition() -> None:
    here = "#/paths/~1a/post/responses/200/content/application~1json/schema"
    made, notes = swagger(
        paths={
            "/a": {
                "post": {
                    "responses": {
                        "200": {
                            "description": "It.",
                            "content": {
                                JSON: {"schema": {"properties": {"again": {"$ref": here}}}}
                            },
                        }
                    }
                }
            }
        }
    )
    again = {"$ref": "#/definitions/schema"}
    assert made["definitions"] == {"schema": {"properties": {"again": again}}}
    assert notes == {}


@pytest.mark.parametrize(
    "members",
    [
        {"servers": ["https://a.test"], "security": ["key"], "components": None},
        {"paths": {"/a": None, "/b": {"parameters": None, "get": {"responses": {"200": "It."}}}}},
        {"paths": {"/a": {"get": {"parameters": ["a"], "responses": None, "security": [None]}}}},
        {"components": {"schemas": None, "parameters": []}},
    ],
    ids=str,
)
def test_what_is_malformed_ends_nothing(members: dict[str, Any]) -> None:
    made, _ = swagger(**members)
    assert made["swagger"] == "2.0"
