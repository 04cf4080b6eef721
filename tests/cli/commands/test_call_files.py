"""`call`: files in the body, and requests as curl commands."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

TOKEN = "t0ps3cret"


@pytest.fixture
def upload(tmp_path):
    schema = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
    body = {"content": {"multipart/form-data": {"schema": schema}}}
    operation = {"operationId": "send", "requestBody": body, "responses": {"200": {}}}
    path = tmp_path / "upload.json"
    path.write_text(
        json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "t", "version": "1"},
                "paths": {"/things": {"post": operation}},
            }
        )
    )
    return str(path)


def test_a_file_is_sent_from_the_folder_that_was_allowed(restwright, upload, server, tmp_path):
    (tmp_path / "a.txt").write_text("content")
    given = json.dumps({"file": f"@{tmp_path / 'a.txt'}"})
    ended = restwright(
        *("call", upload, "send", given, "--server", server.url, "--curl"),
        *("--allow-files", str(tmp_path)),
    )
    assert ended.code == 0
    assert "content" in ended.out
    assert "a.txt" in ended.out


@pytest.mark.parametrize("folder", [None, "inner"])
def test_a_file_is_not_read_without_leave(restwright, upload, server, tmp_path, folder):
    (tmp_path / "a.txt").write_text("content")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "link").symlink_to(tmp_path / "a.txt")
    allowed = ("--allow-files", str(tmp_path / folder)) if folder else ()
    for path in (tmp_path / "a.txt", tmp_path / "inner" / "link"):
        given = json.dumps({"file": f"@{path}"})
        ended = restwright("call", upload, "send", given, "--server", server.url, *allowed, "--yes")
        assert ended.code == 2
        assert "content" not in ended.out + ended.err
    assert server.requests == []


def test_a_media_type_is_asked_for(restwright, tmp_path, server):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    names = ("application/json", "application/x-www-form-urlencoded")
    body = {"content": {name: {"schema": schema} for name in names}}
    operation = {"operationId": "send", "requestBody": body, "responses": {"200": {}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
    path = tmp_path / "two.json"
    path.write_text(json.dumps({**document, "paths": {"/things": {"post": operation}}}))
    arguments = ("call", str(path), "send", '{"a": 1}', "--server", server.url, "--dry-run")
    assert restwright(*arguments).out.endswith('"a": 1\n}\n')
    assert restwright(*arguments, "--media-type", names[1]).out.endswith("\n\na=1\n")
    assert restwright(*arguments, "--media-type", "text/csv").code == 1


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_sends_what_the_call_would(restwright, things, server, monkeypatch):
    monkeypatch.setenv("THINGS_TOKEN", TOKEN)
    ended = restwright(
        *("call", things, "add_thing", '{"thing_id": 8}', "--dry-run", "--curl"),
        *("--server", server.url, "--auth", "env:THINGS_TOKEN"),
    )
    assert (ended.code, server.requests) == (0, [])
    assert TOKEN not in ended.out
    subprocess.run(["/bin/sh", "-c", ended.out], check=True, capture_output=True, timeout=20)  # noqa: S603
    [(method, path, headers, *_)] = server.requests
    assert (method, path) == ("POST", "/things")
    assert dict(headers)["Authorization"] == f"Bearer {TOKEN}"
