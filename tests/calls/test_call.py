"""One call from arguments to result."""

from __future__ import annotations

import logging
import socket
import threading
from dataclasses import replace

import pytest

from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection, mask_request
from restwright.calls.call import call, prepare
from restwright.calls.mismatch import Mismatch
from restwright.calls.response.result import Result
from restwright.errors import (
    InvalidArguments,
    MissingCredential,
    MissingServer,
    NoResponse,
    RestwrightError,
)
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.openapi.model import Method, Operation, Parameter, Server
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Input, Tool

CANARY = "canary-4f2a9c71"
PARAMETER = Parameter(name="id", location="path", required=True)
READ = Tool(
    name="shop__get_item",
    namespace="shop",
    operation_name="get_item",
    description="",
    operation=Operation(method=Method.GET, path="/items/{id}", pointer="", parameters=(PARAMETER,)),
    shows={},
    checks={
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "additionalProperties": False,
    },
    inputs=(Input(name="id", location="path", target="id"),),
    servers=(Server(url="https://api.test/v1"),),
)
WRITE = replace(READ, operation=replace(READ.operation, method=Method.DELETE))


def test_call_sends_the_prepared_request() -> None:
    send = RecordingTransport(lambda _: reply(200, {"id": 7}))
    result = call(READ, {"id": 7}, connection=Connection(), send=send, approve=never)
    assert send.sent == [prepare(READ, {"id": 7}, Connection())]
    assert (result.kind, result.value, result.request) == ("ok", {"id": 7}, send.sent[0])


ITEM = {
    "type": "object",
    "required": ["product_id"],
    "properties": {"product_id": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
}
ADD_ITEM = {
    "operationId": "add_item",
    "parameters": [
        {"name": "cart", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "by", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
    ],
    "requestBody": {"required": True, "content": {"application/json": {"schema": ITEM}}},
    "responses": {"201": {"description": "Added"}},
}


def test_operation_of_a_document_is_called() -> None:
    tool = catalog(load(document({"/carts/{cart}/items": {"post": ADD_ITEM}})))["test__add_item"]
    arguments = {"cart": 7, "tags": ["a", "b"], "by": {"x": 1}, "product_id": "p", "count": 2}
    send = RecordingTransport(lambda _: reply(201))
    assert call(tool, arguments, connection=Connection(), send=send, approve=approve_all).ok
    assert [mask_request(request) for request in send.sent] == [
        {
            "method": "POST",
            "url": "https://api.example.test/carts/7/items?tags=a&tags=b&by%5Bx%5D=1",
            "headers": {
                "Accept": "application/json, */*;q=0.5",
                "Content-Type": "application/json",
            },
            "body": {"product_id": "p", "count": 2},
        }
    ]


def test_mismatch_is_feedback_and_nothing_is_sent() -> None:
    result = call(READ, {"id": "x"}, connection=Connection(), send=never, approve=never)
    assert result == Result(
        kind="mismatch",
        text="shop__get_item was not called. Fix these and call it again:\n"
        '/id: expected an integer, got "x"',
        repairable_by="model",
    )


def test_coercible_arguments_are_repaired_sent_and_told() -> None:
    send = RecordingTransport(lambda _: reply(200, {}))
    result = call(READ, {"id": "7"}, connection=Connection(), send=send, approve=never)
    assert send.sent == [prepare(READ, {"id": 7}, Connection())]
    assert [str(each) for each in result.repairs] == [
        '/id: "7" became 7 (the text was read as a number)'
    ]


def test_mismatch_of_prepare_is_an_exception() -> None:
    with pytest.raises(InvalidArguments) as caught:
        prepare(READ, {}, Connection())
    assert caught.value.mismatches == (Mismatch("/id", "an integer (required)", "nothing"),)


def test_write_that_is_not_approved_is_refused() -> None:
    result = call(WRITE, {"id": 7}, connection=Connection(), send=never, approve=refuse_all)
    assert (result.kind, result.text) == ("refused", "shop__get_item was not allowed")


def test_write_is_approved_as_it_is_sent() -> None:
    asked: list[Request] = []
    send = RecordingTransport(lambda _: Response(status=204))

    def approve(_: Tool, request: Request) -> bool:
        asked.append(request)
        return True

    assert call(WRITE, {"id": 7}, connection=Connection(), send=send, approve=approve).ok
    assert asked == send.sent


def test_credentials_for_a_server_of_the_document_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)
    connection = Connection(auth="env:SHOP_TOKEN")
    result = call(READ, {"id": 7}, connection=connection, send=never, approve=approve_all)
    assert result.kind == "refused"
    assert "https://api.test" in result.text


def test_missing_response_is_a_result() -> None:
    def refuse(request: Request) -> Response:
        raise NoResponse(request.url, "cannot connect", sent=False)

    result = call(READ, {"id": 7}, connection=Connection(), send=refuse, approve=never)
    assert (result.kind, result.text, result.status) == (
        "no_response",
        "no response from https://api.test/v1/items/7: cannot connect",
        None,
    )


def test_what_only_the_user_can_mend_is_an_exception() -> None:
    with pytest.raises(MissingServer):
        call(
            replace(READ, servers=()), {"id": 7}, connection=Connection(), send=never, approve=never
        )
    connection = Connection(server="http://h", auth="env:NOT_SET_HERE")
    with pytest.raises(MissingCredential):
        call(READ, {"id": 7}, connection=connection, send=never, approve=never)


ANSWERS = {
    "success": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "echo": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(CANARY), CANARY.encode()),
    "error": b"HTTP/1.1 401 No\r\nContent-Length: %d\r\n\r\n%s" % (len(CANARY), CANARY.encode()),
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: http://localhost:1/\r\nContent-Length: 0\r\n\r\n",
    "too large": b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000,
    "not http": b"what?\r\n\r\n",
    "closed": b"",
    "timeout": None,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_token_is_sent_and_found_in_no_output(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)
    caplog.set_level(logging.DEBUG)
    received: list[bytes] = []
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                received.append(connection.recv(65536))
                if answer is None:
                    done.wait(5)
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        connection = Connection(
            server=f"http://127.0.0.1:{listener.getsockname()[1]}", auth="env:SHOP_TOKEN"
        )
        with Transport(timeout_s=0.3, max_bytes=1000) as send:
            result = call(READ, {"id": 7}, connection=connection, send=send, approve=never)
        done.set()
        thread.join()
    assert CANARY.encode() in received[0]
    request = result.request
    assert request is not None
    seen = [
        connection,
        result,
        result.text,
        result.value,
        request,
        mask_request(request),
        caplog.text,
    ]
    seen.append(result.response and (result.response.headers, result.response.body))
    assert CANARY not in repr(seen)


def test_token_is_found_in_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    connection = Connection(server=f"http://127.0.0.1:{port}", auth="env:SHOP_TOKEN")
    request = prepare(READ, {"id": 7}, connection)
    with Transport() as send, pytest.raises(RestwrightError) as caught:
        send(request)
    error: BaseException | None = caught.value
    while error is not None:
        assert CANARY not in f"{error!r} {error} {error.__dict__}"
        error = error.__cause__ or error.__context__
