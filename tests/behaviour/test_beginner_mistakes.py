"""What somebody who reads no type hints gets wrong: said at once, with what is wanted instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import restwright as rw
from restwright.agents.agent import KINDS
from restwright.calls.arguments.human_part import (
    check_human_arguments,
    check_model_arguments,
    repair_model_arguments,
)
from restwright.calls.auth.credentials import Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.errors import DocumentUnavailable, InvalidArguments, WrongType
from restwright.net.http.async_transport import AsyncTransport
from restwright.testing import RecordingTransport, ScriptedModel, document, never, reply
from restwright.tools.dialects import DIALECTS

PATH = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
BODY = {"content": {"application/json": {"schema": {"properties": {"name": {"type": "string"}}}}}}
DOCUMENT = document(
    {
        "/pets/{id}": {
            "get": {"operationId": "getPet", "parameters": [PATH]},
            "post": {"operationId": "addPet", "parameters": [PATH], "requestBody": BODY},
        },
        "/ping": {"get": {"operationId": "ping"}},
    }
)
PETS = rw.catalog(rw.load(DOCUMENT, alias="zoo"))
PET = PETS["zoo__getPet"]
HERE = rw.Connection(server="https://api.example.test")
CANARY = "canary-4f2a9c71"


def yes(*_: object) -> bool:
    return True


def call(tool: Any = PET, arguments: Any = None, **given: Any) -> rw.Result:
    more = {"connection": HERE, "send": never, "approve": yes, **given}
    return rw.call(tool, {"id": 1} if arguments is None else arguments, **more)


def call_async(**given: Any) -> rw.Result:
    more = {"connection": HERE, "send": AsyncTransport(), "approve": yes, **given}
    return asyncio.run(rw.call_async(PET, {"id": 1}, **more))


def agent(catalog: Any = PETS, **given: Any) -> rw.Agent:
    return rw.Agent(catalog, **{"model": ScriptedModel([]), **given})


def catalog_of(of: Any) -> rw.Catalog:
    return rw.catalog(of)


def ask(*asked: Any, **given: Any) -> rw.Answer:
    return agent().ask(*asked, **given)


Mistake = tuple[Callable[..., object], dict[str, Any], str]
WRONG_TYPES: list[Mistake] = [
    # What is called.
    (call, {"tool": "zoo__getPet"}, "`tool` must be a `Tool`"),
    (lambda tool: rw.check(tool, {}), {"tool": "zoo__getPet"}, "`tool` must be a `Tool`"),
    (lambda tool: rw.check(tool, {}), {"tool": PETS}, "not Catalog"),
    (lambda tool: rw.check(tool, {}), {"tool": PET.operation}, "not Operation"),
    (lambda tool: rw.prepare(tool, {}, HERE), {"tool": None}, "not NoneType"),
    (lambda t: rw.build_request(t, {}, server="https://a.test"), {"t": "x"}, "a `Tool`"),
    (lambda server: rw.build_request(PET, {}, server=server), {"server": HERE}, "the URL"),
    (call, {"media_type": 7}, "such as application/json"),
    (call, {"connection": "https://a.test"}, r"Connection\(server=URL\)"),
    (call, {"connection": {"zoo": HERE}}, "a `Connection`"),
    (lambda of: rw.prepare(PET, {"id": 1}, of), {"of": "x"}, "a `Connection`"),
    (call, {"send": "x"}, "a `Transport`"),
    (call, {"send": rw.Transport}, "not the class Transport"),
    (call_async, {"send": rw.Transport()}, "`call` takes this one"),
    (call_async, {"send": "x"}, "an `AsyncTransport`"),
    (call, {"approve": True}, "a function of a tool and its request"),
    (call_async, {"approve": None}, "a function of a tool and its request"),
    (call, {"policy": "read-only"}, r"Policy\(default='read-only'\)"),
    (call, {"files": "downloads"}, "the `Path` of a folder"),
    # How an API is reached.
    (rw.Connection, {"auth": CANARY}, "env:NAME, file:PATH, keyring:NAME"),
    (rw.Connection, {"auth": {"bearer": f"Bearer {CANARY}"}}, "not other text"),
    (rw.Connection, {"auth": ("user", CANARY)}, "`Basic`"),
    (rw.Connection, {"auth": {"bearer": 7}}, "`OAuthClient` or 'none', not int"),
    (rw.Connection, {"headers": [("X-Key", CANARY)]}, "such as {name: value}"),
    (rw.Connection, {"headers": f"X-Key: {CANARY}"}, "such as {name: value}"),
    (rw.Connection, {"headers": {"X-Id": 7}}, "of texts, not int"),
    (rw.Connection, {"headers": {"X-Id": None}}, "of texts, not NoneType"),
    (rw.Connection, {"server": 7}, "a URL, or the number or the description"),
    (rw.Connection, {"server": Path("/v1")}, "as text"),
    (rw.Connection, {"server_variables": "region=eu"}, "such as {name: value}"),
    (rw.Connection, {"secrets": [CANARY]}, "a `Secret`"),
    (rw.Connection, {"secrets": CANARY}, "a `Secret`"),
    (Basic, {"user": "ada", "password": CANARY}, "`password` must be a reference to a secret"),
    (Certificate, {"path": "c.pem", "password": CANARY}, "or a `Secret`"),
    (OAuthClient, {"client_id": "me", "client_secret": CANARY}, "`client_secret` must be"),
    (OAuthClient, {"client_id": "me", "refresh_token": CANARY}, "`refresh_token` must be"),
    # What becomes of documents.
    (rw.load, {"source": None}, "a path, a URL, '-', bytes or a parsed object"),
    (rw.load, {"source": ["shop.yaml"]}, "not list"),
    (rw.load, {"source": DOCUMENT, "alias": 7}, "`alias` must be text"),
    (rw.load, {"source": DOCUMENT, "retrieve": "x"}, "a function of a URL"),
    (rw.load, {"source": DOCUMENT, "overlays": "mend.yaml"}, "a list of overlays, not str"),
    (rw.load, {"source": DOCUMENT, "overlays": {"overlay": "1.0.0"}}, "a list of overlays"),
    (rw.load, {"source": DOCUMENT, "allow_refs": True}, "the path of a folder or None"),
    (rw.load, {"source": DOCUMENT, "on_overlay": "x"}, "a function of a `Problem`"),
    (catalog_of, {"of": "shop.yaml"}, r"as `load\('shop.yaml'\)` gives, not str"),
    (catalog_of, {"of": [PETS.apis["zoo"]]}, "an `API`.*not list"),
    (rw.catalog, {"options": {"lean": True}}, "`ToolOptions`"),
    (rw.catalog, {"fixed": "x"}, "a mapping or None"),
    (lambda name: PETS[name], {"name": 0}, "the name of a tool must be text"),
    (PETS.dispatch, {"name": None}, "must be text"),
    (PETS.search, {"query": 7}, "`query` must be text"),
    (PETS.search, {"query": "pets", "k": "3"}, "a number of tools"),
    (PETS.render, {"name": PET.name, "dialect": "openai"}, r"dialect_named\('openai'\)"),
    (PETS.name_of, {"operation": "getPet", "namespace": "zoo"}, "an `Operation`"),
    (rw.ToolOptions, {"budget": "large"}, "a number of characters"),
    (rw.ToolOptions, {"name_length": None}, "a number of characters"),
    (rw.ToolOptions, {"lean": "yes"}, "true or false"),
    (rw.ToolOptions, {"separation": {"x-human": True}}, "a `Separation` or None"),
    (rw.Separation, {"is_human": "x-human"}, r"by_extension\('x-human'\)"),
    (rw.Separation, {"is_human": yes, "is_human_operation": "x"}, "a function of an `Operation`"),
    # Who answers questions.
    (agent, {"catalog": [PET]}, r"a `Catalog`, as `catalog\(api\)` gives, not list"),
    (agent, {"catalog": PETS.apis["zoo"]}, "a `Catalog`.*not API"),
    (agent, {"model": "openai:gpt-5"}, r"as `model_named\('openai:gpt-5'\)` returns, not str"),
    (agent, {"model": None}, "a model, as"),
    (agent, {"connections": HERE}, "{namespace: Connection}"),
    (agent, {"connections": {"zoo": "https://a.test"}}, "each of `connections` must be"),
    (agent, {"send": rw.Transport}, "not the class Transport"),
    (agent, {"approve": True}, "a function of a tool and its request"),
    (agent, {"human": None}, "a function of a question"),
    (agent, {"policy": "confirm"}, "a `Policy`"),
    (agent, {"limits": {"calls": 5}}, r"Limits\(calls=5\)"),
    (agent, {"kind": 1}, f"one of {', '.join(KINDS)}"),
    (agent, {"prompts": "prompts"}, "the `Path` of a folder"),
    (agent, {"prompts": {"caller": 7}}, "the prompt 'caller' must be text"),
    (agent, {"locale": 1}, "text such as 'de-CH'"),
    (agent, {"now": "2026-01-02"}, "a `datetime` with a time zone"),
    (agent, {"now": datetime(2026, 1, 2)}, "a `datetime` with a time zone"),  # noqa: DTZ001
    (agent, {"on_event": "x"}, "a function of an `Event`"),
    (agent, {"on_words": 7}, "a function of a piece of text"),
    (agent, {"counter": True}, "a `UsageCounter` or None"),
    (ask, {"question": None}, "`question` must be text"),
    (ask, {"question": "?", "journal": "runs.db"}, "a `Journal` or None"),
    (ask, {"question": "?", "background": "x"}, "what a `Conversation` gives"),
    (rw.model_named, {"name": ["local"]}, "text such as 'openai:gpt-5'"),
    (rw.model_named, {"name": "openai:x", "url": 7}, "`url` must be text"),
    *((rw.Limits, {each.name: "many"}, "must be a number") for each in fields(rw.Limits)),
    (rw.Limits, {"seconds": None}, "must be a number, not NoneType"),
    (rw.Limits, {"calls_per_api": {"zoo": "many"}}, "`calls_per_api` must be a number"),
    # What crosses the network seam.
    (rw.Transport, {"timeout_s": "30"}, "a number of seconds"),
    (rw.Transport, {"max_bytes": None}, "a number of bytes"),
    (rw.Transport, {"max_redirects": "no"}, "a number of redirects"),
    (AsyncTransport, {"retry": 3}, "net.http.retry.Retry` or None, not int"),
    (rw.Transport, {"rules": ["https://a.test"]}, "net.policy.origins.OriginRules"),
    (rw.Transport, {"limits": rw.Limits()}, "net.http.throttle.TransportLimits"),
    (rw.Transport(), {"request": "https://a.test"}, "a `Request`, as `prepare"),
    (rw.Request, {"method": "GET", "url": None}, "`url` must be text"),
    (rw.Request, {"method": "GET", "url": "https://a.test", "headers": {"a": "b"}}, "pairs such"),
    (rw.Request, {"method": "GET", "url": "https://a.test", "body": "text"}, "must be bytes"),
    (rw.Response, {"status": "200"}, "a number such as 200"),
    (rw.Response, {"status": 200, "headers": {"a": "b"}}, "pairs such"),
    (rw.Response, {"status": 200, "body": "text"}, "must be bytes"),
    # What a model is told.
    (rw.feedback, {"tool_name": PET, "mismatches": ()}, "such as `tool.name`"),
    (rw.feedback, {"tool_name": "x", "mismatches": None}, "a sequence of `Mismatch`"),
    (rw.feedback, {"tool_name": "x", "mismatches": ["/id: wrong"]}, "of `Mismatch`.*not str"),
    (rw.feedback, {"tool_name": "x", "mismatches": (), "repeated": "x"}, "`repeated` must be"),
]
WRONG_VALUES: list[Mistake] = [
    (agent, {"kind": "nope"}, f"no kind of agent is named 'nope'; there are {', '.join(KINDS)}"),
    (agent, {"prompts": {"planer": "# system\nHi\n"}}, "no prompt 'planer'; there are "),
    (agent, {"prompts": Path("/nowhere/prompts")}, "no folder /nowhere/prompts"),
    (rw.Limits, {"calls": -1}, "calls=-1 is less than 0"),
    (rw.Limits, {"cost": -0.5}, "cost=-0.5 is less than 0"),
    (rw.feedback, {"tool_name": "x", "mismatches": (), "form": "xml"}, "'lines', 'json'"),
    (rw.ToolOptions, {"naming": "camel"}, "is not one of 'operation-id'"),
]
NO_OBJECTS = ["{}", '{"id": 1}', None, [], [("id", 1)], 7, b"{}", True]
TOOLS = [PETS[name] for name in PETS.names]


def named(mistakes: list[Mistake]) -> Any:
    names = (getattr(act, "__name__", type(act).__name__) for act, *_ in mistakes)
    ids = [f"{name}-{[*given][-1]}" for name, (_, given, _) in zip(names, mistakes, strict=True)]
    return pytest.mark.parametrize(("act", "given", "wanted"), mistakes, ids=ids)


@named(WRONG_TYPES)
def test_an_argument_of_another_type_is_refused_with_what_is_wanted(
    act: Callable[..., object], given: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(WrongType, match=wanted) as caught:
        act(**given)
    assert isinstance(caught.value, TypeError)
    assert CANARY not in f"{caught.value!r} {caught.value}"


@named(WRONG_VALUES)
def test_a_value_that_there_is_not_is_refused_with_those_that_there_are(
    act: Callable[..., object], given: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(ValueError, match=wanted):
        act(**given)


@pytest.mark.parametrize("tool", TOOLS, ids=PETS.names)
@pytest.mark.parametrize("arguments", NO_OBJECTS, ids=map(repr, NO_OBJECTS))
def test_arguments_that_are_no_object_are_a_mismatch_everywhere(
    tool: rw.Tool, arguments: Any
) -> None:
    [mismatch] = rw.check(tool, arguments)
    assert (mismatch.pointer, mismatch.expected) == ("", "an object")
    assert bool(mismatch.hint) == isinstance(arguments, str | bytes)

    result = rw.call(tool, arguments, connection=HERE, send=never, approve=never)
    assert (result.kind, result.repairable_by) == ("mismatch", "model")
    assert str(mismatch) in result.text
    for act in (
        lambda: rw.prepare(tool, arguments, HERE),
        lambda: rw.build_request(tool, arguments, server="https://api.example.test"),
    ):
        with pytest.raises(InvalidArguments) as caught:
            act()
        assert caught.value.mismatches == (mismatch,)


@pytest.mark.parametrize("arguments", NO_OBJECTS, ids=map(repr, NO_OBJECTS))
def test_parts_of_arguments_that_are_no_object_are_a_mismatch_too(arguments: Any) -> None:
    assert [each.expected for each in check_model_arguments(PET, arguments)] == ["an object"]
    assert check_human_arguments(PET, arguments)
    assert repair_model_arguments(PET, arguments).arguments == arguments
    result = asyncio.run(
        rw.call_async(PET, arguments, connection=HERE, send=AsyncTransport(), approve=never)
    )
    assert result.kind == "mismatch"


@pytest.mark.parametrize("text", ['{"openapi": "3.1.0"}', "openapi: 3.1.0\ninfo: {}\n"])
def test_the_text_of_a_document_is_not_taken_for_its_path(text: str) -> None:
    with pytest.raises(DocumentUnavailable, match="give it as bytes, or parsed"):
        rw.load(text)


def test_what_is_meant_is_still_taken() -> None:
    send = RecordingTransport(lambda _: reply(200, {}))
    assert call(send=send, files=Path("nowhere")).ok
    assert call(send=send.__call__).ok
    assert rw.Connection(auth="none").auths == {"": "none"}
    assert rw.Connection(auth={"a": "env:A", "b": Basic("ada", "env:B")}).auths
    assert rw.Limits(cost=None, calls_per_api={"zoo": 3}, calls=0).calls == 0
    assert agent(kind=lambda of, question: iter(())).kind
    assert PETS.render(PET.name, DIALECTS["openai"])
