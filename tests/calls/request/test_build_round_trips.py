"""What is accepted arrives as the same value in every place; what is refused is never sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples
from tests.support.recorder import tool_of

from restwright.calls.approval.approval import approve_all
from restwright.calls.arguments.check import check
from restwright.calls.arguments.repair import repair_arguments
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.build import build_request
from restwright.calls.request.files import data_url_from_bytes
from restwright.calls.response.xml_reader import parse_xml
from restwright.calls.response.xml_schema import value_from_xml
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.messages import Request
from restwright.testing import RecordingTransport, document, reply
from restwright.tools.tool import Tool

MANY = settings(max_examples=examples(60))
HOST = Connection(server="http://h")
TEXT = st.text(st.sampled_from(" ,;=&|.[]%/?#+\"\\'<>:@\t\r\n\0aé☃\ud800"), max_size=6) | st.text(
    max_size=8
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, ANY, max_size=3)


@lru_cache
def posting(media_type: str, written: str) -> Tool:
    """A tool whose body is in `media_type`; `written` is the Media Type Object."""
    content = {media_type: json.loads(written)}
    operation = {"requestBody": {"required": True, "content": content}}
    return tool_of(document({"/c": {"post": operation}}, openapi="3.2.0"))


@lru_cache
def taking(written: str) -> Tool:
    """A tool with one parameter, `q`."""
    parameter = {"name": "q", **json.loads(written)}
    parameter |= {"required": True} if parameter["in"] == "path" else {}
    path = "/a/{q}/z" if parameter["in"] == "path" else "/a"
    return tool_of(document({path: {"get": {"parameters": [parameter]}}}, openapi="3.2.0"))


def sent(tool: Tool, arguments: JsonObject) -> Request | None:
    """The request; None where the arguments are refused, and then nothing is sent."""
    send = RecordingTransport(lambda _: reply(200, {}))
    is_refused = bool(check(tool, repair_arguments(tool, arguments).arguments))
    result = call(tool, arguments, connection=HOST, send=send, approve=approve_all)
    if is_refused:
        assert (result.kind, send.sent) == ("mismatch", [])
        return None
    if check(tool, arguments):
        return None  # It was repaired, so that another value is to arrive.
    assert send.sent[0].body == build_request(tool, arguments, server="http://h").body
    [request] = send.sent
    return request


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON: `1.0` is `1`, but `true` is not."""
    return json.dumps(as_numbers(one)) == json.dumps(as_numbers(other))


def as_numbers(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: as_numbers(each) for key, each in value.items()}
    return [as_numbers(each) for each in value] if is_array(value) else value


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "application/merge-patch+json", "application/vnd.x+json; v=1", "*/*"],
)
@MANY
@given(value=OBJECTS)
def test_json_arrives_as_it_is(media_type: str, value: Json) -> None:
    request = sent(posting(media_type, "{}"), {"body": value})
    if request:
        assert same(json.loads(request.body), value)


@pytest.mark.parametrize(
    ("media_type", "separator"), [("application/x-ndjson", "\n"), ("application/json-seq", "\x1e")]
)
@MANY
@given(value=st.lists(ANY, max_size=4))
def test_sequences_arrive_value_by_value(media_type: str, separator: str, value: Json) -> None:
    request = sent(posting(media_type, '{"itemSchema": {}}'), {"body": value})
    if request:
        lines = request.body.decode().split(separator)
        assert same([json.loads(line) for line in lines if line], value)


def in_path(request: Request) -> str:
    return request.url.removeprefix("http://h/a/").removesuffix("/z")


def in_query(request: Request) -> str:
    return request.url.partition("?q=")[2]


def in_header(request: Request) -> str:
    return dict(request.headers)["q"]


def in_cookie(request: Request) -> str:
    return dict(request.headers)["Cookie"].partition("=")[2]


PLACES: dict[str, Callable[[Request], str]] = {
    "path": in_path,
    "query": in_query,
    "header": in_header,
    "cookie": in_cookie,
}


def decoded(place: str, request: Request) -> str:
    text = PLACES[place](request)
    return text if place == "header" else unquote(text)


@pytest.mark.parametrize("place", PLACES)
@MANY
@given(value=ANY)
def test_a_parameter_with_content_arrives_as_json(place: str, value: Json) -> None:
    written: JsonObject = {"in": place, "content": {"application/json": {"schema": {}}}}
    request = sent(taking(json.dumps(written)), {"q": value})
    if request:
        assert same(json.loads(decoded(place, request)), value)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["integer", "number", "boolean"])
@MANY
@given(value=st.booleans() | st.integers() | st.floats() | TEXT)
def test_numbers_and_literals_arrive_as_they_are(place: str, kind: str, value: Json) -> None:
    request = sent(taking(json.dumps({"in": place, "schema": {"type": kind}})), {"q": value})
    if request:
        assert same(json.loads(decoded(place, request)), value)


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", "application/json"])
@MANY
@given(value=st.dictionaries(TEXT, TEXT, max_size=3))
def test_a_whole_query_arrives_as_its_value(media_type: str, value: JsonObject) -> None:
    written: JsonObject = {
        "in": "querystring",
        "content": {media_type: {"schema": {"type": "object"}}},
    }
    request = sent(taking(json.dumps(written)), {"q": value})
    if request is None:
        return
    query = request.url.partition("?")[2]
    if media_type == "application/json":
        assert json.loads(unquote(query)) == value
    else:
        pairs = [each.partition("=") for each in query.split("&") if query]
        assert {unquote(name): unquote(text) for name, _, text in pairs} == value


DEEP = st.recursive(
    st.text(st.sampled_from("a[]=&é "), max_size=3),
    lambda inner: st.dictionaries(st.text(st.sampled_from("ab[]"), max_size=2), inner, max_size=3),
    max_leaves=6,
)


@MANY
@given(value=st.dictionaries(st.sampled_from(["a", "b", "a]"]), DEEP, max_size=3))
def test_a_deep_object_arrives_with_its_levels(value: JsonObject) -> None:
    written = {"in": "query", "style": "deepObject", "schema": {"type": "object"}}
    request = sent(taking(json.dumps(written)), {"q": value})
    if request:
        assert nested(request.url.partition("?")[2]) == value


def nested(query: str) -> JsonObject:
    found: JsonObject = {}
    for pair in filter(None, query.split("&")):
        name, _, text = pair.partition("=")
        path = unquote(name).removeprefix("q[").removesuffix("]").split("][")
        node = found
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = unquote(text)
    return found


@MANY
@given(content=st.binary(max_size=50), name=st.text(max_size=5))
def test_a_file_arrives_byte_for_byte(content: bytes, name: str) -> None:
    octets = posting("application/octet-stream", "{}")
    request = sent(octets, {"body": data_url_from_bytes(content, name=name)})
    assert request
    assert request.body == content
    schema = '{"schema": {"properties": {"f": {"type": "string", "format": "binary"}}}}'
    request = sent(
        posting("multipart/form-data", schema), {"f": data_url_from_bytes(content, name=name)}
    )
    assert request
    assert [part for _, part in parts_in(request)] == [content]


@MANY
@given(value=st.lists(OBJECTS, max_size=3))
def test_items_arrive_as_parts_in_their_order(value: list[Json]) -> None:
    request = sent(posting("multipart/mixed", '{"itemSchema": {}}'), {"body": value})
    if request:
        assert same([json.loads(part) for _, part in parts_in(request)], value)


def parts_in(request: Request) -> list[tuple[bytes, bytes]]:
    """`(head, content)` of each part."""
    boundary = dict(request.headers)["Content-Type"].partition("boundary=")[2].encode()
    pieces = request.body.split(b"--" + boundary)[1:-1]
    cut = [piece.removeprefix(b"\r\n").partition(b"\r\n\r\n") for piece in pieces]
    return [(head, content.removesuffix(b"\r\n")) for head, _, content in cut]


INTEGERS: JsonObject = {"type": "array", "items": {"type": "integer", "xml": {"name": "i"}}}
XML: JsonObject = {
    "type": "object",
    "xml": {"name": "root", "namespace": "urn:r"},
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "xml": {"attribute": True}},
        "name": {"type": "string", "xml": {"name": "n", "prefix": "p", "namespace": "urn:n"}},
        "is_new": {"type": "boolean"},
        "price": {"type": ["number", "null"]},
        "codes": {**INTEGERS, "xml": {"wrapped": True, "name": "c"}},
        "more": {
            "type": "array",
            "items": {"type": "object", "properties": {"t": {"type": "string"}}},
        },
    },
}
FITTING = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(),
        "name": TEXT,
        "is_new": st.booleans(),
        "price": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "codes": st.lists(st.integers(), max_size=3),
        "more": st.lists(st.fixed_dictionaries({}, optional={"t": TEXT}), min_size=1, max_size=3),
    },
)


@settings(max_examples=examples(150))
@given(value=FITTING)
def test_xml_arrives_as_what_its_schema_describes(value: JsonObject) -> None:
    request = sent(posting("application/xml", json.dumps({"schema": XML})), value)
    if request:
        found = value_from_xml(parse_xml(request.body), BodySchema(XML, {}))
        assert same(found, {name: value[name] for name in found})
        assert found.keys() == value.keys()


STRICT: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["count"],
    "properties": {
        "count": {"type": "integer", "minimum": 1},
        "state": {"enum": ["new", "paid"]},
        "names": {"type": "array", "items": {"type": "string", "maxLength": 3}},
    },
}


@pytest.mark.parametrize(
    "media_type",
    ["application/json", "application/x-www-form-urlencoded", "multipart/form-data",
     "application/xml"],
)  # fmt: skip
@MANY
@given(
    arguments=st.dictionaries(
        st.sampled_from(["count", "state", "names", "other"]),
        ANY | st.sampled_from([1, "1", "NEW", "paid", ["a"], "a"]),
    )
)
def test_whatever_is_refused_is_not_sent(media_type: str, arguments: JsonObject) -> None:
    sent(posting(media_type, json.dumps({"schema": STRICT})), arguments)


@MANY
@given(arguments=st.dictionaries(st.sampled_from(["q", "other"]), ANY, max_size=2), data=st.data())
def test_no_refused_parameter_is_sent(arguments: JsonObject, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(list(PLACES)))
    schemas: list[Any] = [{"type": "integer"}, {"type": "array"}, {"type": "object"}, {}]
    schema = data.draw(st.sampled_from(schemas))
    sent(taking(json.dumps({"in": place, "schema": schema})), arguments)
