"""Row 10: credentials are the server's, or of one user; never those of a client."""

from __future__ import annotations

import json

from tests.support.mcp.serving import call, serving_api, texts

from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.mcp.sources.served import UserConnections


def test_the_key_of_the_server_is_sent_and_shown_to_nobody(api, tmp_path, era, monkeypatch):
    monkeypatch.setenv("TRICKY_KEY", "c4nary-0f-the-server")
    connection = Connection(server=api.url, auth="env:TRICKY_KEY")
    api.fixed["/secret"] = (200, "application/json", b'{"you": "c4nary-0f-the-server"}')
    result = call(serving_api(api, tmp_path, connection=connection), era, "tricky__secret")
    assert api.seen[0][2]["X-Key"] == "c4nary-0f-the-server"
    assert json.loads(texts(result)[0]) == {"you": "***"}


def test_without_a_key_nothing_is_sent(api, tmp_path, era):
    result = call(serving_api(api, tmp_path), era, "tricky__secret")
    assert result.is_error
    assert "only the user can mend this" in texts(result)[0]
    assert api.seen == []


def test_each_user_has_tokens_of_their_own():
    client = OAuthClient(client_id="app", issuer="https://issuer.example")
    found = UserConnections({"shop": Connection(auth=client)})
    ada, bob = found.find("shop", "ada"), found.find("shop", "bob")
    assert ada.auths[""].user == "ada"
    assert bob.auths[""].user == "bob"
    assert found.find("shop", "ada") is ada
    assert found.find("shop", "").auths[""].user == ""
