"""Row 20: what each host is told starts the server from anywhere, and holds no secret."""

from __future__ import annotations

import json
import tomllib
from inspect import signature
from typing import get_args

import pytest
from tests.cli.conftest import Restwright

from restwright.cli.commands.mcp_config import config
from restwright.cli.commands.mcp_serve import serve
from restwright.mcp.install.hosts import HostName

KEYS = {"vscode": "servers", "zed": "context_servers", "codex": "mcp_servers"}
HOSTS = get_args(HostName)


@pytest.fixture
def restwright(capsys, monkeypatch):
    return Restwright(capsys, monkeypatch)


def entry_of(host, text):
    whole = tomllib.loads(text) if host == "codex" else json.loads(text)
    return whole[KEYS.get(host, "mcpServers")]["tricky"]


@pytest.mark.parametrize("host", HOSTS)
def test_what_starts_the_server_is_whole(api, tmp_path, restwright, monkeypatch, host):
    api.write(tmp_path)
    (tmp_path / "restwright.lock").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRICKY_KEY", "c4nary-0f-the-server")
    given = ("--auth", "key=env:TRICKY_KEY", "--read-only", "--only", "*Node", "--expose", "all")
    ended = restwright("mcp", "config", "tricky.json", "--for", host, *given)
    assert ended.code == 0
    assert "c4nary" not in ended.out + ended.err
    entry = entry_of(host, ended.out)
    assert str(tmp_path / "tricky.json") in entry["args"]
    assert str(tmp_path / "restwright.lock") in entry["args"]
    assert {"--read-only", "--only", "*Node", "--expose", "all"} <= {*entry["args"]}
    assert "key=env:TRICKY_KEY" in entry["args"]
    assert "TRICKY_KEY" in (entry["env_vars"] if host == "codex" else entry["env"])


def test_every_option_of_what_is_served_is_passed_on():
    assert {*signature(serve).parameters} - {"http"} <= {*signature(config).parameters}


def test_paths_are_those_of_here(restwright, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = (
        *("--allow-code", "--notebooks", "books", "--allow-folder", "more", "--no-journal"),
        *("--auth", "key=file:token.txt", "--header", "X-Key: file:other.txt"),
        *("--call-log", "calls.jsonl", "--yes"),
    )
    ended = restwright("mcp", "config", "shop.yaml", "--for", "claude", "--name", "tricky", *given)
    words = entry_of("claude", ended.out)["args"]
    assert {"--allow-code", "--no-journal", "--yes"} <= {*words}
    for name in ("books", "more", "calls.jsonl", "shop.yaml"):
        assert str(tmp_path / name) in words
    assert f"key=file:{tmp_path / 'token.txt'}" in words
    assert f"X-Key: file:{tmp_path / 'other.txt'}" in words


@pytest.mark.parametrize("host", HOSTS)
def test_what_reaches_a_server_is_whole(restwright, host):
    url = "https://mcp.example/mcp"
    ended = restwright(
        *("mcp", "config", "tricky.json", "--for", host, "--url", url, "--token", "env:T")
    )
    entry = entry_of(host, ended.out)
    assert url in entry.values()
    assert "command" not in entry
    assert "T" in ended.out


def test_a_secret_is_refused(restwright):
    for given in (
        ("--header", "X-Key: abc"),
        ("--url", "https://mcp.example/mcp", "--token", "file:/run/secrets/t"),
        ("--server", "https://ada:pw@shop.example"),
        ("--auth", "abcdefgh"),
        ("--auth", "shop=key=abcdefgh"),
        ("--document-header", "Authorization: Bearer abc"),
        ("-m", "git=API_KEY=abc uvx mcp-server-git"),
    ):
        ended = restwright("mcp", "config", "shop.json", "--for", "claude", *given)
        assert ended.code == 2
        assert "abc" not in ended.err
        assert "pw" not in ended.err
    assert restwright("mcp", "config", "-", "--for", "claude").code == 2
