"""After a request went out nothing is raised, and the result says what a write has done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.agents.journal.codec import json_from_outcome, outcome_from_json
from restwright.agents.steps import Call
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, call_async
from restwright.calls.response.pagination import fetch_all_pages
from restwright.calls.response.result import CallEffect, Result
from restwright.errors import (
    LimitReached,
    MissingCredential,
    NoResponse,
    NoToken,
    RefusedRequest,
    ResponseTooLarge,
)
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import document, reply
from restwright.tools.catalog.catalog import catalog

URL = "https://api.example.test/items"
ITEM = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
SAID = {"default": {"description": "x", "content": {"application/json": {"schema": ITEM}}}}
PAGE = [{"name": "cursor", "in": "query", "schema": {"type": "string"}}]
TOOLS = catalog(
    load(
        document(
            {
                "/items": {
                    "get": {"operationId": "list", "parameters": PAGE, "responses": SAID},
                    "post": {"operationId": "add", "responses": SAID},
                    "put": {"operationId": "set", "responses": SAID},
                    "delete": {"operationId": "drop", "responses": SAID},
                }
            }
        ),
        alias="shop",
    )
)
WRITES = ("shop__add", "shop__set", "shop__drop")


class Odd(Exception):
    """What nobody expects."""


class Raising(bytes):
    """A body that makes whoever reads it fail: the method `at` raises `error`."""

    at = ""
    error: Exception = Odd("t0ps3cret")

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "at"):
            raise object.__getattribute__(self, "error")
        return super().__getattribute__(name)

    def __len__(self) -> int:
        if self.at == "__len__":
            raise self.error
        return super().__len__()


class RaisingText(str):
    """The value of a header that makes whoever reads it fail."""

    __slots__ = ()

    def partition(self, sep: str) -> tuple[str, str, str]:
        raise Odd("t0ps3cret")

    lower = strip = replace = startswith = endswith = partition  # type: ignore[assignment]


def body_that_raises(at: str, error: Exception) -> Raising:
    body = Raising(b'{"id": 1}')
    body.at, body.error = at, error
    return body


def outcome_of_call(
    name: str, send: Callable[[Request], Response], *, is_async: bool = False, **how: Any
) -> Result:
    options = {"connection": Connection(), "approve": approve_all} | how
    if not is_async:
        return call(TOOLS[name], {}, send=send, **options)

    async def sending(request: Request) -> Response:
        return send(request)

    return asyncio.run(call_async(TOOLS[name], {}, send=sending, **options))


RUNS = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
ERRORS: list[tuple[Exception, CallEffect]] = [
    (Odd("t0ps3cret"), "unknown"),
    (KeyError("pattern"), "unknown"),
    (ValueError(), "unknown"),
    (OSError(5, "t0ps3cret"), "unknown"),
    (UnicodeDecodeError("idna", b"t0ps3cret", 0, 1, "x"), "unknown"),
    (RecursionError(), "unknown"),
    (MemoryError(), "unknown"),
    (StopIteration(3), "unknown"),
    (LimitReached("seconds", 3), "unknown"),
    (MissingCredential("env:X", "set it"), "unknown"),
    (NoToken("login", "invalid_grant"), "unknown"),
    (NoResponse(URL, "it was lost", sent=True), "unknown"),
    (NoResponse(URL, "cannot connect", sent=False), "none"),
    (NoResponse(URL, "it is cut off", sent=True, status=201), "done"),
    (NoResponse(URL, "it is cut off", sent=True, status=422), "none"),
    (NoResponse(URL, "it is cut off", sent=True, status=502), "unknown"),
    (ResponseTooLarge(URL, 10), "unknown"),
    (ResponseTooLarge(URL, 10, status=201), "done"),
    (ResponseTooLarge(URL, 10, status=404), "none"),
    (RefusedRequest(URL, "it is in a private network"), "none"),
]


@RUNS
@pytest.mark.parametrize("name", [*WRITES, "shop__list"])
@pytest.mark.parametrize(("error", "effect"), ERRORS, ids=lambda each: repr(each)[:40])
def test_what_sending_raises_is_in_the_result(
    name: str, error: Exception, effect: CallEffect, is_async: bool
) -> None:
    def send(_: Request) -> Response:
        raise error

    result = outcome_of_call(name, send, is_async=is_async)
    is_write = name in WRITES
    assert not result.ok
    assert result.effect == (effect if is_write else "none")
    assert ("is unknown: look before" in result.text) == (result.effect == "unknown")
    assert ("do not repeat it" in result.text) == (result.effect == "done")
    assert "t0ps3cret" not in f"{result.text}{result!r}"


STATUSES = st.sampled_from([200, 201, 202, 204, 301, 307, 400, 401, 404, 409, 429, 500, 503, 999])
METHODS = ("decode", "replace", "translate", "lstrip", "startswith", "count", "__len__", "split")
FAULTS = st.sampled_from([Odd("t0ps3cret"), KeyError("pattern"), LookupError("undefined")])


def expected(status: int, attempts: int, result: Result) -> CallEffect:
    is_lost = result.kind == "no_response" and 300 <= status < 400
    if status >= 500 or (status >= 400 and attempts > 1) or is_lost:
        return "unknown"
    return "done" if result.ok or status < 300 else "none"


@given(
    name=st.sampled_from(WRITES),
    status=STATUSES,
    attempts=st.integers(1, 2),
    at=st.sampled_from(["", *METHODS]),
    error=FAULTS,
    media_type=st.sampled_from(
        ["application/json", "text/plain", "application/xml", "text/event-stream", "", "image/png"]
    ),
    has_raising_header=st.booleans(),
    is_async=st.booleans(),
)
def test_a_response_that_cannot_be_read_says_what_the_write_has_done(
    name: str,
    status: int,
    attempts: int,
    at: str,
    error: Exception,
    media_type: str,
    has_raising_header: bool,
    is_async: bool,
) -> None:
    value = RaisingText(media_type) if has_raising_header else media_type
    headers = (("content-type", value), ("location", "/next"))
    response = Response(
        status=status, headers=headers, body=body_that_raises(at, error), attempts=attempts
    )
    secret = Connection(server="https://api.example.test", headers={"X-Key": "t0ps3cret"})
    result = outcome_of_call(name, lambda _: response, is_async=is_async, connection=secret)
    assert result.effect == expected(status, attempts, result)
    assert result.was_sent
    assert "t0ps3cret" not in f"{result.text}{result!r}{result.warnings}"
    if not result.ok and result.effect != "none":
        assert "took effect" in result.text


def odd_response(**parts: Any) -> Response:
    """A response whose parts nobody checked, as one that was made in another way may be."""
    response = Response(status=200)
    for name, part in parts.items():
        object.__setattr__(response, name, part)
    return response


ODD_RESPONSES: list[Any] = [
    None,
    "text",
    {"status": 200},
    odd_response(status="200"),
    odd_response(status=None),
    odd_response(body=7),
    odd_response(headers=7),
    odd_response(headers=((1, 2),), body=b"{}"),
    Response(status=200, headers=(("content-type", "text/plain; charset=idna"),), body=b"\xff."),
    Response(status=200, headers=(("content-type", "a/b; charset=undefined"),), body=b"x"),
]


@RUNS
@pytest.mark.parametrize("response", ODD_RESPONSES, ids=repr)
@pytest.mark.parametrize("name", WRITES)
def test_what_is_no_response_is_a_result(response: Any, name: str, is_async: bool) -> None:
    result = outcome_of_call(name, lambda _: response, is_async=is_async)
    is_success = getattr(response, "status", None) == 200
    assert result.effect == ("done" if is_success else "unknown")


@RUNS
def test_a_folder_that_cannot_be_written_to_loses_no_result(tmp_path: Path, is_async: bool) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    response = Response(status=201, headers=(("content-type", "image/png"),), body=b"\x89PNG")
    result = outcome_of_call("shop__add", lambda _: response, is_async=is_async, files=blocked)
    assert result.effect == "done"


@RUNS
@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interruption_goes_on_and_says_that_the_outcome_of_a_write_is_unknown(
    end: type[BaseException], is_async: bool
) -> None:
    def send(_: Request) -> Response:
        raise end

    for name, notes in (("shop__drop", 1), ("shop__set", 1), ("shop__add", 1), ("shop__list", 0)):
        with pytest.raises(end) as caught:
            outcome_of_call(name, send, is_async=is_async)
        assert len(getattr(caught.value, "__notes__", [])) == notes


def test_a_cancelled_call_says_that_the_outcome_of_a_write_is_unknown() -> None:
    async def run(name: str) -> list[str]:
        sent = asyncio.Event()

        async def send(_: Request) -> Response:
            sent.set()
            await asyncio.sleep(60)
            raise AssertionError

        options = {"connection": Connection(), "send": send, "approve": approve_all}
        task = asyncio.create_task(call_async(TOOLS[name], {}, **options))
        await sent.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            return getattr(error, "__notes__", [])
        raise AssertionError

    for method, name in (("DELETE", "drop"), ("PUT", "set"), ("POST", "add")):
        notes = asyncio.run(run(f"shop__{name}"))
        assert notes == [f"{method} {URL} was sent; its outcome is unknown"]
    assert asyncio.run(run("shop__list")) == []


@RUNS
def test_what_is_raised_before_a_request_goes_out_goes_on(is_async: bool) -> None:
    sent: list[Request] = []

    def objecting(_: Request) -> None:
        raise LimitReached("calls", 3)

    def send(request: Request) -> Response:
        sent.append(request)
        return reply(200)

    with pytest.raises(LimitReached):
        outcome_of_call("shop__add", send, is_async=is_async, before_send=objecting)
    missing = Connection(server="https://api.example.test", auth="env:NOT_THERE_AT_ALL")
    with pytest.raises(MissingCredential):
        outcome_of_call("shop__add", send, is_async=is_async, connection=missing)
    assert sent == []


def test_who_is_told_before_sending_is_told_of_what_is_sent() -> None:
    told: list[Request] = []

    def send(request: Request) -> Response:
        assert told == [request]
        return reply(200, {"id": 1})

    assert outcome_of_call("shop__add", send, before_send=told.append).ok


def test_a_policy_that_calls_a_write_a_read_leaves_no_doubt() -> None:
    def send(_: Request) -> Response:
        raise NoResponse(URL, "it was lost", sent=True)

    result = outcome_of_call("shop__add", send, policy=Policy(tools={"add": "read"}))
    assert (result.effect, "unknown" in result.text) == ("none", False)


@pytest.mark.parametrize("effect", ["none", "unknown", "done"])
def test_a_journal_keeps_the_effect(effect: CallEffect) -> None:
    step, result = Call(tool="shop__add", arguments={}), Result(kind="no_response", effect=effect)
    assert outcome_from_json(step, json_from_outcome(result)) == result


NEXT = ["http://[::1/x", "//api.example.test:port/items", "?" + "&".join(["a=b"] * 300), "?x=%zz"]


@pytest.mark.parametrize("link", NEXT, ids=lambda each: each[:20])
def test_a_next_link_that_cannot_be_read_loses_no_page(link: str) -> None:
    page = reply(200, [{"id": 1}], {"link": f'<{link}>; rel="next"'})

    def once(arguments: dict[str, Any]) -> Result:
        del arguments
        return outcome_of_call("shop__list", lambda _: page)

    result = fetch_all_pages(TOOLS["shop__list"], {}, once)
    assert result.value == [{"id": 1}]
    assert result.pages
    assert not result.pages.is_whole


@pytest.mark.parametrize("error", [MissingCredential("env:X", "set it"), Odd("t0ps3cret")])
def test_a_page_that_raises_loses_no_page_before_it(error: Exception) -> None:
    link = {"link": '</items?cursor=2>; rel="next"'}

    def once(arguments: dict[str, Any]) -> Result:
        if arguments:
            raise error
        return outcome_of_call("shop__list", lambda _: reply(200, [{"id": 1}], link))

    result = fetch_all_pages(TOOLS["shop__list"], {}, once)
    assert (result.ok, result.value) == (False, [{"id": 1}])
    assert result.text.startswith("page 2: ")
    assert "t0ps3cret" not in result.text
