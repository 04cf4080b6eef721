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
