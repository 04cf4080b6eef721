"""Responses that are not as the document says, in every media type."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples
from tests.support.recorder import tool_of

from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.xml_writer import encode_xml
from restwright.calls.response.result import result_from_response
from restwright.calls.response.xml_reader import parse_xml
from restwright.calls.response.xml_schema import value_from_xml
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.testing import document
from restwright.tools.tool import Tool

PET: JsonObject = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
PETS: JsonObject = {"type": "array", "items": PET}
REQUEST = Request(method="GET", url="http://h/pets")
LINES = "application/x-ndjson"
EVENTS = "text/event-stream"
XML = "application/xml"


def tool(content: JsonObject, **more: Json) -> Tool:
    operation = {"responses": {"200": {"description": "", "content": content}}}
    return tool_of(document({"/pets": {"get": operation}}, openapi="3.2.0", **more))


def pointers(one: Tool, media_type: str, body: str) -> list[str]:
    """Where the warnings about a response point to."""
    headers = (("content-type", media_type),)
    response = Response(status=200, headers=headers, body=body.encode())
    warnings = result_from_response(REQUEST, response, tool=one).warnings
    told = "not as the document says: "
    assert all(each.startswith(told) for each in warnings)
    return [each.removeprefix(told).partition(":")[0] for each in warnings]


@pytest.mark.parametrize(
    "written", [{"itemSchema": PET}, {"schema": PETS}, {"schema": PET}], ids=str
)
def test_each_value_of_a_sequence_is_checked(written: JsonObject) -> None:
    one = tool({LINES: written})
    assert one.output == {"type": "array", "items": PET}
    assert pointers(one, LINES, '{"id": 1}\n{"id": 2}\n') == []
    assert pointers(one, LINES, '{"id": 1}\n{"id": "2"}\n') == ["/1/id"]


def test_the_schema_of_a_sequence_may_be_a_reference() -> None:
    components = {"schemas": {"Pets": PETS}}
    one = tool({LINES: {"schema": {"$ref": "#/components/schemas/Pets"}}}, components=components)
    assert pointers(one, LINES, '{"id": 1}\n{"id": "2"}\n') == ["/1/id"]


def test_each_event_is_checked_and_its_data_too() -> None:
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": PET}
    event = {
        "type": "object",
        "required": ["data", "event"],
        "properties": {"data": data, "event": {"enum": ["pet"]}},
    }
    one = tool({EVENTS: {"itemSchema": event}})
    assert one.output is None
    good = 'event: pet\ndata: {"id": 1}\n\n'
    assert pointers(one, EVENTS, good * 2) == []
    assert pointers(one, EVENTS, good + 'event: dog\ndata: {"id": "1"}\n\n') == [
        "/1/event",
        "/1/data/id",
    ]


def test_events_may_be_of_several_kinds() -> None:
    data = {"contentMediaType": "application/json", "contentSchema": PET}
    kinds: list[Json] = [
        {"properties": {"event": {"const": "pet"}, "data": {"$ref": "#/components/schemas/Data"}}},
        {"properties": {"event": {"const": "text"}, "data": {"type": "string"}}},
    ]
    item = {"type": "object", "required": ["event"], "oneOf": kinds}
    components = {"schemas": {"Data": data, "Item": item}}
    written = {"itemSchema": {"$ref": "#/components/schemas/Item"}}
    one = tool({EVENTS: written}, components=components)
    texts = 'event: text\ndata: {"a": 1}\n\nevent: text\ndata: x\n\n'
    good = f'event: pet\ndata: {{"id": 1}}\n\n{texts}'
    assert pointers(one, EVENTS, good) == []
    assert pointers(one, EVENTS, good + 'event: pet\ndata: {"id": "1"}\n\n') == ["/3/data/id"]


def test_a_schema_of_an_event_stream_is_that_of_its_data() -> None:
    one = tool({EVENTS: {"schema": PET}})
    body = 'data: {"id": 1}\n\ndata: {"id": "1"}\n\ndata: [DONE]\n\n'
    assert pointers(one, EVENTS, body) == ["/1/data/id"]


@pytest.mark.parametrize(
    ("media_type", "found"),
    [
        ("application/json", ["/id"]),
        # Without one of its own, the range that it is in counts.
        ("application/problem+json", ["/name"]),
        ("image/png", []),
        ("text/plain", []),
    ],
)
def test_the_schema_is_that_of_the_media_type_which_came(media_type: str, found: list[str]) -> None:
    named: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}}
    one = tool({"application/json": {"schema": PET}, "*/*": {"schema": named}})
    body = '{"id": "1", "name": 1}' if "json" in media_type else "\0"
    expected = [*found, "/name"] if media_type == "application/json" else found
    assert pointers(one, media_type, body) == expected


@pytest.mark.parametrize(
    ("schema", "body", "found"),
    [
        (PET, "<pet><id>7</id><name>7</name></pet>", []),
        (PET, "<pet><id>x</id></pet>", ["/id"]),
        (PET, "<pet><name>Rex</name></pet>", ["/id"]),
        (PET, "<pet/>", ["/id"]),
        (PETS, "<pets><pet><id>1</id></pet><pet><id>x</id></pet></pets>", ["/1/id"]),
        (PETS, "<pets/>", []),
    ],
    ids=str,
)
def test_xml_is_checked_as_what_it_stands_for(
    schema: JsonObject, body: str, found: list[str]
) -> None:
    assert pointers(tool({XML: {"schema": schema}}), XML, body) == found


def test_the_value_of_xml_stays_as_it_was_read() -> None:
    response = Response(status=200, headers=(("content-type", XML),), body=b"<p><id>7</id></p>")
    result = result_from_response(REQUEST, response, tool=tool({XML: {"schema": PET}}))
    assert (result.value, result.warnings) == ({"p": {"id": "7"}}, ())


def of(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties}


NUMBERS: JsonObject = {"type": "array", "items": {"type": "integer"}}
ITEMS = {"type": "integer", "xml": {"name": "i"}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of(a={"type": "integer", "xml": {"attribute": True}}), {"a": 1}),
        (of(a={"type": "boolean", "xml": {"name": "b"}}), {"a": True}),
        (of(a={"type": "number", "xml": {"prefix": "p", "namespace": "urn:n"}}), {"a": 1.5}),
        (of(a=NUMBERS), {"a": [1]}),
        (of(a=NUMBERS), {"a": [1, 2]}),
        (of(a={**NUMBERS, "xml": {"wrapped": True}}), {"a": [1, 2]}),
        (of(a={**NUMBERS, "xml": {"wrapped": True, "name": "as"}}), {"a": []}),
        (of(a={"type": "array", "items": ITEMS, "xml": {"wrapped": True}}), {"a": [1]}),
        (of(a={"type": "array", "items": ITEMS}), {"a": [1, 2]}),
        (of(a={**NUMBERS, "xml": {"attribute": True}}), {"a": [1, 2]}),
        (of(a={"type": "string", "xml": {"nodeType": "text"}}), {"a": "x"}),
        (
            of(a={"xml": {"nodeType": "cdata"}}, b={"xml": {"attribute": True}}),
            {"a": "x", "b": "y"},
        ),
        (of(a={"type": "array", "items": of(b={"type": "null"})}), {"a": [{"b": None}, {}]}),
        ({"allOf": [of(a={"type": "integer"}), of(b=NUMBERS)]}, {"a": 1, "b": [2]}),
        ({"type": "object", "additionalProperties": NUMBERS}, {"x": [1, 2], "y": [3, 4]}),
        ({**NUMBERS, "xml": {"name": "n"}}, [1, 2]),
        (of(a={"type": "string"}), {"a": "1"}),
    ],
    ids=str,
)
def test_what_was_written_as_xml_is_read_again(schema: JsonObject, value: Json) -> None:
    described = BodySchema(schema, {})
    text = encode_xml(value, described=described)
    assert value_from_xml(parse_xml(text.encode()), described) == value


@given(
    st.recursive(
        st.none() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["a", "@a", "#text", "p:a"]), inner, max_size=3)
        ),
    ),
    st.sampled_from([PET, PETS, of(a=NUMBERS), of(a={**NUMBERS, "xml": {"wrapped": True}}), {}]),
)
@settings(max_examples=examples(200))
def test_any_xml_is_converted_for_any_schema(content: Json, schema: Json) -> None:
    value_from_xml({"root": content}, BodySchema(schema, {}))
