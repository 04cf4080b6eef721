"""What a user writes of a server."""

from __future__ import annotations

import pytest

from restwright.errors import MissingCredential, RefusedRequest, UsageError
from restwright.mcp_client.settings import ServerProcess, ServerURL, parse_server


def test_a_command_is_split_and_no_shell_reads_it():
    place = parse_server("git=TOKEN=env:GIT_TOKEN A='b c' uvx mcp-server-git '$HOME; ls'").place
    assert place == ServerProcess(
        command=("uvx", "mcp-server-git", "$HOME; ls"),
        environment={"TOKEN": "env:GIT_TOKEN", "A": "b c"},
    )


def test_a_command_is_shown_without_the_values_of_variables():
    place = parse_server("git=TOKEN=hunter2 uvx 'a b'").place
    assert str(place) == "TOKEN=*** uvx 'a b'"


def test_a_url_is_a_server_too():
    server = parse_server("notes=https://mcp.example/mcp?key=1", headers=[("X-A", "b")])
    assert server.place == ServerURL(url="https://mcp.example/mcp?key=1", headers={"X-A": "b"})
    assert str(server.place) == "https://mcp.example/mcp"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("uvx mcp-server-git", "is written as NAME=COMMAND"),
        ("No-Name=uvx", "No-Name is no name of a server"),
        ("git='uvx", "cannot be split"),
        ("git=TOKEN=1", "git has no command"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, why):
    with pytest.raises(UsageError, match=why):
        parse_server(text)


def test_a_password_in_a_url_is_refused_and_not_shown():
    with pytest.raises(RefusedRequest) as caught:
        parse_server("notes=https://me:hunter2@mcp.example/")
    assert "hunter2" not in str(caught.value)


def test_a_header_is_for_a_url():
    with pytest.raises(UsageError, match="which git is not"):
        parse_server("git=uvx", headers=[("A", "b")])


def test_a_variable_that_refers_to_nothing_is_named(monkeypatch):
    monkeypatch.delenv("GIT_TOKEN", raising=False)
    place = ServerProcess(command=("uvx",), environment={"TOKEN": "env:GIT_TOKEN"})
    with pytest.raises(MissingCredential, match="GIT_TOKEN"):
        place.resolve_environment()
