"""Tools from plain names and schemas."""

from __future__ import annotations

import pytest

from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.errors import NameCollision
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.testing import RecordingTransport, never, reply
from restwright.tools.catalog.catalog import combine_catalogs
from restwright.tools.function_tools import (
    FunctionTool,
    build_function_catalog,
    normalize_parameters,
    tool_names_by_function,
)
from restwright.tools.tool import Handler, LocalResult

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"from": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["from"],
}


def echo(arguments: JsonObject) -> LocalResult:
    return LocalResult(value=arguments)


def asks(arguments: JsonObject) -> Request:
    return Request(method="POST", url=f"https://api.example.test/{arguments['from']}")


def test_a_function_becomes_a_tool_with_its_own_way_to_be_carried_out() -> None:
    made = build_function_catalog(
        "Lou-Oshiba", [FunctionTool(name="call_graphQL", handler=Handler(run_locally=echo))]
    )
    assert made.names == ("lou_oshiba__call_graphQL",)
    assert tool_names_by_function(made) == {"call_graphQL": "lou_oshiba__call_graphQL"}
    tool = made["lou_oshiba__call_graphQL"]
    assert tool.is_read
    assert tool.checks["properties"] == {}


def test_a_call_that_is_carried_out_here_is_repaired_and_checked_first() -> None:
    made = build_function_catalog(
        "a", [FunctionTool(name="f", handler=Handler(run_locally=echo), parameters=SCHEMA)]
    )
    going = {"connection": Connection(), "send": never, "approve": never}
    given = call(made["a__f"], {"from": "x", "n": "3"}, **going)
    assert (given.ok, given.value) == (True, {"from": "x", "n": 3})
    wrong = call(made["a__f"], {"n": 3}, **going)
    assert wrong.kind == "mismatch"
    assert "from" in wrong.text
    refuses = Policy(tools={"f": "refuse"})
    assert call(made["a__f"], {"from": "x"}, policy=refuses, **going).kind == "refused"


def test_a_failure_says_who_can_mend_it() -> None:
    def fails(arguments: JsonObject) -> LocalResult:
        del arguments
        return LocalResult(error="code is off", is_user_refusal=True)

    made = build_function_catalog("a", [FunctionTool(name="f", handler=Handler(run_locally=fails))])
    result = call(made["a__f"], {}, connection=Connection(), send=never, approve=never)
    assert (result.kind, result.text, result.repairable_by) == ("refused", "code is off", "user")


def test_a_request_of_its_own_needs_consent_unless_its_arguments_say_that_it_reads() -> None:
    read = build_function_catalog("b", [FunctionTool(name="g", handler=Handler())])[
        "b__g"
    ].operation
    write = build_function_catalog("b", [FunctionTool(name="g", handler=Handler(), method="post")])[
        "b__g"
    ].operation
    own = Handler(
        build_request=asks, narrow_operation=lambda given: read if given["from"] == "a" else write
    )
    made = build_function_catalog(
        "b", [FunctionTool(name="g", handler=own, parameters=SCHEMA, method="post")]
    )
    send = RecordingTransport(lambda _: reply(200, {"is": "ok"}))
    tool, open_to = made["b__g"], Connection()
    assert call(tool, {"from": "a"}, connection=open_to, send=send, approve=refuse_all).ok
    refused = call(tool, {"from": "b"}, connection=open_to, send=send, approve=refuse_all)
    assert refused.kind == "refused"
    assert call(tool, {"from": "b"}, connection=open_to, send=send, approve=approve_all).ok
    assert [each.url[-1] for each in send.sent] == ["a", "b"]


def test_catalogs_of_different_namespaces_become_one() -> None:
    both = combine_catalogs(
        build_function_catalog(name, [FunctionTool(name="f", handler=Handler(run_locally=echo))])
        for name in "ab"
    )
    assert both.names == ("a__f", "b__f")
    assert both["a__f"].handler is not None
    with pytest.raises(NameCollision):
        combine_catalogs([both, both])


def test_two_functions_of_one_name_are_refused() -> None:
    twice = [FunctionTool(name="f", handler=Handler())] * 2
    with pytest.raises(NameCollision):
        build_function_catalog("a", twice)


def test_a_name_that_is_required_and_not_there_is_left_out() -> None:
    schema, missing = normalize_parameters({"properties": {"a": {}}, "required": ["a", "amount"]})
    assert schema == {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    assert missing == ("amount",)
    assert normalize_parameters(None) == ({"type": "object", "properties": {}}, ())
