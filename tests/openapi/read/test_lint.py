from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.openapi.read.lint import MAX_OF_A_KIND
from restwright.testing import document, never

GOOD = {"operationId": "a", "summary": "A", "responses": {"200": {"description": "ok"}}}


def said(paths: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    found = load(document(paths, **more), retrieve=never).problems
    return [(each.severity, f"{each.pointer}: {each.what}") for each in found]


def said_of_schema(schema: Any) -> list[str]:
    found = said({}, components={"schemas": {"S": schema}})
    return [text.removeprefix("/components/schemas/S") for _, text in found]


def test_a_good_document_gives_no_cause() -> None:
    schemas = {
        "Pet": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "enum": ["a", "b"], "pattern": r"^\w$"}},
        },
        "Owned": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["owner"]}]},
    }
    paths = {
        "/a/{id}": {"get": {**GOOD, "parameters": [{"name": "id", "in": "path", "schema": {}}]}}
    }
    paths["/a/{id}"]["get"]["parameters"][0]["required"] = True

    assert said(paths, components={"schemas": schemas}) == []


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"operationId": "x"}, ("warning", "has no summary and no description")),
        ({"summary": "X"}, ("information", "has no `operationId`")),
        (
            {**GOOD, "security": [{"key": []}]},
            ("warning", "the security scheme 'key' is not defined"),
        ),
        (
            {**GOOD, "requestBody": {"content": {"application/json": {}}}},
            ("warning", "GET with a body, which many servers and proxies drop"),
        ),
        (
            {
                **GOOD,
                "parameters": [
                    {"name": "q", "in": "query", "required": True, "schema": {"default": 1}}
                ],
            },
            ("information", "the parameter 'q' is required and has a default"),
        ),
        (
            {**GOOD, "callbacks": {"done": {"{$request.query.url}": {}}}},
            ("information", "callbacks are what the API calls"),
        ),
    ],
)
def test_what_is_doubtful_in_an_operation_is_said(
    operation: dict[str, Any], expected: tuple[str, str]
) -> None:
    ((severity, text),) = said({"/a": {"get": operation}})

    assert (severity, text.partition(": ")[2]) == expected


def test_operations_that_cannot_be_told_apart_are_named() -> None:
    other = {**GOOD, "operationId": "b"}
    paths = {"/a/{x}": {"post": GOOD}, "/a/{y}": {"post": other}}
    found = [text for _, text in said(paths) if "no parameter" not in text]

    assert found == [
        "/paths/~1a~1{y}/post: a server cannot tell the path from that of POST /a/{x}",
    ]


def test_an_id_that_stands_twice_is_told_where_no_name_can_be_made_of_it() -> None:
    paths = {path: {"get": {**GOOD, "operationId": "\u83b7"}} for path in ("/a", "/b")}
    named = {path: {"get": {**GOOD, "operationId": "list"}} for path in ("/a", "/b")}

    assert said(named) == []
    assert said(paths) == [
        ("warning", "/paths/~1b/get: the operationId '\u83b7' is also that of GET /a")
    ]


@pytest.mark.parametrize(
    "paths",
    [
        {"/a": {"get": {**GOOD, "parameters": [{"$ref": "p.yaml#/P"}]}}},
        {"/a": {"$ref": "p.yaml#/P"}},
        {"/a": {"get": {**GOOD, "requestBody": {"$ref": "p.yaml#/P"}}}},
    ],
)
def test_a_reference_to_a_file_names_the_option_by_which_it_is_read(paths: dict[str, Any]) -> None:
    [problem] = load(document(paths), retrieve=never).problems

    assert problem.pointer.endswith("/$ref")
    assert problem.action == "left out; `--allow-refs DIR` reads files"


def test_an_unencrypted_server_is_told_from_one_of_this_machine() -> None:
    servers = [
        {"url": "http://api.test"},
        {"url": "http://localhost:80"},
        {"url": "https://b.test"},
    ]

    assert said({}, servers=servers) == [
        ("warning", "/servers/0: the server 'http://api.test' is not encrypted")
    ]


@pytest.mark.parametrize("url", ["localhost:8000/v1", "javascript:alert(1)", "ftp://a.test"])
def test_a_server_that_is_no_http_url_is_told(url: str) -> None:
    servers = [{"url": "https://a.test"}, {"url": url}]

    assert said({}, servers=servers) == [
        ("warning", f"/servers/1: the server {url!r} is no http URL")
    ]


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("wss://b.test", "the server 'wss://b.test' is no http URL"),
        ("https://b.test/#x", "the URL of the server 'https://b.test/#x' holds a fragment"),
        ("https://b.test?x", "the URL of the server 'https://b.test?x' holds a query"),
        ("https://u:p@b.test", "the URL of the server 'https://***@b.test' holds user information"),
    ],
)
def test_servers_of_every_level_are_looked_at(url: str, what: str) -> None:
    servers = [{"url": url}]
    root = [text for _, text in said({}, servers=servers)]

    assert said({"/a": {"get": {**GOOD, "servers": servers}}}) == [
        ("warning", f"/paths/~1a/get/servers/0: {what}")
    ]
    assert said(
        {"/a": {"get": GOOD, "post": {**GOOD, "operationId": "b"}, "servers": servers}}
    ) == [("warning", f"/paths/~1a/servers/0: {what}")]
    assert root == [f"/servers/0: {what}"]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"parameters": [None]}, "/parameters/0: is no object"),
        (
            {"parameters": [{"name": "a", "in": "query"}]},
            "/parameters/0: has no `schema` and no `content`",
        ),
        (
            {"parameters": [{"name": "a", "in": "query", "schema": {}, "content": {"a/b": {}}}]},
            "/parameters/0: has a `schema` and `content`",
        ),
        ({"responses": {"abc": {}}}, "/responses/abc: 'abc' is no status"),
        (
            {"responses": {"200": {"$ref": "#/no"}}},
            "/responses/200/$ref: cannot resolve $ref '#/no': there is no 'no' on the way",
        ),
    ],
)
def test_parts_of_an_operation_that_are_none_are_told_once(
    operation: dict[str, Any], expected: str
) -> None:
    [(_, text)] = said({"/a": {"get": {**GOOD, **operation}}})

    assert text == f"/paths/~1a/get{expected}"


def test_what_is_said_is_bounded() -> None:
    name = "n" * 5000
    found = load(document({f"/{{{name}}}": {"get": GOOD}})).problems

    assert [len(each.what) for each in found] == [300]


def test_a_document_without_a_server_is_told() -> None:
    assert said({}, servers=[{"url": "/v1"}]) == [
        (
            "warning",
            "/servers: no server is named that can be found without the document's own URL",
        )
    ]


@pytest.mark.parametrize(
    ("scheme", "severity"),
    [
        ({"type": "magic"}, "warning"),
        ({"type": "apiKey", "in": "header"}, "error"),
        ({"type": "http"}, "error"),
        ({"type": "oauth2"}, "warning"),
    ],
)
def test_security_schemes_that_cannot_be_used_are_told(
    scheme: dict[str, Any], severity: str
) -> None:
    ((found, text),) = said({}, components={"securitySchemes": {"s": scheme}})

    assert (found, text.partition(":")[0]) == (severity, "/components/securitySchemes/s")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "int"}, "/type: 'int' is no type of a schema"),
        ({"enum": []}, "/enum: has no values"),
        ({"enum": ["a", "a"]}, '/enum: "a" stands twice'),
        ({"type": "string", "enum": [1]}, "/enum: none of the values is of the type 'string'"),
        ({"enum": ["a"], "default": "b"}, "/default: 'b' is not among the values of `enum`"),
        ({"minimum": "low"}, "/minimum: 'low' is no number"),
        ({"maximum": True}, "/maximum: True is no number"),
        ({"multipleOf": 0}, "/multipleOf: 0 is no positive number"),
        ({"minLength": -1}, "/minLength: -1 is no count"),
        ({"maxItems": 2.5}, "/maxItems: 2.5 is no count"),
        ({"minimum": 3, "maximum": 1}, "/minimum: `minimum` 3 is over `maximum` 1"),
        (
            {"properties": {"a": {}}, "required": ["b"]},
            "/required: there is no property 'b'",
        ),
        ({"required": "a"}, "/required: is no list"),
        ({"oneOf": []}, "/oneOf: has no schemas"),
        (
            {"discriminator": {"propertyName": "a", "mapping": {"x/y": "#/components/schemas/N"}}},
            "/discriminator/mapping/x~1y: there is no schema '#/components/schemas/N'",
        ),
        (
            {"discriminator": {"propertyName": "a", "mapping": {"x": "N"}}},
            "/discriminator/mapping/x: there is no schema 'N'",
        ),
        ({"items": {"type": "int"}}, "/items/type: 'int' is no type of a schema"),
        ({"allOf": [{"enum": []}]}, "/allOf/0/enum: has no values"),
    ],
    ids=str,
)
def test_schemas_that_cannot_be_meant_are_told(schema: Any, expected: str) -> None:
    assert said_of_schema(schema) == [expected]


@pytest.mark.parametrize("mapping", ["S", "#/components/schemas/S", "other.yaml", "#S", "a/b"])
def test_a_mapping_to_a_schema_that_may_be_there_is_not_told(mapping: str) -> None:
    schema = {"discriminator": {"propertyName": "a", "mapping": {"x": mapping}}}

    assert said_of_schema(schema) == []


CLOSED = {"additionalProperties": False, "properties": {"a": {}}}


@pytest.mark.parametrize(
    ("schema", "lost"),
    [
        ({"allOf": [CLOSED, {"properties": {"a": {}, "b": {}}}]}, ["b"]),
        ({"allOf": [CLOSED, {"required": ["b"]}]}, ["b"]),
        ({"allOf": [{"properties": {"b": {}}}], **CLOSED}, ["b"]),
        ({"allOf": [CLOSED, {"allOf": [{"properties": {"b": {}}}]}]}, ["b"]),
        ({"allOf": [CLOSED], "properties": {"b": {}}}, ["b"]),
        ({"allOf": [CLOSED, {"properties": {"a": {}}, "required": ["a"]}]}, []),
        ({"allOf": [{**CLOSED, "patternProperties": {"b": {}}}, {"required": ["b"]}]}, []),
        ({"allOf": [{**CLOSED, "additionalProperties": {}}, {"required": ["b"]}]}, []),
        ({"allOf": [{"$ref": "#/components/schemas/S"}, CLOSED]}, []),
    ],
    ids=str,
)
def test_what_a_closed_part_of_all_of_shuts_out_is_told(schema: Any, lost: list[str]) -> None:
    assert said_of_schema(schema) == [
        f"/allOf: `{name}` can never be given: another part of allOf allows no more properties"
        for name in lost
    ]


def test_a_pattern_that_is_none_is_told() -> None:
    assert said_of_schema({"pattern": "("}) == ["/pattern: '(' is no regular expression"]


def test_a_number_that_can_be_read_is_one() -> None:
    numbers = {"minimum": "3", "maximum": 1e3, "maxLength": "20", "minItems": 2.0}
    schema = {**numbers, "exclusiveMinimum": True, "properties": {"minimum": {}, "minLength": {}}}

    assert said_of_schema(schema) == []


def test_a_property_named_enum_is_no_enum() -> None:
    schema = {"properties": {"enum": {"type": "string"}, "required": {}, "type": {}, "default": {}}}

    assert said_of_schema(schema) == []


def test_examples_are_not_taken_for_schemas() -> None:
    assert said_of_schema({"example": {"schema": {"type": "int"}}, "x-a": {"enum": []}}) == []


def test_what_repeats_is_counted() -> None:
    paths = {f"/a{n}": {"get": {"summary": "A"}} for n in range(MAX_OF_A_KIND + 5)}
    found = said(paths)

    assert len(found) == MAX_OF_A_KIND + 1
    assert found[-1] == (
        "information",
        "/paths/~1a20/get: has no `operationId`, and 4 more such places",
    )


def test_every_error_is_listed() -> None:
    paths = {f"/a{n}": {"get": n} for n in range(50)}

    assert len(said(paths)) == 50


def test_a_reference_to_another_file_says_how_it_can_be_read() -> None:
    schemas = {"A": {"$ref": "other.yaml#/A"}, "B": {"$ref": "#/nope"}}
    found = load(document({}, components={"schemas": schemas})).problems

    assert [(each.pointer, each.severity, each.action) for each in found] == [
        (
            "/components/schemas/A/$ref",
            "error",
            "any value is accepted there; `--allow-refs DIR` reads files",
        ),
        ("/components/schemas/B/$ref", "error", "any value is accepted there"),
    ]
