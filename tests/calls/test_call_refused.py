"""Calls that are wrong: which are stopped before anything is sent, and what is said about them."""

from __future__ import annotations

import pytest

from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions
from restwright.tools.tool import Tool

PET = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "status": {"enum": ["available", "sold"]},
        "born": {"type": "string", "format": "date-time"},
    },
    "additionalProperties": False,
}
OPERATION = {
    "parameters": [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "shop", "in": "query", "required": True, "schema": {"type": "string"}},
    ],
    "requestBody": {"required": True, "content": {"application/json": {"schema": PET}}},
}
VALID: JsonObject = {"id": 5, "shop": "x", "name": "Rex", "age": 3}


def pet_tool() -> Tool:
    return catalog(load(document({"/pets/{id}": {"put": OPERATION}}))).tools[0]


def without(name: str) -> JsonObject:
    return {key: value for key, value in VALID.items() if key != name}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (without("id"), "/id: expected an integer (required), got nothing"),
        (without("shop"), "/shop: expected a string (required), got nothing"),
        (without("name"), "/name: expected a string (required), got nothing"),
        ({**VALID, "id": "abc"}, '/id: expected an integer, got "abc"'),
        ({**VALID, "status": "lost"}, '/status: expected one of "available", "sold", got "lost"'),
        ({**VALID, "age": -1}, "/age: expected an integer >= 0, got -1"),
        (
            {**VALID, "nmae": "x"},
            '/nmae: expected no property of this name, got "x" (did you mean name?)',
        ),
        (
            {**VALID, "born": "soon"},
            '/born: expected a date-time such as 2026-01-31T08:00:00Z, got "soon"',
        ),
    ],
)
def test_wrong_call_is_stopped_and_the_argument_is_named(arguments: JsonObject, line: str) -> None:
    result = call(pet_tool(), arguments, connection=Connection(), send=never, approve=never)
    assert (result.kind, result.repairable_by) == ("mismatch", "model")
    assert result.text.split("\n")[1:] == [line]


def test_wrong_call_is_told_everything_at_once() -> None:
    arguments = {"id": "abc", "nmae": "Rex", "status": "lost"}
    result = call(pet_tool(), arguments, connection=Connection(), send=never, approve=never)
    places = {line.partition(":")[0] for line in result.text.split("\n")[1:]}
    assert places == {"/id", "/shop", "/name", "/nmae", "/status"}


def test_coercible_call_is_repaired_and_sent() -> None:
    send = RecordingTransport(lambda _: reply(200, {}))
    arguments = {**VALID, "id": "5", "age": "3"}
    result = call(pet_tool(), arguments, connection=Connection(), send=send, approve=approve_all)
    exact = call(pet_tool(), VALID, connection=Connection(), send=send, approve=approve_all)
    assert result.ok
    assert exact.repairs == ()
    assert [each.pointer for each in result.repairs] == ["/id", "/age"]
    assert send.sent[0] == send.sent[1]


def test_repair_of_what_a_human_fills_in_tells_no_value() -> None:
    pin = {"type": "string", "x-human": True}
    schema = {"type": "object", "properties": {"pin": pin, "count": {"type": "integer"}}}
    body = {"content": {"application/json": {"schema": schema}}}
    options = ToolOptions(separation=by_extension("x-human"))
    api = load(document({"/orders": {"post": {"requestBody": body}}}))
    tool = catalog(api, options=options).tools[0]
    send = RecordingTransport(lambda _: reply(200, {}))
    arguments = {"pin": 91347, "count": "2"}
    result = call(tool, arguments, connection=Connection(), send=send, approve=approve_all)
    assert [str(each) for each in result.repairs] == [
        "/pin: a value became a value (the number was written as text)",
        '/count: "2" became 2 (the text was read as a number)',
    ]
    assert "91347" not in repr(result.repairs)
