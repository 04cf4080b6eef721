"""Credentials go to the origin that the user named, and are shown to nobody."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from restwright.calls.auth.connection import (
    Connection,
    authorize_request,
    list_secret_texts,
    mask_request,
    resolve_credential,
    user_origin,
)
from restwright.errors import MissingCredential, RefusedRequest, WrongType
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin

CANARY = "canary-4f2a9c71"
REQUEST = Request(method="GET", url="https://api.test/x?q=1", headers=(("Accept", "*/*"),))
NAMED = Origin("https", "api.test", 443)


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", CANARY)


def test_token_and_headers_are_added_for_the_named_origin() -> None:
    connection = Connection(headers={"X-Key": "k1"}, auth="env:SHOP_TOKEN")
    request = authorize_request(REQUEST, connection, named=NAMED)
    assert request.headers == (
        ("Accept", "*/*"),
        ("X-Key", "k1"),
        ("Authorization", f"Bearer {CANARY}"),
    )
    assert request.secret_headers == {"x-key", "authorization"}


def test_connection_without_credentials_changes_nothing() -> None:
    assert authorize_request(REQUEST, Connection(), named=None) is REQUEST


@pytest.mark.parametrize(
    "named",
    [None, Origin("http", "api.test", 443), Origin("https", "api.test", 8443),
     Origin("https", "evil.api.test", 443)],
)  # fmt: skip
@pytest.mark.parametrize(
    "connection", [Connection(auth="env:SHOP_TOKEN"), Connection(headers={"X-Key": CANARY})]
)
def test_credentials_for_another_origin_are_refused(
    named: Origin | None, connection: Connection
) -> None:
    with pytest.raises(RefusedRequest) as caught:
        authorize_request(REQUEST, connection, named=named)
    assert "name it: Connection(server='https://api.test')" in str(caught.value)
    assert CANARY not in repr(caught.value)


def test_static_header_replaces_that_of_an_argument() -> None:
    request = Request(method="GET", url="https://api.test/", headers=(("x-key", "model's"),))
    assert authorize_request(request, Connection(headers={"X-Key": "k"}), named=NAMED).headers == (
        ("X-Key", "k"),
    )


def test_token_replaces_a_static_authorization() -> None:
    connection = Connection(headers={"authorization": "Basic x"}, auth="env:SHOP_TOKEN")
    assert authorize_request(REQUEST, connection, named=NAMED).headers[1:] == (
        ("Authorization", f"Bearer {CANARY}"),
    )


@pytest.mark.parametrize(
    "headers", [{"X": f"{CANARY}\r\nHost: x"}, {"Host": CANARY}, {"A B": CANARY}, {"": CANARY}]
)
def test_static_header_that_http_cannot_carry_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RefusedRequest) as caught:
        authorize_request(REQUEST, Connection(headers=headers), named=NAMED)
    assert CANARY not in str(caught.value)


def test_named_origin_is_the_server_else_the_source() -> None:
    source = "http://docs.test/openapi.json"
    assert user_origin(Connection(server="https://api.test/v1"), source) == NAMED
    assert user_origin(Connection(), source) == Origin("http", "docs.test", 80)
    assert user_origin(Connection(), "openapi.json") is None


def test_credential_is_read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(auth="env:SHOP_TOKEN")
    monkeypatch.setenv("SHOP_TOKEN", "second\n")
    request = authorize_request(REQUEST, connection, named=NAMED)
    assert request.headers[-1] == ("Authorization", "Bearer second")


def test_missing_variable_is_named() -> None:
    with pytest.raises(MissingCredential) as caught:
        resolve_credential("env:NOT_SET_HERE")
    assert caught.value == MissingCredential(
        "env:NOT_SET_HERE", "set the environment variable NOT_SET_HERE"
    )


@pytest.mark.parametrize("value", ["a b", "a\nb", "é", "a\x7f"])
def test_a_value_that_is_no_token_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SHOP_TOKEN", value)
    with pytest.raises(
        MissingCredential, match="cannot be sent; SHOP_TOKEN has characters"
    ) as found:
        authorize_request(REQUEST, Connection(auth="env:SHOP_TOKEN"), named=NAMED)
    assert value not in str(found.value)


VALUES: list[JsonObject] = json.loads(
    (Path(__file__).parents[2] / "adversarial" / "header_values.json").read_text("utf-8")
)


@pytest.mark.parametrize("kind", ["env", "file"])
@pytest.mark.parametrize("row", VALUES, ids=[each["name"] for each in VALUES])
def test_a_credential_of_a_header_holds_what_a_header_can(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: JsonObject, kind: str
) -> None:
    path = tmp_path / "key"
    path.write_text(row["value"], "utf-8", newline="")
    monkeypatch.setenv("SHOP_TOKEN", row["value"])
    reference = {"env": "env:SHOP_TOKEN", "file": f"file:{path}"}[kind]
    if row["is_legal"]:
        value = resolve_credential(reference)
        assert value == row["value"].strip()
        sent = authorize_request(REQUEST, Connection(headers={"Authorization": value}), named=NAMED)
        assert sent.headers[-1] == ("Authorization", value)
        assert value.split()[-1] not in str(mask_request(sent))
        return
    with pytest.raises(MissingCredential, match="control character") as caught:
        resolve_credential(reference)
    assert "not set" not in str(caught.value)
    assert row["value"].strip() not in f"{caught.value!r} {caught.value}"


@pytest.mark.parametrize("reference", [CANARY, f"token:{CANARY}", f"env:{CANARY}", ""])
def test_token_in_place_of_a_reference_is_never_shown(reference: str) -> None:
    with pytest.raises(MissingCredential) as caught:
        resolve_credential(reference)
    with pytest.raises(WrongType, match="must be a reference to a secret") as refused:
        Connection(auth=reference)
    shown = "".join(f"{error!r} {error}" for error in (caught.value, refused.value))
    assert CANARY not in shown


def test_repr_of_a_connection_masks_its_headers() -> None:
    connection = Connection(server="http://h", headers={"X-Key": CANARY}, auth="env:SHOP_TOKEN")
    assert repr(connection) == (
        "Connection(server='http://h', headers={'X-Key': '***'}, auth='env:SHOP_TOKEN')"
    )


def test_masked_request() -> None:
    request = Request(
        method="POST",
        url="https://api.test/x",
        headers=(("Content-Type", "application/json"), ("X-Key", CANARY)),
        body=b'{"a":1}',
        secret_headers=frozenset({"x-key"}),
    )
    assert mask_request(request) == {
        "method": "POST",
        "url": "https://api.test/x",
        "headers": {"Content-Type": "application/json", "X-Key": "***"},
        "body": {"a": 1},
    }
    assert CANARY in list_secret_texts(request)
    assert b64encode(CANARY.encode()).decode() in list_secret_texts(request)


@pytest.mark.parametrize(("body", "shown"), [(b"", None), (b"text", "text"), (b"\xff", "\ufffd")])
def test_masked_body(body: bytes, shown: str | None) -> None:
    assert mask_request(Request(method="POST", url="http://h/", body=body))["body"] == shown
