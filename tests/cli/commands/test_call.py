"""`call`: what is sent, what is shown, and what is not."""

from __future__ import annotations

import pytest

TOKEN = "t0ps3cret"


def test_the_response_is_printed(restwright, things, server):
    ended = restwright("call", things, "get_thing", '{"thing_id": 7}', "--server", server.url)
    assert (ended.code, ended.json) == (0, {"thing_id": 7, "colour": "teal"})
    assert [request[:2] for request in server.requests] == [("GET", "/things/7")]


def test_the_response_as_json_comes_with_its_status(restwright, things, server):
    arguments = ("call", things, "get_thing", '{"thing_id": 7}', "--server", server.url, "--json")
    ended = restwright(*arguments)
    assert ended.json == {"status": 200, "value": {"thing_id": 7, "colour": "teal"}}


def test_dry_run_shows_the_request_and_sends_nothing(restwright, things, server, monkeypatch):
    monkeypatch.setenv("THINGS_TOKEN", TOKEN)
    arguments = (
        *("call", things, "add_thing", '{"thing_id": 8}', "--dry-run"),
        *("--server", server.url, "--auth", "env:THINGS_TOKEN", "--header", "X-Shop: a:b"),
    )
    shown = restwright(*arguments, "--json").json
    assert (shown["method"], shown["url"]) == ("POST", f"{server.url}/things")
    assert shown["body"] == {"thing_id": 8}
    lines = restwright(*arguments).out.splitlines()
    assert lines[0] == f"POST {server.url}/things"
    assert TOKEN not in restwright(*arguments).out
    assert server.requests == []


def test_token_and_headers_are_sent_to_the_named_server(restwright, things, server, monkeypatch):
    monkeypatch.setenv("THINGS_TOKEN", TOKEN)
    ended = restwright(
        *("call", f"mine={things}", "list_things", "{}", "--server", f"mine={server.url}"),
        *("--auth", "mine=env:THINGS_TOKEN", "--header", "mine=X-Shop: north"),
    )
    assert ended.code == 0
    headers = {name.lower(): value for name, value in server.requests[0][2].items()}
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert headers["x-shop"] == "north"


def test_a_write_without_a_terminal_and_without_yes_is_refused(restwright, things, server):
    ended = restwright("call", things, "add_thing", '{"thing_id": 8}', "--server", server.url)
    assert (ended.code, ended.out, server.requests) == (3, "", [])
    assert ended.err.startswith("error: ")
    assert "--yes" in ended.err


def test_a_write_is_sent_with_yes(restwright, things, server):
    ended = restwright(
        *("call", things, "add_thing", '{"thing_id": 8}', "--server", server.url, "--yes")
    )
    assert ended.code == 0
    method, path, _, body = server.requests[0]
    assert (method, path, body) == ("POST", "/things", '{"thing_id":8}')


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("--server", "yours=http://127.0.0.1:1", "no document is named yours"),
        ("--header", "s3cret", "--header is written as"),
    ],
)
def test_a_connection_that_makes_no_sense_is_a_usage_error(restwright, things, option, value, text):
    ended = restwright("call", things, "list_things", "{}", option, value)
    assert (ended.code, ended.out) == (2, "")
    assert text in ended.err
    assert "s3cret" not in ended.err


def test_a_http_error_as_json_keeps_status_and_value(restwright, things, server):
    arguments = ("call", things, "get_thing", '{"thing_id": 401}', "--server", server.url)
    ended = restwright(*arguments, "--json")
    assert ended.code == 1
    assert ended.json["error"]["code"] == "http_error"
    assert (ended.json["status"], ended.json["value"]) == (401, {"detail": "who are you?"})


def test_read_only_refuses_a_write_and_sends_a_read(restwright, things, server):
    options = ["--server", server.url, "--read-only"]
    refused = restwright("call", things, "add_thing", '{"thing_id": 1}', *options)
    assert refused.code == 3
    assert "is not allowed by the policy" in refused.err
    assert "send it without --read-only" in refused.err
    assert server.requests == []
    assert restwright("call", things, "list_things", "{}", *options).code == 0


@pytest.mark.parametrize(
    ("said", "code", "methods"),
    [
        (["add_thing=read"], 0, ["POST"]),
        (["add_*=read", "*_thing=write"], 3, []),
        (["get_thing=read"], 3, []),
    ],
)
def test_an_option_says_what_a_tool_does(restwright, things, server, said, code, methods):
    options = [part for each in said for part in ("--class", each)]
    asked = ("call", things, "add_thing", '{"thing_id": 1}', "--server", server.url, "--read-only")
    assert restwright(*asked, *options).code == code
    assert [each[0] for each in server.requests] == methods


@pytest.mark.parametrize("text", ["add_thing", "add_thing=safe", "=read", "add_thing="])
def test_a_class_that_is_none_is_refused(restwright, things, text):
    ended = restwright("call", things, "add_thing", "{}", "--class", text, "--json")
    assert ended.code == 2
    assert "--class takes NAME=read, NAME=write or NAME=destructive" in ended.out


@pytest.mark.parametrize("command", [["call", "list_things", "{}"], ["ask", "What?", "-a"]])
def test_yes_and_read_only_exclude_each_other(restwright, things, command):
    name, *rest = command
    given = [name, *rest, things] if name == "ask" else [name, things, *rest]
    ended = restwright(*given, "--yes", "--read-only", "--json")
    assert ended.code == 2
    assert "--yes and --read-only exclude each other" in ended.out


ORDERS = """\
openapi: 3.1.0
info: {title: Orders, version: "1"}
servers:
  - url: "http://127.0.0.1:{port}"
    variables: {port: {default: "1"}}
    description: Live
  - url: "{base}/sandbox"
    variables: {base: {default: "http://127.0.0.1:1"}}
    description: Sandbox
paths:
  /orders:
    post:
      operationId: add_order
      parameters:
        - {name: Idempotency-Key, in: header, required: true, schema: {type: string}}
        - {name: X-Tenant, in: header, required: true, schema: {type: string}}
      responses: {"201": {description: It.}}
"""


@pytest.fixture
def orders(tmp_path):
    path = tmp_path / "orders.yaml"
    path.write_text(ORDERS, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("layout", ["flat", "grouped"])
def test_what_is_filled_in_need_not_be_given(restwright, orders, server, layout):
    options = ["--header", "X-Tenant: t1", "--layout", layout, "--yes"]
    ended = restwright("call", orders, "add_order", "{}", "--server", server.url, *options)
    assert (ended.code, ended.err.splitlines()[-1][:3]) == (0, "201")
    sent = server.requests[0][2]
    assert sent["X-Tenant"] == "t1"
    assert len(sent["Idempotency-Key"]) == 36


def test_what_nobody_fills_in_is_missing(restwright, orders):
    ended = restwright("call", orders, "add_order", "{}", "--dry-run")
    assert ended.code == 1
    assert "X_Tenant" in ended.err
    assert "Idempotency" not in ended.err


def dry_run(restwright, orders, *options):
    ended = restwright(
        *("call", orders, "add_order", "{}", "--header", "X-Tenant: t1", "--dry-run", "--json"),
        *options,
    )
    return ended.json


def test_a_server_variable_completes_the_url_that_is_named(restwright, orders):
    named = ["--server", "http://127.0.0.1:{port}", "--server-variable", "port=8080"]
    assert dry_run(restwright, orders, *named)["url"] == "http://127.0.0.1:8080/orders"


def test_a_header_does_not_go_to_a_server_that_was_only_chosen(restwright, orders):
    error = dry_run(restwright, orders, "--server", "sandbox")["error"]
    assert error["hint"] == "name http://127.0.0.1:1 with --server if you mean it"


def test_a_server_that_the_document_has_not_is_told_with_those_it_has(restwright, orders):
    error = dry_run(restwright, orders, "--server", "3")["error"]
    assert error["code"] == "missing_server"
    assert "2: {base}/sandbox (Sandbox); '3' is none of that, and no URL" in error["message"]


def test_a_redirect_is_followed_inside_of_the_origin_alone(restwright, things, server):
    arguments = ("call", things, "get_thing", '{"thing_id": 302}', "--server", server.url)
    assert restwright(*arguments).json == {"thing_id": 7, "colour": "teal"}
    arguments = ("call", things, "get_thing", '{"thing_id": 303}', "--server", server.url)
    ended = restwright(*arguments)
    assert ended.code == 1
    assert "HTTP 302 Found; it points to http://other.test/things/7, and was not" in ended.err
    assert TOKEN not in ended.err


def test_an_error_of_the_api_says_what_to_do_about_it(restwright, things, server):
    arguments = ("call", things, "get_thing", '{"thing_id": 401}', "--server", server.url)
    assert restwright(*arguments).err.endswith(
        "; look at the credential that is given with --auth\n"
    )
    assert restwright(*arguments, "--json").json["error"]["hint"].startswith("look at")
    arguments = ("call", things, "get_thing", '{"thing_id": 500}', "--server", server.url)
    assert restwright(*arguments, "--json").json["error"]["hint"] == ""


def test_a_program_is_told_of_a_write_that_took_effect_whose_answer_is_lost(
    restwright, things, server
):
    arguments = ("call", things, "add_thing", '{"thing_id": 8}', "--server", server.url, "--yes")
    ended = restwright(*arguments, "--max-bytes", "1", "--json")
    assert (ended.code, ended.json["error"]["code"], ended.json["effect"]) == (
        1,
        "no_response",
        "done",
    )
    assert "it took effect, so do not repeat it" in ended.json["error"]["message"]
