"""The ways to write a request that matter in practice, against a server that keeps the bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import pytest
from tests.support.recorder import Received, Recorder, recording, tool_of

from restwright.calls.arguments.check import check
from restwright.calls.request.files import data_url_from_bytes
from restwright.jsontypes import Json, JsonObject
from restwright.testing import document

STRINGS: JsonObject = {"type": "array", "items": {"type": "string"}}
PERSON: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as found:
        yield found


def parameter(place: str, schema: Json, name: str = "v", **more: Json) -> JsonObject:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "schema": schema, **required, **more}


def body(media_type: str, schema: Json, **more: Json) -> JsonObject:
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema, **more}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One operation, the arguments of a call of it, and what must arrive."""

    operation: JsonObject
    arguments: JsonObject
    path: str = "/c"
    method: str = "get"
    target: str = "/c"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes | Callable[[Received], None] = b""


def query(schema: Json, value: Json, target: str, name: str = "v", **more: Json) -> Case:
    return Case(
        operation={"parameters": [parameter("query", schema, name, **more)]},
        arguments={"v" if name == "v" else "filter_name": value},
        target=f"/c?{target}",
    )


def in_path(schema: Json, value: Json, target: str, **more: Json) -> Case:
    return Case(
        operation={"parameters": [parameter("path", schema, **more)]},
        arguments={"v": value},
        path="/c/{v}/end",
        target=f"/c/{target}/end",
    )


def posted(
    media_type: str,
    schema: Json,
    arguments: JsonObject,
    sent: bytes | Callable[[Received], None],
    *,
    method: str = "post",
    **more: Json,
) -> Case:
    headers = {} if "multipart" in media_type else {"content-type": media_type}
    return Case(
        operation=body(media_type, schema, **more),
        arguments=arguments,
        method=method,
        headers=headers,
        body=sent,
    )


def compact(value: Json) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def parts_of(received: Received) -> list[Message]:
    head = f"Content-Type: {received.header('content-type')}\r\n\r\n".encode()
    message: Any = BytesParser(policy=HTTP).parsebytes(head + received.body)
    return list(message.iter_parts())


def a_field_and_a_file(received: Received) -> None:
    note, image = parts_of(received)
    assert note["Content-Disposition"] == 'form-data; name="note"'
    assert note.get_payload(decode=True) == b"hello"
    assert image["Content-Disposition"] == 'form-data; name="file"; filename="a.png"'
    assert image["Content-Type"] == "image/png"
    assert image.get_payload(decode=True) == PNG


OBJECT: JsonObject = {"type": "object", "additionalProperties": {"type": "string"}}
CASES: dict[str, Case] = {
    "query array form explode": query(STRINGS, ["a", "b"], "v=a&v=b"),
    "query array form not exploded": query(STRINGS, ["a", "b"], "v=a,b", explode=False),
    "query array spaceDelimited": query(
        STRINGS, ["a", "b"], "v=a%20b", style="spaceDelimited", explode=False
    ),
    "query array pipeDelimited": query(
        STRINGS, ["a", "b"], "v=a%7Cb", style="pipeDelimited", explode=False
    ),
    "query object deepObject": query(
        OBJECT, {"a": "1", "b": "x y"}, "v%5Ba%5D=1&v%5Bb%5D=x%20y", style="deepObject"
    ),
    "query object form explode": query(OBJECT, {"a": "1", "b": "2"}, "a=1&b=2"),
    "query object form not exploded": query(
        OBJECT, {"a": "1", "b": "2"}, "v=a,1,b,2", explode=False
    ),
    "path array simple": in_path(STRINGS, ["a", "b"], "a,b"),
    "path scalar label": in_path({"type": "string"}, "x", ".x", style="label"),
    "path scalar matrix": in_path({"type": "string"}, "x", ";v=x", style="matrix"),
    "path value escaped": in_path({"type": "string"}, "a/b c", "a%2Fb%20c"),
    "header array simple": Case(
        operation={"parameters": [parameter("header", STRINGS, "X-V")]},
        arguments={"X_V": ["a", "b"]},
        headers={"x-v": "a,b"},
    ),
    "cookie parameter": Case(
        operation={"parameters": [parameter("cookie", {"type": "string"}, "sid")]},
        arguments={"sid": "abc"},
        headers={"cookie": "sid=abc"},
    ),
    "query boolean": query({"type": "boolean"}, True, "v=true"),
    "query content json": Case(
        operation={
            "parameters": [
                {"name": "v", "in": "query", "content": {"application/json": {"schema": OBJECT}}}
            ]
        },
        arguments={"v": {"a": "1"}},
        target="/c?v=%7B%22a%22%3A%221%22%7D",
    ),
    "query name with brackets": query(
        {"type": "string"}, "x", "filter%5Bname%5D=x", name="filter[name]"
    ),
    "json object body": posted(
        "application/json", PERSON, {"name": "A", "age": 3}, compact({"name": "A", "age": 3})
    ),
    "json array body": posted("application/json", STRINGS, {"body": ["a"]}, b'["a"]'),
    "json allOf body": posted(
        "application/json",
        {"allOf": [PERSON, {"type": "object", "properties": {"b": {"type": "integer"}}}]},
        {"name": "A", "b": 1},
        compact({"name": "A", "b": 1}),
    ),
    "json oneOf body": posted(
        "application/json",
        {"oneOf": [PERSON, {"type": "object", "required": ["x"]}]},
        {"body": {"name": "A"}},
        compact({"name": "A"}),
    ),
    "merge patch": posted(
        "application/merge-patch+json", PERSON, {"name": "A"}, b'{"name":"A"}', method="patch"
    ),
    "urlencoded body": posted(
        "application/x-www-form-urlencoded", PERSON, {"name": "A b&c", "age": 3},
        b"name=A%20b%26c&age=3",
    ),
    "multipart body with file": posted(
        "multipart/form-data",
        {
            "type": "object",
            "properties": {
                "note": {"type": "string"},
                "file": {"type": "string", "format": "binary"},
            },
        },
        {"note": "hello", "file": data_url_from_bytes(PNG, name="a.png")},
        a_field_and_a_file,
    ),
    "octet-stream body": posted(
        "application/octet-stream",
        {"type": "string", "format": "binary"},
        {"body": data_url_from_bytes(PNG)},
        PNG,
    ),
    "text body": posted("text/plain", {"type": "string"}, {"body": "hello"}, b"hello"),
    "path id and body id differ": Case(
        operation={
            "parameters": [parameter("path", {"type": "string"}, "id")],
            **body(
                "application/json",
                {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            ),
        },
        arguments={"id": "p", "body_id": "b"},
        path="/c/{id}",
        method="put",
        target="/c/p",
        headers={"content-type": "application/json"},
        body=b'{"id":"b"}',
    ),
    "camelCase names kept": Case(
        operation={
            "parameters": [parameter("query", {"type": "integer"}, "pageSize")],
            **body(
                "application/json",
                {"type": "object", "properties": {"firstName": {"type": "string"}}},
            ),
        },
        arguments={"pageSize": 2, "firstName": "A"},
        method="post",
        target="/c?pageSize=2",
        body=b'{"firstName":"A"}',
    ),
    "explicit null kept": posted(
        "application/json",
        {"type": "object", "properties": {"name": {"type": ["string", "null"]}}},
        {"name": None},
        b'{"name":null}',
        method="patch",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_server_receives_what_the_document_says(recorder: Recorder, name: str) -> None:
    case = CASES[name]
    operation = {**case.operation, "responses": {"200": {"description": "ok"}}}
    tool = tool_of(document({case.path: {case.method: operation}}))

    assert check(tool, case.arguments) == ()
    received = recorder.receive(tool, case.arguments)

    assert (received.method, received.target) == (case.method.upper(), case.target)
    assert {key: received.header(key) for key in case.headers} == case.headers
    if callable(case.body):
        case.body(received)
    else:
        assert received.body == case.body


def test_there_are_28_cases() -> None:
    assert len(CASES) == 28
