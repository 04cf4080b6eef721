"""Which server a call goes to, and whether the user named it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from restwright.calls.auth.connection import Connection, user_origin
from restwright.calls.call import prepare
from restwright.calls.request.servers import resolve_server_url
from restwright.errors import MissingServer, RefusedRequest
from restwright.jsontypes import Json
from restwright.net.policy.origins import parse_origin
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

REGION = {"default": "eu", "enum": ["eu", "us"]}
SERVERS: list[Json] = [
    {"url": "https://{region}.api.test/v1", "variables": {"region": REGION}, "description": "Live"},
    {"url": "https://sandbox.test", "description": "Sandbox, no money is moved"},
    {"url": "/beta", "description": "Beta"},
]


def tool_of(*own: Json, source: str = "", servers: Json = SERVERS) -> Tool:
    operation: Json = {"operationId": "x", "responses": {}, **({"servers": own} if own else {})}
    written = document({"/x": {"get": operation}}, servers=servers)
    made = catalog(load(written, alias="shop"))["shop__x"]
    return replace(made, source=source)


CHOICES = {
    None: "https://eu.api.test/v1",
    "1": "https://eu.api.test/v1",
    "2": "https://sandbox.test",
    "3": "https://docs.test/beta",
    "live": "https://eu.api.test/v1",
    "Sandbox": "https://sandbox.test",
    "https://{region}.api.test/v1": "https://eu.api.test/v1",
    "/beta": "https://docs.test/beta",
    "https://mine.test/": "https://mine.test",
}


@pytest.mark.parametrize(("wanted", "url"), CHOICES.items())
def test_a_server_is_chosen_by_number_words_or_url(wanted: str | None, url: str) -> None:
    assert resolve_server_url(tool_of(source="https://docs.test/openapi.json"), wanted) == url


@pytest.mark.parametrize("wanted", ["0", "4", "9999999", "staging", "a", "localhost:8000"])
def test_a_choice_that_means_no_server_or_several_lists_them(wanted: str) -> None:
    with pytest.raises(MissingServer) as caught:
        resolve_server_url(tool_of(), wanted)
    assert "1: https://{region}.api.test/v1 (Live), 2: https://sandbox.test" in str(caught.value)
    assert f"{wanted!r} is none of that" in str(caught.value)


def test_a_relative_server_of_a_file_needs_a_named_one() -> None:
    with pytest.raises(MissingServer):
        resolve_server_url(tool_of(), "3")


def test_variables_have_the_values_of_the_user() -> None:
    connection = Connection(server_variables={"region": "us"})
    assert prepare(tool_of(), {}, connection).url == "https://us.api.test/v1/x"


def test_a_value_that_a_variable_cannot_have_is_told() -> None:
    with pytest.raises(RefusedRequest, match="the server variable region is one of eu, us"):
        prepare(tool_of(), {}, Connection(server_variables={"region": "moon"}))


def test_a_variable_that_no_server_has_is_told() -> None:
    with pytest.raises(RefusedRequest, match=r"no variable 'zone' \(it has region\)"):
        prepare(tool_of(), {}, Connection(server_variables={"zone": "a"}))


def test_a_variable_of_another_server_is_left_to_that() -> None:
    assert resolve_server_url(tool_of(), "2", variables={"region": "us"}) == "https://sandbox.test"


def test_variables_of_a_url_without_braces_are_told() -> None:
    with pytest.raises(RefusedRequest, match="no variable 'region'"):
        resolve_server_url(tool_of(), "https://mine.test", variables={"region": "us"})


def test_a_template_of_the_user_takes_its_values_from_the_user_alone() -> None:
    wanted = "https://{host}.mine.test"
    assert resolve_server_url(tool_of(), wanted, variables={"host": "a"}) == "https://a.mine.test"
    with pytest.raises(MissingServer):
        resolve_server_url(tool_of(), wanted)


OWN = {"url": "https://uploads.test", "description": "Uploads"}


@pytest.mark.parametrize(
    ("wanted", "url"),
    [
        (None, "https://uploads.test"),
        ("1", "https://uploads.test"),
        ("2", "https://uploads.test"),
        ("Sandbox", "https://uploads.test"),
        ("uploads", "https://uploads.test"),
        ("https://mine.test", "https://mine.test"),
    ],
)
def test_an_operation_keeps_its_own_servers_until_a_url_is_named(
    wanted: str | None, url: str
) -> None:
    assert resolve_server_url(tool_of(OWN), wanted) == url


def test_an_operation_chooses_of_its_own_servers() -> None:
    more = {"url": "https://big.uploads.test", "description": "Big"}
    assert resolve_server_url(tool_of(OWN, more), "big") == "https://big.uploads.test"


def test_a_relative_server_of_an_operation_is_beside_the_document() -> None:
    made = tool_of({"url": "/upload"}, source="https://docs.test/v1/openapi.json")
    assert prepare(made, {}, Connection(auth="none")).url == "https://docs.test/upload/x"


def test_choosing_a_server_of_an_operation_does_not_name_its_origin() -> None:
    with pytest.raises(RefusedRequest, match=r"name it: Connection\(server=.https://uploads\.test"):
        prepare(tool_of(OWN), {}, Connection(server="1"))


NAMED = {
    "https://us.api.test/v1": "https://us.api.test",
    "https://{region}.api.test/v1": "https://us.api.test",
    "https://{region}.{zone}.test": None,
    "https://mine.test/{base}": "https://mine.test",
}


@pytest.mark.parametrize(("server", "origin"), NAMED.items())
def test_an_origin_is_named_where_no_document_completes_it(server: str, origin: str | None) -> None:
    connection = Connection(server=server, server_variables={"region": "us"})
    assert user_origin(connection, "") == (origin and parse_origin(origin))


@pytest.mark.parametrize("server", ["1", "Sandbox", None])
def test_a_credential_does_not_go_to_a_server_that_was_only_chosen(
    server: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "canary")
    connection = Connection(server=server, auth="env:TOKEN")
    with pytest.raises(RefusedRequest, match=r"name it: Connection\(server=.https://"):
        prepare(tool_of(), {}, connection)


def test_a_credential_goes_to_a_chosen_server_where_the_document_comes_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKEN", "canary")
    made = tool_of(source="https://docs.test/openapi.json")
    request = prepare(made, {}, Connection(server="Beta", auth="env:TOKEN"))
    assert request.is_named
    assert request.header("authorization") == "Bearer canary"


def test_the_default_of_a_documents_variable_names_no_origin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKEN", "canary")
    lured = [{"url": "https://{host}", "variables": {"host": {"default": "evil.test"}}}]
    connection = Connection(server="https://{host}", auth="env:TOKEN")
    with pytest.raises(RefusedRequest, match="bound to no server"):
        prepare(tool_of(servers=lured), {}, connection)
